//go:build !linux

package pages

// Return reports that nothing was given back: not supported here.
func Return() bool { return false }

// Single reports that nothing changes: not supported here.
func Single() bool { return false }
