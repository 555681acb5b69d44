// Package layers holds only a test: which package may import which, and which
// one owns each third-party module.
package layers
