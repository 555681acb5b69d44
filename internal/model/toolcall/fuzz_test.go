package toolcall

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/text/clip"
)

// corpus returns texts with calls of every kind.
func corpus(t testing.TB) []string {
	t.Helper()
	f, err := os.Open("testdata/sample.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var texts []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var s sample
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, s.Text)
	}
	for _, example := range dialects() {
		texts = append(texts, example)
	}
	return texts
}

// sound checks what holds for every text.
func sound(t *testing.T, text string, r Result) {
	t.Helper()
	for _, c := range r.Calls {
		var object map[string]any
		if err := json.Unmarshal(c.Arguments, &object); err != nil || object == nil {
			t.Errorf("Parse(%q): arguments %s of %s are no object: %v", text, c.Arguments, c.Tool, err)
		}
		if c.Tool == "" || c.Repaired != (len(c.Repairs) > 0) || c.Offset < 0 || c.Offset >= len(text) {
			t.Errorf("Parse(%q): call %+v is not whole", text, c)
		}
		contradicted(t, text, c)
	}
	for _, f := range r.Refused {
		if f.Reason == "" || f.Problem == "" || f.Status != Incomplete && f.Status != Malformed {
			t.Errorf("Parse(%q): refusal %+v does not say why", text, f)
		}
		if r.Incomplete || f.Status != Incomplete {
			continue
		}
		t.Errorf("Parse(%q) is not incomplete, and refuses %+v", text, f)
	}
	if len(r.Leftover) > len(text) || len(r.Calls) == 0 && r.Leftover != text {
		t.Errorf("Parse(%q) leaves %q", text, r.Leftover)
	}
}

// contradicted reports a call that a strict decoder reads otherwise.
func contradicted(t *testing.T, text string, c Call) {
	t.Helper()
	if c.Source != sourceMarker && c.Source != sourceBare {
		return
	}
	var strict struct {
		Tool      string          `json:"tool"`
		Arguments json.RawMessage `json:"arguments"`
	}
	dec := json.NewDecoder(strings.NewReader(text[c.Offset:]))
	var raw json.RawMessage
	if dec.Decode(&raw) != nil {
		if !c.Repaired {
			t.Errorf("Parse(%q): call %+v is not told to be mended, and no JSON", text, c)
		}
		return
	}
	var exact map[string]json.RawMessage
	if json.Unmarshal(raw, &exact) != nil {
		t.Errorf("Parse(%q): call %+v where JSON has %s", text, c, raw)
		return
	}
	_ = json.Unmarshal(exact["tool"], &strict.Tool)
	alone := !strings.Contains(text[:c.Offset], "[") // else it may be the list that had to be repaired
	if strict.Tool != c.Tool || c.Repaired && alone {
		t.Errorf("Parse(%q): call %+v where JSON has %s", text, c, raw)
	}
	if got, want := exact["arguments"], string(c.Arguments); got != nil && clip.UTF8(string(got)) != want && got[0] == '{' && json.Valid([]byte(text)) {
		t.Errorf("Parse(%q): arguments %s where JSON has %s", text, want, got)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range corpus(f) {
		f.Add(text, true)
		f.Add(text[:len(text)*2/3], false)
	}
	f.Fuzz(func(t *testing.T, text string, normal bool) {
		finish := map[bool]string{true: "stop", false: "length"}[normal]
		o := Options{Tools: offered(), FinishReason: finish}
		r := Parse(text, o)
		sound(t, text, r)
		if diff := cmp.Diff(r, Parse(text, o)); diff != "" {
			t.Errorf("Parse(%q) differs the second time:\n%s", text, diff)
		}
		if !normal { // a cut reply has no call that the same reply, not cut, has not
			whole := got(t, parse(text))
			at := 0
			for _, c := range got(t, r) {
				n := slices.Index(whole[at:], c)
				if n < 0 {
					t.Errorf("Parse(%q) of a cut reply calls %s, of a whole one %q", text, c, whole)
					break
				}
				at += n + 1
			}
		}
	})
}
