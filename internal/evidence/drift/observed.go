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
	// Skipped counts the files of folders that are no streams.
	Skipped int

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
			err = s.stream(p.In, observe.Source{File: "stdin"})
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
	source.Recognize = recognize
	err := s.Observer.Read(s.ctx, progress.Reader(r, source.File), source)
	if errors.Is(err, observe.ErrUnknown) {
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
	return s.stream(in, observe.Source{File: name})
}

// folder observes what is in and below a folder. What is no stream is counted.
func (s *Streams) folder(name string) error {
	var problems []error
	read := 0
	note := func(err error) {
		switch {
		case err == nil:
			read++
		case errors.Is(err, observe.ErrUnknown) || errors.Is(err, observe.ErrNothing):
			s.Skipped++
		default:
			problems = append(problems, err)
		}
	}
	// With the separator a link to a folder is followed, as the links in it are not.
	_ = filepath.WalkDir(s.p.Path(name)+string(os.PathSeparator), func(path string, d fs.DirEntry, err error) error {
		shown := filepath.Clean(s.p.Called(path, name))
		switch {
		case s.ctx.Err() != nil:
			return s.ctx.Err()
		case err != nil:
			problems = append(problems, fmt.Errorf("list folder: %w", err))
		case d.IsDir():
			if saved, err := evidence.Read(path); err == nil {
				s.evidence(saved, shown, note)
				return fs.SkipDir
			}
		case d.Type().IsRegular() && strings.HasSuffix(path, ".jsonl"):
			note(s.file(shown))
		}
		return nil
	})
	if err := errors.Join(append(problems, s.ctx.Err())...); err != nil || read > 0 {
		return err
	}
	return errors.New("no stream in the folder, and no evidence")
}

// evidence observes the stream of a run, and the one it was converted from.
func (s *Streams) evidence(saved *evidence.Saved, folder string, note func(error)) {
	defer saved.Close()
	source := observe.Source{}
	if a := saved.Manifest.Versions.Agent; a != nil {
		source.Agent, source.Version = a.Name, a.Version
	}
	for _, name := range []string{evidence.EventsFile, evidence.SourceFile} {
		in, err := saved.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			source.File = filepath.Join(folder, name)
			err = s.stream(in, source)
			in.Close()
		}
		note(err)
	}
}
