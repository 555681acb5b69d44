// Package live shows a run while it goes on: line by line, as a picture that changes
// in place, or as one status line.
package live
