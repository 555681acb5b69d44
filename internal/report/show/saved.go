// Package show prints a saved run, from its record or its evidence, and turns an
// internal log into its stream.
package show

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/report/live"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// Part is what is printed of a run: the calls of a step, or one call, in full;
// all of it in short for the zero value.
type Part struct {
	Step int
	Call string
}

func (p Part) whole() bool { return p == Part{} }

func (p Part) has(step int, call string) bool {
	return (p.Step == 0 || p.Step == step) && (p.Call == "" || p.Call == call)
}

// String returns what is asked for, as in "call c1 in step 2".
func (p Part) String() string {
	text := "call"
	if p.Call != "" {
		text += " " + p.Call
	}
	if p.Step != 0 {
		text += fmt.Sprintf(" in step %d", p.Step)
	}
	return text
}

// PrintError is the error of a run that was read and could not be printed.
type PrintError struct{ error }

func (e *PrintError) Unwrap() error { return e.error }

// isEvidence reports whether the folder is one of evidence.
func isEvidence(dir string) bool { return exists(filepath.Join(dir, evidence.ManifestFile)) }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Print prints the run in the folder dir, or a part of it, for screen. Evidence
// that is not as it was saved is printed all the same, and is an error then. An
// error of the writer is a *PrintError.
func Print(ctx context.Context, w io.Writer, screen term.Screen, dir string, part Part) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return hint.With(fmt.Errorf("no saved run in %s: it is no folder", dir), "name the folder that it lies in, or judge a stream by openagent check")
	}
	out := &printer{w: w, screen: screen}
	if isEvidence(dir) {
		return out.evidence(ctx, dir, part)
	}
	if err := out.record(dir, part); err != nil {
		return err
	}
	return out.failure()
}

// printer is a writer that goes on after an error and remembers the first one.
type printer struct {
	w      io.Writer
	screen term.Screen
	err    error
}

// Write never fails: failure has the error.
func (p *printer) Write(b []byte) (int, error) {
	if p.err == nil {
		_, p.err = p.w.Write(b)
	}
	return len(b), nil
}

func (p *printer) failure() error {
	if p.err == nil {
		return nil
	}
	return &PrintError{fmt.Errorf("print saved run: %w", p.err)}
}

// human returns a sink that prints events.
func (p *printer) human() *live.Human { return live.NewHuman(p, p.screen, false) }
