package mcp

import (
	"bytes"
	"io"
	"strings"
	"sync"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// Bounds of what a server prints on its standard error, in bytes.
const (
	maxStderr    = 1 << 20
	maxLine      = 4 << 10
	maxLastWords = 300
)

// lines passes what a server prints on to people, each line behind the server's name
// and without what a terminal or a job log acts upon, as far as there is room for it.
type lines struct {
	prefix string
	to     io.Writer // nil for nobody

	mu      sync.Mutex
	line    []byte
	passed  int
	lately  string // the end of what was said, for errors
	muted   bool
	skipped bool // the present line is too long
}

// Write takes a piece of the output. It never fails.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := p; len(rest) > 0; {
		head, after, whole := bytes.Cut(rest, []byte{'\n'})
		rest = after
		if room := maxLine - len(l.line); len(head) > room {
			head = head[:room]
			l.skipped = true
		}
		l.line = append(l.line, head...)
		if whole {
			l.flush()
		}
	}
	return len(p), nil
}

// flush passes on the line. The caller holds the lock.
func (l *lines) flush() {
	text := clip.UTF8(string(l.line))
	if l.skipped {
		text += "..."
	}
	l.line, l.skipped = l.line[:0], false
	for _, line := range term.Clean(text) {
		l.lately = tail(l.lately+line+"\n", maxLine)
		l.pass(l.prefix + line + "\n")
	}
}

func (l *lines) pass(line string) {
	switch {
	case l.to == nil || l.muted:
		return
	case l.passed+len(line) > maxStderr:
		l.muted = true
		line = l.prefix + "[... what it prints from here on is left out ...]\n"
	}
	l.passed += len(line)
	_, _ = io.WriteString(l.to, line) // whoever reads it is not the server's business
}

// said returns the end of what was said.
func (l *lines) said() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.line) > 0 {
		l.flush()
	}
	return l.lately
}

// last returns the last line that says something.
func (l *lines) last() string {
	all := strings.TrimRight(l.said(), "\n \t")
	text, _ := clip.OneLine(all[strings.LastIndexByte(all, '\n')+1:], maxLastWords)
	return text
}

// tail returns the last max bytes of s, whole lines if there are several.
func tail(s string, max int) string {
	if len(s) <= max {
		return s
	}
	s = s[len(s)-max:]
	return s[strings.IndexByte(s, '\n')+1:]
}
