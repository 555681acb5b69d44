//go:build race

package main_test

// buildFlags make the command that the tests start what the tests are.
var buildFlags = []string{"-race"}
