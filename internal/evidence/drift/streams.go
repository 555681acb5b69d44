// Package drift finds saved streams, counts what they carry, and compares that with the
// published schema and a baseline file.
package drift

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// BaselineFile is the file that holds what was seen before.
type BaselineFile struct {
	Name   string
	Named  bool // the user named the file, so it must exist
	Update bool // what is seen is added to it
}

// Observe reads the streams that names stand for, compares what they carry with the
// baseline, and updates it if asked to. A stream that cannot be read is a problem.
func (f BaselineFile) Observe(ctx context.Context, p *process.Process, names []string) (r Observation, problems []error, err error) {
	baseline, err := f.load(ctx, p.Env)
	if err != nil {
		return r, nil, err
	}
	var o Observer
	problems = o.Read(ctx, p, names)
	if err := ctx.Err(); err != nil {
		return r, nil, err
	}
	r = o.Result(baseline)
	if f.Update {
		before, was := slices.Concat(r.Drift, r.Notes), baseline.Encode()
		baseline.Merge(&o)
		r = o.Result(baseline)
		for _, d := range before {
			if !slices.Contains(r.Drift, d) && !slices.Contains(r.Notes, d) {
				r.Added = append(r.Added, d)
			}
		}
		if is := baseline.Encode(); !bytes.Equal(was, is) {
			r.Updated = true
			if err = file.Replace(p.Path(f.Name), is); err != nil {
				err = fmt.Errorf("write baseline: %w", err)
			}
		}
	}
	if baseline != nil {
		r.Baseline = f.Name
	}
	return r, problems, err
}

// load reads the baseline, nil where there is none and none is needed.
func (f BaselineFile) load(ctx context.Context, p process.Env) (*Baseline, error) {
	in, err := p.OpenFile(ctx, f.Name)
	switch missing := errors.Is(err, fs.ErrNotExist); {
	case missing && f.Update:
		return &Baseline{}, nil
	case missing && !f.Named:
		return nil, nil
	case missing:
		return nil, hint.With(err, "--update-baseline writes one")
	case err != nil:
		return nil, err
	}
	defer in.Close()
	text, err := process.ReadUpTo(in, f.Name, process.MaxInput)
	if err != nil {
		return nil, err
	}
	baseline, err := ParseBaseline(text)
	if err != nil {
		err = hint.With(fmt.Errorf("%s: %w", f.Name, err), "name the baseline by --file, or write it anew: remove it and give --update-baseline")
	}
	return baseline, err
}

// Read observes the streams that names stand for: a file, - for standard input, evidence
// for its stream and the one that was converted, another folder for the evidence and the
// *.jsonl files below it. What cannot be read is a problem; the rest is read.
func (o *Observer) Read(ctx context.Context, p *process.Process, names []string) (problems []error) {
	for _, name := range names {
		info, err := p.Stat(name)
		switch {
		case name == "-":
			err = o.stream(ctx, p, io.NopCloser(p.In), nil, "stdin", ident{})
		case err != nil:
		case info.IsDir():
			err = o.folder(ctx, p, name)
		case !info.Mode().IsRegular():
			err = hint.With(errors.New("no regular file"), "openagent schema observe - reads standard input")
		default:
			err = o.file(ctx, p, name)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("observe %s: %w", name, err))
		}
	}
	return problems
}

// file observes the stream in a file.
func (o *Observer) file(ctx context.Context, p *process.Process, name string) error {
	in, err := p.Open(ctx, name)
	return o.stream(ctx, p, in, err, name, ident{})
}

// stream observes a stream that was opened, with that error; the rest is known of it.
func (o *Observer) stream(ctx context.Context, p *process.Process, in io.ReadCloser, err error, name string, given ident) error {
	if err != nil {
		return err
	}
	defer in.Close()
	progress := term.NewStatus(p.Err)
	defer progress.Clear()
	return o.lines(ctx, progress.Reader(in, name), name, given)
}

// folder observes what is in and below a folder. What is no stream is counted.
func (o *Observer) folder(ctx context.Context, p *process.Process, name string) error {
	var problems []error
	read := 0
	note := func(err error) {
		switch {
		case err == nil:
			read++
		case errors.Is(err, errUnknown) || errors.Is(err, errNothing):
			o.skipped++
		default:
			problems = append(problems, err)
		}
	}
	// With the separator a link to a folder is followed, as the links in it are not.
	_ = filepath.WalkDir(p.Path(name)+string(os.PathSeparator), func(path string, d fs.DirEntry, err error) error {
		shown := filepath.Clean(p.Called(path, name))
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			note(fmt.Errorf("list folder: %w", err))
		case d.IsDir():
			saved, err := evidence.Read(path)
			if err != nil {
				return nil
			}
			defer saved.Close()
			var given ident
			if a := saved.Manifest.Versions.Agent; a != nil {
				given.Agent, given.Version = a.Name, a.Version
			}
			for _, name := range []string{evidence.EventsFile, evidence.SourceFile} {
				if in, err := saved.Open(name); !errors.Is(err, fs.ErrNotExist) {
					note(o.stream(ctx, p, in, err, filepath.Join(shown, name), given))
				}
			}
			return fs.SkipDir
		case d.Type().IsRegular() && strings.HasSuffix(path, ".jsonl"):
			note(o.file(ctx, p, shown))
		}
		return nil
	})
	if err := errors.Join(append(problems, ctx.Err())...); err != nil || read > 0 {
		return err
	}
	return errors.New("no stream in the folder, and no evidence")
}
