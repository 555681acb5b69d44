package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/tool"
)

// pages is a registry whose read_file returns a page of 1000 bytes.
func pages() *tool.Registry {
	return tool.NewRegistry(define("read_file", false, func(_ context.Context, _ tool.Call, a echoArgs) (page, *tool.Error) {
		return page{Path: a.Text, Preview: strings.Repeat(a.Text, 1000/len(a.Text))}, nil
	}))
}

// page is a file of one line.
type page struct {
	Path    string `json:"path"`
	Preview string `json:"content_preview"`
}

func (p page) Summary() string { return "page " + p.Path }
func (p page) Project() page   { return p }
func (p page) Text() string    { return p.Preview }

// reads are answers that read n pages, one a step, and then end.
func reads(n int) *answers {
	model := &answers{}
	for i := range n {
		model.list = append(model.list, calls("read_file", fmt.Sprintf(`{"text":"%c"}`, 'a'+i)))
	}
	model.list = append(model.list, says("done"))
	return model
}

// whole tells which pages a request holds whole, and which shortened.
func whole(request []chat.Message) (pages, short string) {
	for _, m := range request {
		switch {
		case m.Role != chat.RoleTool:
		case strings.HasPrefix(m.Content, "Earlier result, shortened: read_file (success): page "):
			short += m.Content[len(m.Content)-1:]
		default:
			pages += m.Content[:1]
		}
	}
	return pages, short
}

func TestCompact_OlderResultsWhenTheConversationIsNearItsBound(t *testing.T) {
	model := reads(9)
	base := len(SystemPrompt("", CallsAuto, nil)) + len("do it")
	_, k := try(t, model, func(c *Config) {
		c.Tools = pages()
		// With six pages and their calls it is past nine tenths.
		c.MaxContext = int64(base+6*1000) * 10 / 9
	})
	var got []string
	for _, request := range model.requests {
		pages, short := whole(request)
		got = append(got, short+"|"+pages)
	}
	want := []string{"|", "|a", "|ab", "|abc", "|abcd", "|abcde", "ab|cdef", "ab|cdefg", "abcd|efgh", "abcd|efghi"}
	if !slices.Equal(got, want) {
		t.Errorf("requests hold shortened|whole pages %q, want %q", got, want)
	}
	last := model.requests[9]
	for i, m := range last {
		if m.Role == chat.RoleTool && m.ToolCallID != last[i-1].ToolCalls[0].ID {
			t.Errorf("message %d answers call %s, want %s", i, m.ToolCallID, last[i-1].ToolCalls[0].ID)
		}
	}
	seen := of[event.CompactionPerformed](k)
	if len(seen) == 0 {
		t.Fatalf("events = %v, want a compaction", k.summary())
	}
	if saved := seen[0].BytesBefore - seen[0].BytesAfter; seen[0].Results != 2 || saved < 1800 || saved > 2000 {
		t.Errorf("compaction = %+v, want 2 results and what went with them", seen[0])
	}
	if k.calls[0].Rendered != strings.Repeat("a", 1000) {
		t.Error("the record of a shortened result was changed, want it whole")
	}
}

func TestCompact_NeverWithoutABoundOrForShortResults(t *testing.T) {
	for name, edit := range map[string]func(*Config){
		"no bound": func(c *Config) { c.Tools = pages() },
		"short":    func(c *Config) { c.MaxContext = 1 },
	} {
		model := reads(8)
		if name == "short" {
			model = &answers{}
			for range 8 {
				model.list = append(model.list, calls("echo", `{"text":"x"}`))
			}
			model.list = append(model.list, says("done"))
		}
		_, k := try(t, model, edit)
		if len(of[event.CompactionPerformed](k)) > 0 {
			t.Errorf("%s: events = %v, want no compaction", name, k.summary())
		}
	}
}
