package result

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/tool"
)

func TestCapture_ArtifactOnlyWhenBudgetIsExceeded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "artifacts")
	opts := Options{MaxCommandOutput: 100, Artifacts: NewArtifacts(dir, nil)}
	s := capture(t, opts, strings.Repeat("x", 100))
	if s.Artifact != nil || len(s.Head) != 100 || s.Tail != nil {
		t.Errorf("Stream() of 100 bytes = %+v, want all of it in Head", s)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("Stat(artifacts) = %v, want no folder", err)
	}
	text := numbered(500)
	s = capture(t, opts, text)
	if s.Artifact == nil || s.Artifact.Path != "artifacts/2-0-stdout.log" {
		t.Fatalf("Stream().Artifact = %v, want artifacts/2-0-stdout.log", s.Artifact)
	}
	got, err := os.ReadFile(filepath.Join(dir, "2-0-stdout.log"))
	if err != nil || string(got) != text {
		t.Errorf("artifact holds %d bytes, %v, want the %d written", len(got), err, len(text))
	}
	if string(s.Tail) != text[len(text)-100:] || string(s.Head) != text[:100] || s.Bytes != int64(len(text)) || s.Lines != 500 {
		t.Errorf("Stream() = %+v, want both ends and exact counts", s)
	}
}

func TestCapture_WritesWhileTheCommandRuns(t *testing.T) {
	dir := t.TempDir()
	c := NewCapture(tool.Call{Step: 1, Index: 1}, "stderr", Options{MaxCommandOutput: 4, Artifacts: NewArtifacts(dir, nil)})
	_, _ = c.Write([]byte("abc"))
	_, _ = c.Write([]byte("def"))
	got, err := os.ReadFile(filepath.Join(dir, "1-1-stderr.log"))
	if err != nil || string(got) != "abcdef" {
		t.Errorf("artifact before the end = %q, %v, want abcdef", got, err)
	}
	c.Stream()
}

func TestArtifact_HugeStreamKeepsBothEnds(t *testing.T) {
	dir := t.TempDir()
	c := NewCapture(tool.Call{Step: 1}, "stdout", Options{MaxCommandOutput: 10, Artifacts: NewArtifacts(dir, nil)})
	block := bytes.Repeat([]byte{'a'}, 1<<20)
	for range 64 {
		_, _ = c.Write(block)
	}
	_, _ = c.Write(bytes.Repeat([]byte{'b'}, 5<<20))
	_, _ = c.Write([]byte("end"))
	s := c.Stream()
	if want := int64(69<<20 + 3); s.Bytes != want {
		t.Errorf("Stream().Bytes = %d, want %d", s.Bytes, want)
	}
	got, err := os.ReadFile(filepath.Join(dir, "1-0-stdout.log"))
	if err != nil || len(got) != ArtifactHead+ArtifactTail {
		t.Fatalf("artifact has %d bytes, %v, want %d", len(got), err, ArtifactHead+ArtifactTail)
	}
	if bytes.IndexByte(got, 'b') != ArtifactHead || !bytes.HasSuffix(got, []byte("bend")) {
		t.Error("artifact does not hold the first 64 MiB and the last 1 MiB")
	}
}

// upper is a filter that shows whether it was used and closed.
type upper struct {
	w io.Writer
}

func (u upper) Write(p []byte) (int, error) {
	_, err := u.w.Write(bytes.ToUpper(p))
	return len(p), err
}

func (u upper) Close() error {
	_, err := io.WriteString(u.w, ".")
	return err
}

func TestArtifacts_FilterSeesEverything(t *testing.T) {
	dir := t.TempDir()
	a := NewArtifacts(dir, func(w io.Writer) io.WriteCloser { return upper{w} })
	if ref := a.save(tool.Call{Step: 3, Index: 2}, "stdout", []byte("secret")); ref == nil {
		t.Fatal("save(...) = nil, want a reference")
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "3-2-stdout.log")); string(got) != "SECRET." {
		t.Errorf("artifact = %q, want SECRET.", got)
	}
}

func TestArtifacts_FailureIsReportedAndHarmless(t *testing.T) {
	dir := t.TempDir()
	victim := filepath.Join(dir, "victim")
	if err := os.WriteFile(victim, []byte("keep"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, filepath.Join(dir, "2-0-stdout.log")); err != nil {
		t.Fatal(err)
	}
	a := NewArtifacts(dir, nil)
	s := capture(t, Options{MaxCommandOutput: 10, Artifacts: a}, numbered(50))
	if s.Artifact != nil || a.Err() == nil {
		t.Errorf("Stream().Artifact = %v, Err() = %v, want none and an error", s.Artifact, a.Err())
	}
	if got, _ := os.ReadFile(victim); string(got) != "keep" {
		t.Errorf("the link's target holds %q, want it untouched", got)
	}
}

func TestArtifacts_Open(t *testing.T) {
	dir := t.TempDir()
	a := NewArtifacts(filepath.Join(dir, "artifacts"), nil)
	a.save(tool.Call{Step: 1}, "stdout", []byte("x"))
	if err := os.WriteFile(filepath.Join(dir, "run.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "run.json"), filepath.Join(dir, "artifacts", "link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"artifacts/1-0-stdout.log", "1-0-stdout.log"} {
		f, err := a.Open(name)
		if err != nil {
			t.Errorf("Open(%q) = %v, want the artifact", name, err)
			continue
		}
		f.Close()
	}
	for _, name := range []string{"", ".", "..", "../run.json", "artifacts/../run.json", "artifacts/../../run.json", "link", "/etc/passwd", "other.log"} {
		if f, err := a.Open(name); err == nil {
			f.Close()
			t.Errorf("Open(%q) opened a file, want an error", name)
		}
	}
	if _, err := (*Artifacts)(nil).Open("x"); err == nil {
		t.Error("Open on no artifacts opened a file, want an error")
	}
}

func TestArtifacts_NextStepCountsOn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "artifacts")
	a := NewArtifacts(dir, nil)
	if got := a.NextStep(); got != 1 {
		t.Errorf("NextStep() of no folder = %d, want 1", got)
	}
	for _, call := range []tool.Call{{Step: 9}, {Step: 12, Index: 3}, {Step: 2}} {
		a.save(call, "stdout", []byte("x"))
	}
	if err := os.WriteFile(filepath.Join(dir, "99 no artifact"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := a.NextStep(); got != 13 {
		t.Errorf("NextStep() = %d, want the one after 12", got)
	}
}
