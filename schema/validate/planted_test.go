package validate

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// planted are mistakes that a scanner could have: what would stand in the place of
// what stands there.
var planted = []struct{ why, file, right, wrong string }{
	{"the last byte of a date is not looked at", "time.go", "if day > length", "if day > 31"},
	{"a lead of three bytes may begin a surrogate", "text.go", " && w&0x200f != 0x200d", ""},
	{"the third byte of a character is not looked at", "text.go", "w&0xc0c0f0 == 0x8080e0", "w&0xc0f0 == 0x80e0"},
	{"a control may stand in a text", "text.go", "((w ^ plain.bit1) - plain.controls)", "((w ^ plain.bit1) - plain.controls)&^zero(w^'\\t'*ones)"},
	{"half a pair will do", "text.go", "if c = utf16.DecodeRune(c, unit(load(b, i+6))); c == utf8.RuneError {", "if c = utf16.DecodeRune(c, unit(load(b, i+6))); c == 0 {"},
	{"an escape counts as it is written", "text.go", "return n, n - size", "return n, n - 6"},
	{"a member may stand twice", "object.go", "i < 0 || seen&e.bit != 0 {", "i < 0 || seen&e.bit != 0 && e.slot > 0 {"},
	{"a member that must be there may be missing", "object.go", "if seen&o.required != o.required {", "if seen&o.required == 0 && o.required != 0 {"},
	{"other names may stand twice", "object.go", "for _, n := range s.names[named:s.named] {", "for _, n := range s.names[named:max(named, s.named-1)] {"},
	{"an integer may be one too large", "value.go", "v.n > e.max", "v.n > e.max+1"},
	{"a cut text may be whole", "line.go", "whole > size\n", "whole >= size\n"},
	{"a null has the size of the text before it", "line.go", "	if s.has(slotText) {\n", "	if s.typ != nil {\n"},
	{"the texts of a list have no bound", "object.go", "if int64(s.listed) > e.size {", "if int64(s.listed) > 2*e.size {"},
	{"a comma may be the last", "object.go", "if i = blanks(b, i+1); b[i] != '\"' {", "if i = blanks(b, i+1); b[i] == '}' {\n\t\t\treturn o.end(seen, i)\n\t\t} else if b[i] != '\"' {"},
	{"a name is found by its first bytes", "table.go", " && string(b[i:end]) == e.name", ""},
	{"the byte behind an escape is not looked at", "text.go", "t &^= 0xffff << at", "t &^= 0xffffff << at"},
	{"a date is that of the line before", "time.go", "w0 != t.date || w1 != t.hours", "w1 != t.hours"},
	{"there is a time before the first", "time.go", " || w0 == 0) &&", ") &&"},
}

// Each of them is one that the tests of the scanner notice, in their short form,
// which takes seconds.
func TestPlanted(t *testing.T) {
	for _, p := range planted {
		path := filepath.Join("line", p.file)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), p.right); n != 1 {
			t.Errorf("%s: %q stands there %d times, want once", path, p.right, n)
			continue
		}
		if !long {
			continue
		}
		t.Run(strings.ReplaceAll(p.why, " ", "-"), func(t *testing.T) {
			out, err := withPlanted(t, path, strings.Replace(string(text), p.right, p.wrong, 1))
			if err == nil || !strings.Contains(out, "--- FAIL: TestScan_") {
				t.Errorf("no test fails although %s: %v\n%s", p.why, err, out)
			}
		})
	}
}

// withPlanted runs the tests of the scanner with another text in the place of a
// file.
func withPlanted(t *testing.T, path, text string) (string, error) {
	t.Helper()
	whole, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	other, overlay := filepath.Join(dir, "other.go"), filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{whole: other}})
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{other: text, overlay: string(list)} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "test", "-count=1", "-overlay", overlay, "-run", "^TestScan_", ".")
	cmd.Env = append(os.Environ(), "OPENAGENT_TEST_LONG=")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
