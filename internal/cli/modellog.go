package cli

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/openagent-ci/openagent/internal/jsontext"
	"github.com/openagent-ci/openagent/internal/transport"
)

// requestLog is a file with a line for each request; nil for none.
type requestLog struct {
	file *os.File
	mu   sync.Mutex
	err  error // the first
}

// openLog has the script write what each request gets to the file of --log.
func (m *modelServer) openLog(s *transport.Script) (*requestLog, error) {
	if m.log == "" {
		return nil, nil
	}
	file, err := os.OpenFile(m.program.Path(m.log), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, &statusError{StatusDelivery, fmt.Errorf("open log: %w", err)}
	}
	log := &requestLog{file: file}
	s.Log = log.write
	return log, nil
}

// write writes a line at once.
func (l *requestLog) write(line transport.Served) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.file.Write(append(jsontext.MustMarshal(line), '\n'))
	if l.err == nil {
		l.err = err
	}
}

// close reports whether each line was written.
func (l *requestLog) close() error {
	if l == nil {
		return nil
	}
	if err := errors.Join(l.err, l.file.Close()); err != nil {
		return &statusError{StatusDelivery, fmt.Errorf("write log: %w", err)}
	}
	return nil
}
