package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/openagent-ci/openagent/internal/clip"
)

// maxResult bounds the result in a tool_result line, in characters; what is
// longer ends with the mark.
const (
	maxResult   = 2000
	resultMark  = "\n[truncated]"
	lockName    = ".lock"
	lockWait    = 10 * time.Second
	lockHurry   = time.Second // once the run is to end
	lockRetry   = 5 * time.Millisecond
	fileMode    = 0o600
	maxToolName = 256
)

// Call is a tool call and what the model was told of it.
type Call struct {
	ID   string
	Tool string
	// Arguments are the arguments as they were given: JSON if all went well.
	Arguments string
	// Result is the text that the model sees.
	Result string
}

// Answer appends the final text of a run. A run that ended without words
// leaves no line.
func (s *Session) Answer(ctx context.Context, text string) error {
	if text == "" {
		return nil
	}
	return s.append(ctx, line{Role: roleAssistant.name, Content: text})
}

// Called appends a call and its result in one write. Both are on disk when it
// returns.
func (s *Session) Called(ctx context.Context, c Call) error {
	name, _ := clip.Prefix(clip.UTF8(c.Tool), maxToolName)
	result := s.opts.Mask(clip.UTF8(c.Result))
	if head, cut := clip.Chars(result, maxResult); cut {
		result = head + resultMark
	}
	return s.append(ctx,
		line{Role: roleToolCall.name, Content: callText(name, c.Arguments, s.opts.Mask), ToolCallID: c.ID, Tool: name},
		line{Role: roleToolResult.name, Content: result, ToolCallID: c.ID, Tool: name},
	)
}

// append writes lines in one piece and syncs them.
func (s *Session) append(ctx context.Context, lines ...line) error {
	now := stamp(s.opts.Clock.Now())
	for i := range lines {
		l := &lines[i]
		l.V, l.TS, l.Session, l.RunID = version, now, s.name, s.opts.RunID
		l.Content, l.ToolCallID, l.Tool = s.masked(l.Content), s.masked(l.ToolCallID), s.masked(l.Tool)
	}
	if err := s.add(ctx, lines...); err != nil {
		return fmt.Errorf("append to session %s: %w", s.name, err)
	}
	return nil
}

func (s *Session) masked(text string) string { return s.opts.Mask(clip.UTF8(text)) }

// add repairs the end of the file and appends lines to it, unless the session
// has become another's.
func (s *Session) add(ctx context.Context, lines ...line) (err error) {
	if s.foreign {
		return nil
	}
	text, err := encode(lines)
	if err != nil {
		return err
	}
	unlock, err := lock(ctx, s.opts.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if same, err := s.unchanged(); err != nil || !same {
		return errors.Join(err, s.disown())
	}
	if err := regular(s.path(suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(s.path(suffix), os.O_CREATE|os.O_RDWR|os.O_APPEND, fileMode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	size, err := s.settle(context.WithoutCancel(ctx), f)
	if err != nil {
		return err
	}
	if _, err := f.Write(text); err != nil {
		// A partly written line would spoil the next one.
		return errors.Join(err, os.Truncate(s.path(suffix), size))
	}
	if len(text) > 0 {
		err = f.Sync()
	}
	s.seen, err = look(f, size+int64(len(text)))
	return err
}

// lock takes the lock of all writers in a folder. It is held for one write at a
// time; a writer that cannot get it within lockWait returns an error.
func lock(ctx context.Context, dir string) (unlock func() error, err error) {
	return lockFile(ctx, filepath.Join(dir, lockName))
}

func lockFile(ctx context.Context, path string) (unlock func() error, err error) {
	l := flock.New(path, flock.SetPermissions(fileMode))
	if err := regular(l.Path()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("lock: %w", err)
	}
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), lockWait)
	defer cancel()
	// A run that is being cancelled still records what it did, but hurries.
	defer context.AfterFunc(ctx, func() { time.AfterFunc(lockHurry, cancel) })()
	switch ok, err := l.TryLockContext(wait, lockRetry); {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return nil, fmt.Errorf("another process has held %s for too long", l.Path())
	case err != nil:
		return nil, fmt.Errorf("lock %s: %w", l.Path(), err)
	case !ok:
		return nil, fmt.Errorf("lock %s: not given", l.Path())
	}
	return l.Close, nil
}
