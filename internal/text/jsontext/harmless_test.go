package jsontext

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// What acts on a terminal or a job's log is escaped and means the same.
func TestWriteIndented_IsHarmless(t *testing.T) {
	const text = "a\x7f\u0085\u009b31m\u202egnp.exe\u2066 ##[error]x \\##[y] # ## é 😀"
	var b bytes.Buffer
	if err := WriteIndented(&b, map[string]string{text: text}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); strings.ContainsAny(got, "\x7f\u0085\u009b\u202e\u2066") || strings.Contains(got, "##[") || !strings.Contains(got, "# ## é 😀") {
		t.Errorf("WriteIndented = %q, want escapes for what acts and for nothing else", got)
	}
	var back map[string]string
	if err := json.Unmarshal(b.Bytes(), &back); err != nil || back[text] != text {
		t.Errorf("read back: %q, %v, want %q", back, err, text)
	}
}
