//go:build !unix

package testserver

// Main does nothing: the server starts processes as Unix does.
func Main() {}
