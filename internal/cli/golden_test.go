package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/internal/platform/process"
)

// streamFiles writes texts as files a, b and so on, and returns their names.
func streamFiles(t *testing.T, texts ...string) (names []string) {
	t.Helper()
	dir := t.TempDir()
	for i, text := range texts {
		name := filepath.Join(dir, string(rune('a'+i)))
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

// streamOf returns a stream of n events with this final text.
func streamOf(n int, text string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"schema_version":"openagent.run_event.v1","sequence":%d,"ts":"2026-03-03T20:11:12Z","run_id":"x","step":0,"type":"run_finished","data":{"final_output":%q}}`+"\n", i+1, text)
	}
	return b.String()
}

func TestGoldenDiff_ShowsSoManyDifferences(t *testing.T) {
	const most = 100
	for differences, more := range map[int]string{most: "", most + 1: "and 1 more differences\n", most + 9: "and 9 more differences\n"} {
		f := streamFiles(t, streamOf(differences, "got"), streamOf(differences, "want"))
		status, out, errs := runLine("", "golden", "diff", f[0], f[1])
		if status != StatusFailed || errs != "" || strings.Count(out, "got \"got\", want \"want\"\n") != most {
			t.Errorf("golden diff of %d differences = %d, %d lines, %q, want 1 and %d", differences, status, strings.Count(out, "\n"), errs, most)
		}
		if !strings.HasSuffix(out, more) || strings.Contains(out, "more differences") != (more != "") {
			t.Errorf("golden diff of %d differences ends %q, want %q", differences, out[len(out)-40:], more)
		}
	}
}

// A difference is one line, whatever the keys of the streams are and however
// long.
func TestGoldenDiff_LinesOfForeignKeys(t *testing.T) {
	for _, key := range []string{`a\n::error::b`, `a\r\u001b[2Jb`, strings.Repeat("x", 5000)} {
		got := strings.ReplaceAll(streamOf(1, "got"), `"final_output"`, `"`+key+`"`)
		f := streamFiles(t, got, strings.ReplaceAll(got, `"got"`, `"want"`))
		status, out, _ := runLine("", "golden", "diff", f[0], f[1])
		if status != StatusFailed || strings.Count(out, "\n") != 1 || strings.ContainsAny(out, "\r\x1b") || len(out) > 1600 {
			t.Errorf("golden diff with key %.20s = %d, %q, want one bounded line", key, status, out)
		}
	}
}

// What is set for runs does not change what two files are compared by.
func TestGoldenDiff_TakesNoVariables(t *testing.T) {
	f := streamFiles(t, streamOf(1, "/tmp/a/x"), streamOf(1, "$WORKSPACE/x"))
	t.Setenv("OPENAGENT_WORKSPACE", "/tmp/a")
	t.Setenv("OPENAGENT_UPDATE", "force")
	if status, out, errs := runLine("", "golden", "diff", f[0], f[1]); status != StatusFailed || errs != "" {
		t.Errorf("golden diff with variables = %d, %s%s, want a difference", status, out, errs)
	}
	if status, out, errs := runLine("", "golden", "diff", "--workspace", "/tmp/a", f[0], f[1]); status != StatusOK {
		t.Errorf("golden diff --workspace = %d, %s%s, want none", status, out, errs)
	}
}

// full takes nothing.
type full struct{ err error }

func (f full) Write([]byte) (int, error) { return 0, f.err }

func TestGolden_ResultThatCannotBePrinted(t *testing.T) {
	f := streamFiles(t, streamOf(1, "got"), streamOf(1, "want"))
	for name, p := range map[string]*program{
		"full": {Process: process.Process{Out: full{errors.New("no space left")}}},
	} {
		for _, line := range [][]string{
			{"golden", "diff", f[0], f[1]}, {"golden", "diff", "--update=force", f[0], f[0]}, {"golden", "export", t.TempDir()},
		} {
			var errs bytes.Buffer
			p.In, p.Err = strings.NewReader(""), &errs
			if status := p.main(line); status != StatusDelivery || !strings.Contains(errs.String(), "no space left") {
				t.Errorf("%s: %v = %d, %q, want 3 and why", name, line[:2], status, errs.String())
			}
		}
	}
}

func TestGoldenExport_Folder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "kit")
	status, out, errs := runLine("", "golden", "export", dir)
	if want := fmt.Sprintf("wrote %d vectors to %s\n", len(golden.Vectors()), dir); status != StatusOK || out != want {
		t.Errorf("golden export = %d, %q, %q, want %q", status, out, errs, want)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "valid", "minimal.jsonl")); err != nil || len(text) == 0 {
		t.Errorf("golden export: valid/minimal.jsonl has %d bytes, %v", len(text), err)
	}
	file := streamFiles(t, "")[0]
	if status, _, errs := runLine("", "golden", "export", filepath.Join(file, "kit")); status != StatusDelivery || !strings.Contains(errs, "export golden streams") {
		t.Errorf("golden export below a file = %d, %q, want 3 and why", status, errs)
	}
}
