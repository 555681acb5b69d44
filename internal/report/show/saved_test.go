package show

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// savedRun returns the folder of a run without calls that ended well.
func savedRun(t *testing.T) string {
	t.Helper()
	run, err := record.Open(t.TempDir(), record.Info{RunID: "r1", Started: time.Unix(0, 0).UTC(), CLI: map[string]any{"model": "m"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Finish(time.Unix(1, 0).UTC(), "all done", record.Outcome{ExitReason: "ok", OK: true, Steps: 1}); err != nil {
		t.Fatal(err)
	}
	return run.Dir()
}

// broken is a reader that has gone.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("gone") }

func printed(t *testing.T, w io.Writer, dir string, part Part) error {
	return Print(t.Context(), w, term.NewScreen(io.Discard, os.Getenv), dir, part)
}

func TestPrint_Record(t *testing.T) {
	dir := savedRun(t)
	var out strings.Builder
	if err := printed(t, &out, dir, Part{}); err != nil || !strings.HasPrefix(out.String(), "success\n\nAnswer\nall done\n") || !strings.Contains(out.String(), "  model    m\n") {
		t.Errorf("Print = %v and\n%s\nwant the run and its final text", err, &out)
	}
	if err := printed(t, io.Discard, dir, Part{Turn: 2, Call: "c1"}); !errors.As(err, new(*NegativeError)) || err.Error() != "the run has no call c1 in turn 2; it has 0 turns and 0 calls" {
		t.Errorf("Print of a call that is none = %v, want it said", err)
	}
}

// What cannot be printed or read is no answer about the run.
func TestPrint_Errors(t *testing.T) {
	dir := savedRun(t)
	var negative *NegativeError
	if err := printed(t, broken{}, dir, Part{}); err == nil || errors.As(err, &negative) || !strings.HasPrefix(err.Error(), "print saved run: ") {
		t.Errorf("Print to a reader that has gone = %v, want it said", err)
	}
	if err := os.WriteFile(filepath.Join(dir, record.InfoName), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"broken": dir, "empty": t.TempDir(), "none": filepath.Join(dir, "none")} {
		if err := printed(t, broken{}, dir, Part{}); err == nil || errors.As(err, &negative) {
			t.Errorf("Print of a folder that is %s = %v, want an error of reading", name, err)
		}
	}
	events := t.TempDir()
	if err := os.WriteFile(filepath.Join(events, "events.jsonl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := printed(t, io.Discard, events, Part{}); !strings.Contains(hint.Of(err), "openagent show ") {
		t.Errorf("Print of evidence that nobody finished = %v with hint %q, want one to show its stream", err, hint.Of(err))
	}
}
