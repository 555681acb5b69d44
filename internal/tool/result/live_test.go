package result

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestLive_SnapshotsDoNotChange(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "artifacts")
	live := NewLive(testCall, 8000, NewArtifacts(dir, nil))
	in := live.Input()
	_, _ = io.WriteString(in, "first\n")
	before := live.SoFar()
	_, _ = io.WriteString(in, numbered(5000))
	middle := live.SoFar()
	tail := string(middle.Tail)
	for range 3 {
		_, _ = io.WriteString(in, numbered(5000))
	}
	if diff := cmp.Diff(stream("first\n"), before, cmpopts.IgnoreUnexported(Stream{})); diff != "" {
		t.Errorf("SoFar() at first (-want +got):\n%s", diff)
	}
	if string(middle.Tail) != tail || middle.Artifact == nil || middle.Artifact.Path != "artifacts/2-0-output.log" {
		t.Errorf("SoFar() = %+v, want it to stay and to name the artifact", middle.Artifact)
	}
	_ = in.Close()
	live.Close()
	want := "first\n" + strings.Repeat(numbered(5000), 4)
	if saved, err := os.ReadFile(filepath.Join(dir, "2-0-output.log")); err != nil || string(saved) != want {
		t.Errorf("artifact holds %d bytes, %v, want all %d", len(saved), err, len(want))
	}
	if got := live.SoFar(); got.Bytes != int64(len(want)) || got.Artifact == nil {
		t.Errorf("SoFar() after the end = %d bytes, %v, want all", got.Bytes, got.Artifact)
	}
}

func TestLive_DiscardLeavesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "artifacts")
	opts := Options{Artifacts: NewArtifacts(dir, nil), MaxCommandOutput: 100}
	live, alone := NewLive(testCall, 100, opts.Artifacts), NewCapture(testCall, "stdout", opts)
	_, _ = io.WriteString(live.Input(), numbered(5000))
	_, _ = io.WriteString(alone, numbered(5000))
	live.Close() // as when the command ends just then
	live.Discard()
	alone.Discard()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("artifacts = %v, %v, want none", left, err)
	}
	if err := opts.Artifacts.Err(); err != nil {
		t.Errorf("Err() = %v, want none", err)
	}
}

// A secret that a filter masks is not split by the two streams meeting.
func TestLive_EachStreamHasItsFilter(t *testing.T) {
	live := NewLive(testCall, 8000, NewArtifacts(t.TempDir(), func(w io.Writer) io.WriteCloser { return &loud{w: w} }))
	a, b := live.Input(), live.Input()
	for _, piece := range []struct {
		in   io.Writer
		text string
	}{{a, "se"}, {b, "oth"}, {a, "cret\n"}, {b, "er\n"}} {
		_, _ = io.WriteString(piece.in, piece.text)
	}
	_ = a.Close()
	_ = b.Close()
	if got := string(live.SoFar().Head); got != "SECRET\nOTHER\n" {
		t.Errorf("SoFar() = %q, want whole lines", got)
	}
}

// loud is a filter that holds back what has no line end, as a real one does.
type loud struct {
	w    io.Writer
	held string
}

func (u *loud) Write(p []byte) (int, error) {
	u.held += string(p)
	return len(p), nil
}

func (u *loud) Close() error {
	_, err := io.WriteString(u.w, strings.ToUpper(u.held))
	return err
}
