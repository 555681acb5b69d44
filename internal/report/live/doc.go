// Package live shows a run while it goes on: line by line, at a terminal with a few lines
// below that change in place.
package live
