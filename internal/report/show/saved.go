// Package show prints a saved run, from its record or its evidence, and turns an
// internal log into its stream.
package show

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/document"
	"github.com/openagent-ci/openagent/internal/report/transcript"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// Part is what is printed of a run: a turn, or one call, in full; all of it in short for
// the zero value. A call goes by its number or its id.
type Part struct {
	Turn int
	Call string
}

func (p Part) whole() bool { return p == Part{} }

// String returns what is asked for, as in "call c1 in turn 2".
func (p Part) String() string {
	text := "call"
	if p.Call != "" {
		text += " " + p.Call
	}
	if p.Turn != 0 {
		text += fmt.Sprintf(" in turn %d", p.Turn)
	}
	return text
}

// NegativeError is the answer about a run that was read: it lacks the part that is asked
// for, or is not as it was saved.
type NegativeError struct{ error }

func (e *NegativeError) Unwrap() error { return e.error }

// isEvidence reports whether the folder is one of evidence.
func isEvidence(dir string) bool { return exists(filepath.Join(dir, evidence.ManifestFile)) }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Print prints the run in the folder dir, or a part of it, for screen. Evidence
// that is not as it was saved is printed all the same, and is a *NegativeError then.
func Print(ctx context.Context, w io.Writer, screen term.Screen, dir string, part Part) error {
	out := &printer{w: w, screen: screen}
	if isEvidence(dir) {
		return out.evidence(ctx, dir, part)
	}
	v, err := recorded(dir)
	if err != nil {
		return err
	}
	return out.print(v, v.Run, part)
}

// PrintStream prints the run of a saved stream of any agent, whose file is called name.
func PrintStream(ctx context.Context, w io.Writer, screen term.Screen, in io.Reader, name string, part Part) error {
	v, err := report.StreamView(ctx, in, name, transcript.New(maxHeld), io.Discard)
	if err != nil {
		return hint.With(fmt.Errorf("read stream %s: %w", name, err), "name a folder of evidence or of a run, or a saved stream of an agent")
	}
	return (&printer{w, screen}).print(v, v.Run, part)
}

// printer prints to a screen.
type printer struct {
	w      io.Writer
	screen term.Screen
}

// print prints a view, or a part of the run that has it whole.
func (p *printer) print(v report.View, whole *transcript.Run, part Part) error {
	blocks := v.Saved()
	if !part.whole() {
		if blocks = parts(whole, part); blocks == nil {
			err := fmt.Errorf("the run has no %s; it has %s and %s", part, term.Counted(len(v.Run.Turns), "turn"), term.Counted(v.Run.Calls, "call"))
			return hint.With(&NegativeError{err}, "leave out --turn and --call to see the turns, their calls and the answer")
		}
	}
	width := 0
	if p.screen.Terminal() {
		width = p.screen.Width()
	}
	out := bufio.NewWriterSize(p.w, 64<<10)
	err := document.Terminal(out, width, p.screen.Colored(), blocks...)
	if err = errors.Join(err, out.Flush()); err != nil && !errors.Is(err, syscall.EPIPE) { // head has read enough
		return fmt.Errorf("print saved run: %w", err)
	}
	return nil
}

// parts returns the calls of a part in full, nil where there are none.
func parts(run *transcript.Run, part Part) (blocks []document.Block) {
	var add func(calls []*transcript.Call)
	add = func(calls []*transcript.Call) {
		for _, c := range calls {
			if part.Call == "" || part.Call == c.ID || part.Call == strconv.Itoa(c.Number) {
				blocks = append(blocks, report.CallInFull(c))
			}
			add(c.Children)
		}
	}
	for _, t := range run.Turns {
		if part.Turn == 0 || part.Turn == t.Number {
			add(t.Calls)
		}
	}
	return blocks
}

// maxHeld bounds the texts of a run that is shown, in bytes.
const maxHeld = 64 << 20
