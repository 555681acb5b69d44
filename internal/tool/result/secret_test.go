package result

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/tool"
)

const secret = "sk-test-0123456789abcdef"

// secretive returns options of a run that knows the secret.
func secretive(t *testing.T, budget int) Options {
	t.Helper()
	r := redact.New([]string{secret})
	return Options{
		MaxCommandOutput: budget,
		Artifacts:        NewArtifacts(t.TempDir(), func(w io.Writer) io.WriteCloser { return redact.NewWriter(w, r) }),
		Mask:             func(s string) string { s, _ = r.Known(s); return s },
	}
}

// TestCapture_NoCutSplitsASecret moves the secret over every place at which
// head, tail, artifact or chunk could cut it.
func TestCapture_NoCutSplitsASecret(t *testing.T) {
	const budget = 200
	for at := range 600 {
		opts := secretive(t, budget)
		text := strings.Repeat("x", at) + secret + strings.Repeat("y", 700-at) + "\n"
		c := NewCapture(tool.Call{Step: 1}, "stdout", opts)
		for rest := text; rest != ""; {
			n := min(len(rest), 1+at%13)
			if _, err := c.Write([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		s := c.Stream()
		shown := string(s.Head) + "|" + string(s.Tail)
		if s.Artifact == nil {
			t.Fatalf("secret at %d: no artifact of %d bytes", at, len(text))
		}
		whole, err := os.ReadFile(filepath.Join(opts.Artifacts.dir, filepath.Base(s.Artifact.Path)))
		if err != nil {
			t.Fatal(err)
		}
		for name, got := range map[string]string{"preview": shown, "artifact": string(whole)} {
			if strings.Contains(got, "sk-t") || strings.Contains(got, "cdef") {
				t.Fatalf("secret at %d: the %s holds a part of it: %q", at, name, got)
			}
		}
		if want := int64(len(text) - len(secret) + len(redact.Mask)); s.Bytes != want {
			t.Errorf("secret at %d: %d bytes, want %d: the size is that of the masked text", at, s.Bytes, want)
		}
	}
}

func TestSave_FiltersWhatIsComplete(t *testing.T) {
	opts := secretive(t, 0)
	ref := opts.Artifacts.save(tool.Call{Step: 1}, "stdout", []byte(fmt.Sprintf("a %s b", secret)))
	got, err := os.ReadFile(filepath.Join(opts.Artifacts.dir, filepath.Base(ref.Path)))
	if err != nil || strings.Contains(string(got), secret) {
		t.Errorf("artifact holds %q, %v, want it masked", got, err)
	}
}

// Behind the first part of an artifact output is filtered at its end only. What
// is kept of it holds no secret, nor the end of a private key that began before; so
// does what is seen while the command runs.
func TestCapture_EndOfALongStreamIsFiltered(t *testing.T) {
	opts := secretive(t, 200)
	opts.Watch = &Watch{}
	c := NewCapture(tool.Call{Step: 1}, "stdout", opts)
	block := []byte(strings.Repeat(strings.Repeat("x", 99)+"\n", 1000))
	lines := 0
	for size := 0; size < ArtifactHead+2*restTail; size += len(block) {
		_, _ = c.Write(block)
		lines += 1000
	}
	end := strings.Repeat("MIIEpAIBAAKCAQEA\n", 10) + "-----END RSA PRIVATE KEY-----\n" + strings.Repeat("y", 50) + secret + "\nlast\n"
	for _, part := range []string{end[:len(end)-10], end[len(end)-10:]} {
		_, _ = c.Write([]byte(part))
	}
	if got := opts.Watch.Streams(); len(got) != 1 || got[0] != "\n"+strings.Repeat("y", 50)+redact.Mask+"\nlast\n" {
		t.Errorf("the running command is seen as %.200q, want the lines behind the key, masked", got)
	}
	s := c.Stream()
	file, err := os.ReadFile(filepath.Join(opts.Artifacts.dir, filepath.Base(s.Artifact.Path)))
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{"preview": string(s.Head) + "|" + string(s.Tail), "artifact": string(file)} {
		if strings.Contains(got, "sk-t") || strings.Contains(got, "MIIE") || !strings.HasSuffix(got, "y[redacted]\nlast\n") {
			t.Errorf("the %s ends with %q, want the secret masked and no key", name, got[len(got)-100:])
		}
	}
	after := "\n" + strings.Repeat("y", 50) + redact.Mask + "\nlast\n"
	if len(file) != ArtifactHead+len(after) || string(s.Tail) != after {
		t.Errorf("the artifact has %d bytes, the tail is %q, want the artifact's first part and %q", len(file), s.Tail, after)
	}
	if s.Lines != int64(lines+13) {
		t.Errorf("Stream().Lines = %d, want all %d", s.Lines, lines+13)
	}
}

// Where the end is all there is of the rest, the filter just goes on.
func TestCapture_RestWithoutAGap(t *testing.T) {
	opts := secretive(t, 200)
	c := NewCapture(tool.Call{Step: 1}, "stdout", opts)
	line := strings.Repeat("x", 1<<20-1) + "\n"
	for range ArtifactHead>>20 - 1 {
		_, _ = c.Write([]byte(line))
	}
	_, _ = c.Write([]byte(line + "torn: " + secret[:10]))
	_, _ = c.Write([]byte(secret[10:] + ".\n"))
	s := c.Stream()
	want := "torn: " + redact.Mask + ".\n"
	if got := string(s.Tail); !strings.HasSuffix(got, "x\n"+want) || s.Bytes != int64(ArtifactHead+len(want)) {
		t.Errorf("Stream() has %d bytes and ends with %q, want %d and %q", s.Bytes, got[len(got)-50:], ArtifactHead+len(want), want)
	}
}
