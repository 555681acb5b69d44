package transport

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/openagent-ci/openagent/internal/jsontext"
)

// Log is a file with a line for each request; nil for none.
type Log struct {
	file *os.File
	mu   sync.Mutex
	err  error // the first
}

// OpenLog opens a log that goes on where it ended, and has the script write there
// what each request gets.
func (s *Script) OpenLog(path string) (*Log, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	l := &Log{file: file}
	s.Log = l.write
	return l, nil
}

// write writes a line at once.
func (l *Log) write(line Served) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.file.Write(append(jsontext.MustMarshal(line), '\n'))
	if l.err == nil {
		l.err = err
	}
}

// Close reports whether each line was written.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	if err := errors.Join(l.err, l.file.Close()); err != nil {
		return fmt.Errorf("write log: %w", err)
	}
	return nil
}
