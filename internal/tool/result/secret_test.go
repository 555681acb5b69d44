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
