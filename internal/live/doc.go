// Package live shows people a run while it goes on: line by line, as a picture
// that changes in place, or as one line below other output.
package live
