// Package drift finds saved streams, counts what they carry, and compares that with
// a baseline file.
package drift

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/schema/observe"
)

// Streams are what was found under the names of a command line.
type Streams struct {
	observe.Observer
	// Read counts the streams that were read; Skipped the *.jsonl files of folders
	// that are none.
	Read, Skipped int

	ctx context.Context
	p   *process.Process
}

// Read observes the streams that names stand for: a file, - for standard input, a
// folder of evidence for its stream and that which it was converted from, any other
// folder for the evidence and the *.jsonl files below it. What cannot be read is a
// problem, which does not keep the rest from being read.
func Read(ctx context.Context, p *process.Process, names []string) (*Streams, []error) {
	s := &Streams{ctx: ctx, p: p}
	var problems []error
	for _, name := range names {
		info, err := p.Stat(name)
		switch {
		case name == "-":
			err = s.stream(p.In, observe.Source{File: "stdin", Recognize: recognize})
		case err != nil:
		case info.IsDir():
			err = s.folder(name)
		case !info.Mode().IsRegular():
			err = hint.With(errors.New("no regular file"), "openagent schema observe - reads standard input")
		default:
			err = s.file(name)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("observe %s: %w", name, err))
		}
	}
	return s, problems
}

// recognize says by its first line whose stream it is.
func recognize(line []byte) (agent string, native, known bool) {
	name, _ := adapter.Detect(line)
	if name == adapter.Contract {
		return "", false, true
	}
	return name, true, name != ""
}

// stream observes a stream.
func (s *Streams) stream(r io.Reader, source observe.Source) error {
	progress := term.NewStatus(s.p.Err)
	defer progress.Clear()
	err := s.Observer.Read(s.ctx, progress.Reader(r, source.File), source)
	switch {
	case err == nil:
		s.Read++
	case errors.Is(err, observe.ErrUnknown):
		err = hint.With(fmt.Errorf("%w; known: openagent, %s", err, strings.Join(adapter.Names(), ", ")),
			"openagent convert --from NAME makes a stream of the contract of it")
	}
	return err
}

// file observes the stream in a file.
func (s *Streams) file(name string) error {
	in, err := s.p.Open(s.ctx, name)
	if err != nil {
		return err
	}
	defer in.Close()
	return s.stream(in, observe.Source{File: name, Recognize: recognize})
}

// folder observes what is in and below a folder.
func (s *Streams) folder(name string) error {
	before := s.Read
	var problems []error
	// With the separator a link to a folder is followed, as the links in it are not.
	_ = filepath.WalkDir(s.p.Path(name)+string(os.PathSeparator), func(path string, d fs.DirEntry, err error) error {
		shown := filepath.Clean(s.p.Called(path, name))
		switch {
		case s.ctx.Err() != nil:
			err = s.ctx.Err()
			problems = append(problems, err)
			return err
		case err != nil:
			problems = append(problems, fmt.Errorf("list folder: %w", err))
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir():
			if saved, err := evidence.Read(path); err == nil {
				problems = append(problems, s.evidence(saved, shown))
				return fs.SkipDir
			}
		case d.Type().IsRegular() && strings.HasSuffix(path, ".jsonl"):
			err := s.file(shown)
			if errors.Is(err, observe.ErrUnknown) || errors.Is(err, observe.ErrNothing) {
				s.Skipped++
				err = nil
			}
			problems = append(problems, err)
		}
		return nil
	})
	err := errors.Join(problems...)
	if err == nil && s.Read == before {
		err = errors.New("no stream in the folder, and no evidence")
	}
	return err
}

// evidence observes the stream of a run, and that which it was converted from. An
// agent that printed nothing has none.
func (s *Streams) evidence(saved *evidence.Saved, folder string) error {
	defer saved.Close()
	m := saved.Manifest
	source := observe.Source{}
	if a := m.Versions.Agent; a != nil {
		source.Agent, source.Version = a.Name, a.Version
	}
	err := s.part(saved, folder, evidence.EventsFile, source)
	if m.Source == nil {
		return err
	}
	for _, a := range adapter.Agents() {
		if a.Format == m.Source.Format {
			source.Agent, source.Native = a.Name, true
			err = errors.Join(err, s.part(saved, folder, evidence.SourceFile, source))
		}
	}
	return err
}

// part observes a file of evidence, which may be left out.
func (s *Streams) part(saved *evidence.Saved, folder, name string, source observe.Source) error {
	in, err := saved.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	source.File = filepath.Join(folder, name)
	err = s.stream(in, source)
	if errors.Is(err, observe.ErrNothing) {
		err = nil
	}
	return err
}
