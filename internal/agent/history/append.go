package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/internal/text/clip"

	"github.com/openagent-ci/openagent/internal/model/python"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

const (
	maxResult   = 2000 // characters of the result in a tool_result line
	resultMark  = "\n[truncated]"
	maxToolName = 256 // bytes
)

// Call is a tool call and what the model saw of its result.
type Call struct {
	ID        string
	Tool      string
	Arguments string // as they were given: JSON if all went well
	Result    string // the text that the model sees
}

// Called appends a call and its result in one write. Both are on disk when it
// returns.
func (s *Session) Called(ctx context.Context, c Call) error {
	name, _ := clip.Prefix(clip.UTF8(c.Tool), maxToolName)
	result := s.masked(c.Result)
	if head, cut := clip.Chars(result, maxResult); cut {
		result = head + resultMark
	}
	return s.append(ctx,
		line{Role: roleToolCall.name, Content: python.Call(name, c.Arguments, s.opts.Mask), ToolCallID: c.ID, Tool: name},
		line{Role: roleToolResult.name, Content: result, ToolCallID: c.ID, Tool: name},
	)
}

// Answer appends the final text of a run. A run that ended without words
// leaves no line.
func (s *Session) Answer(ctx context.Context, text string) error {
	if text == "" {
		return nil
	}
	return s.append(ctx, line{Role: roleAssistant.name, Content: text})
}

// append writes lines in one piece and syncs them, unless the session is
// foreign, or scratch.
func (s *Session) append(ctx context.Context, lines ...line) error {
	if s.foreign {
		return nil
	}
	now := stamp(s.opts.Clock.Now())
	var text bytes.Buffer
	for _, l := range lines {
		l.V, l.TS, l.Session, l.RunID = version, now, s.name, s.opts.RunID
		l.Content, l.ToolCallID, l.Tool = s.masked(l.Content), s.masked(l.ToolCallID), s.masked(l.Tool)
		if err := jsontext.Write(&text, l); err != nil {
			return fmt.Errorf("encode line: %w", err)
		}
	}
	err := locked(ctx, s.opts.Dir, func() error { return s.write(text.Bytes()) })
	if err != nil {
		return fmt.Errorf("append to session %s: %w", s.name, err)
	}
	return nil
}

func (s *Session) masked(text string) string { return s.opts.Mask(clip.UTF8(text)) }

// write appends text to the file, unless that turns out to be foreign. The
// caller holds the lock.
func (s *Session) write(text []byte) error {
	if err := s.verify(); err != nil || s.foreign {
		return err
	}
	if _, err := s.file.Write(text); err != nil {
		// A partly written line would spoil the next one.
		return errors.Join(err, os.Truncate(s.path(linesKind), s.seen.size))
	}
	s.seen.append(text)
	return file.Scratch(s.opts.Scratch).Sync(s.file)
}

// locked calls do while it holds the lock of all writers in a folder. It is
// meant for one write.
func locked(ctx context.Context, dir string, do func() error) error {
	unlock, err := lock(ctx, filepath.Join(dir, ".lock"))
	if err != nil {
		return err
	}
	return errors.Join(do(), unlock())
}

// lock locks the file at path.
func lock(ctx context.Context, path string) (unlock func() error, err error) {
	if err := checkRegular(path); err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	return file.Lock(ctx, path, fileMode)
}
