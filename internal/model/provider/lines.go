package provider

import (
	"bytes"
	"io"
)

// lineFeeds reads a body in which each line ends with a line feed: it makes one
// of \r, \n and \r\n. Events may also come with carriage returns, alone or before
// the feed, and the library splits at feeds only. In JSON both are blanks, so a
// whole answer is left as good.
type lineFeeds struct {
	from     io.Reader
	returned bool // the last byte was a carriage return
}

// Read holds nothing back: a carriage return ends its line at once, and the
// feed that may follow it is left out when it comes.
func (l *lineFeeds) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	return l.rewrite(p[:n]), err
}

// rewrite does its work in place and returns how many bytes are left.
func (l *lineFeeds) rewrite(b []byte) int {
	if !l.returned && bytes.IndexByte(b, '\r') < 0 {
		return len(b)
	}
	kept := 0
	for _, c := range b {
		skip := c == '\n' && l.returned
		if l.returned = c == '\r'; l.returned {
			c = '\n'
		}
		if !skip {
			b[kept] = c
			kept++
		}
	}
	return kept
}
