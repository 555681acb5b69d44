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
	{"a comma may be the last", "object.go", "if i = blanks(b, i+1); b[i] != '\"' {", "if i = blanks(b, i+1); b[i] == '}' {\n\t\t\t\treturn o.end(seen, i)\n\t\t\t} else if b[i] != '\"' {"},
	{"a name is found by its first bytes", "table.go", " && string(b[i:end]) == e.name", ""},
	{"a name is guessed by its first bytes", "table.go", "|\n\t\t(binary.LittleEndian.Uint64(p[16:])&e.mask[2]^e.opening[2]) == 0", " == 0"},
	{"a member with the same first letter is the one of the line before", "object.go", "e == nil || !e.begins((*[8 * openingWords]byte)(p[1:])) ||", "e == nil || !e.begins((*[8 * openingWords]byte)(p[1:])) && p[2] != e.name[0] ||"},
	{"a member that was foreseen may stand twice", "object.go", " || seen&e.bit != 0 {\n\t\t\tbreak", " {\n\t\t\tbreak"},
	{"the byte behind an escape is not looked at", "text.go", "t &^= 0xffff << at", "t &^= 0xffffff << at"},
	{"a date is that of the line before", "time.go", "w0 != t.date || w1 != t.hours", "w1 != t.hours"},
	{"a call may start without a decision", "../flow.go", "if c.started > 0 || c.decision != allowed {", "if c.started > 0 {"},
	{"a call may finish twice", "../flow.go", "if c.started == 0 || c.decision != allowed {", "if c.decision != allowed {"},
	{"a step may go back", "../order.go", " || f.Step < s.step ||", " ||"},
	{"a moment may go back", "../order.go", "f.Seconds == seconds && f.Nanoseconds >=", "f.Seconds == seconds || f.Nanoseconds >="},
	{"any run will do", "../order.go", " || string(f.RunID) != s.id {", " {"},
	{"there is a time before the first", "time.go", " || w0 == 0) &&", ") &&"},
	{"the last bytes before a type are not looked at", "form.go", "(f.size+7)/8", "f.size/8"},
	{"what stands in the place of a digit is one", "form.go", "(w+addDigits|w)&halves != 0 || ", ""},
	{"a number may begin with 0", "form.go", " || b[d.from] == '0' && d.to > d.from+1", ""},
	{"a sequence may be 0", "form.go", " || sequence == 0 ||", " ||"},
	{"the time may end where it likes", "form.go", "s.at.read(b, f.ts.from) != f.ts.to", "s.at.read(b, f.ts.from) < 0"},
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
