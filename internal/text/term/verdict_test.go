package term

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWriteVerdict(t *testing.T) {
	var b strings.Builder
	err := WriteVerdict(&b, Verdict{
		Name:   "violation",
		Reason: "the stream breaks\nthe contract",
		WayOut: "print\nJSON",
		Stderr: []string{"  Traceback\x1b[2J", "::error::forged"},
		Rows: []Row{
			{"exit reason", "ok\x1b[2J"},
			{"steps", "3"},
			{"größe", "x"},
		},
		Findings: []string{"::error::forged", "events.jsonl:2: line/json: no JSON"},
		More:     12,
		Next:     []string{"sed -n 2p '/a b/events.jsonl'"},
	})
	if err != nil {
		t.Fatalf("WriteVerdict: %v", err)
	}
	want := `verdict: violation (the stream breaks the contract)
  way out: print JSON
  exit reason  ok
  steps        3
  größe        x
  the end of its stderr:
    |   Traceback
    | : :error::forged
  - : :error::forged
  - events.jsonl:2: line/json: no JSON
  - and 12 more
  next: sed -n 2p '/a b/events.jsonl'
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("WriteVerdict (-want +got):\n%s", diff)
	}
}

func TestWriteVerdict_Bare(t *testing.T) {
	var b strings.Builder
	if err := WriteVerdict(&b, Verdict{Name: "success"}); err != nil || b.String() != "verdict: success\n" {
		t.Errorf("WriteVerdict = %q, %v, want one line", b.String(), err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("closed") }

func TestWriteVerdict_WriterFails(t *testing.T) {
	if err := WriteVerdict(broken{}, Verdict{Name: "success"}); err == nil {
		t.Error("WriteVerdict to a closed writer = nil, want its error")
	}
}
