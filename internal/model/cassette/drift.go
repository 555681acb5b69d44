package cassette

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

const driftSchema = "openagent.drift.v1"

// Drift is how the requests of a run differ from those that were recorded, but for
// times, ids, temporary folders and ports. What a request repeats of the one before
// is said once.
type Drift struct {
	Schema   string `json:"schema"`
	Cassette string `json:"cassette"`
	Recorded Agent  `json:"recorded"`
	Replayed Agent  `json:"replayed"`
	// Came counts the requests, Missed those that no exchange answered; Unused are
	// the exchanges that nobody asked for, by their number.
	Came     int            `json:"requests_came"`
	Missed   int            `json:"requests_missed"`
	Unused   []int          `json:"unused"`
	Requests []DriftRequest `json:"requests"`
	// More counts the requests that differ beside those that are listed.
	More int `json:"more_requests,omitempty"`
}

// DriftRequest is a request that differs.
type DriftRequest struct {
	Request  int `json:"request"`  // as it came, from 1
	Recorded int `json:"recorded"` // the exchange that answered it, from 1
	Line     int `json:"line"`     // where that begins in the cassette
	// Side says that the request is besides the conversation, Again that it was
	// answered before.
	Side        bool         `json:"side,omitempty"`
	Again       bool         `json:"again,omitempty"`
	Differences []Difference `json:"differences"`
	More        int          `json:"more_differences,omitempty"`
}

// Difference is a part of a request that differs: what it is, and what it was and
// is, cut; one of them is empty where there is none.
type Difference struct {
	Part string `json:"part"`
	Was  string `json:"was,omitempty"`
	Is   string `json:"is,omitempty"`
	// Lines are the first lines that only one has, marked - and +.
	Lines []string `json:"lines"`
}

// Bounds of a drift.
const (
	maxDriftRequests    = 50
	maxDriftDifferences = 20
	maxDriftValue       = 4 << 10
	maxDriftLines       = 8 // of a part
)

// note adds how a request differs from the exchange that answers it.
func (o *Lenient) note(at int, again bool, got *exchange, body []part) {
	x := &o.c.exchanges[at]
	was, is := *x, *got
	was.path, is.path, was.body, is.body = pathOf(x), pathOf(got), o.bodies[at], body
	d := DriftRequest{Request: o.drift.Came, Recorded: at + 1, Line: x.line, Side: o.kinds[at] != kind{}, Again: again}
	for _, t := range o.unseen(slices.Concat(toolTwins(was.body, is.body), differing(withoutTools(&was), withoutTools(&is)))) {
		if len(d.Differences) == maxDriftDifferences {
			d.More++
			continue
		}
		lines := lineDifference(pretty(t.want), pretty(t.got))
		d.Differences = append(d.Differences, Difference{t.key, cutValue(t.want), cutValue(t.got), lines[:min(len(lines), maxDriftLines)]})
	}
	switch {
	case len(d.Differences) == 0:
	case len(o.drift.Requests) == maxDriftRequests:
		o.drift.More++
	default:
		o.drift.Requests = append(o.drift.Requests, d)
	}
}

// unseen returns the differences that no request before had.
func (o *Lenient) unseen(all []twin) (fresh []twin) {
	for _, t := range all {
		if !o.seen[t] {
			o.seen[t] = true
			fresh = append(fresh, t)
		}
	}
	return fresh
}

func cutValue(s string) string {
	head, cut := clip.Prefix(s, maxDriftValue)
	if cut {
		head += "..."
	}
	return head
}

// withoutTools returns the exchange without what toolTwins compares.
func withoutTools(x *exchange) *exchange {
	x.body = slices.DeleteFunc(slices.Clone(x.body), func(p part) bool { return strings.HasPrefix(p.key, "tools/") })
	return x
}

// toolTwins returns the tools that differ, by their names: one that is new shifts
// the numbers of all others.
func toolTwins(was, is []part) (out []twin) {
	before, after := toolsOf(was), toolsOf(is)
	for _, name := range before.names {
		if before.spelt[name] != after.spelt[name] {
			out = append(out, twin{"tool " + name, before.spelt[name], after.spelt[name]})
		}
	}
	for _, name := range after.names {
		if _, ok := before.spelt[name]; !ok {
			out = append(out, twin{"tool " + name, "", after.spelt[name]})
		}
	}
	return out
}

// tools are those of a request, in order.
type tools struct {
	names []string
	spelt map[string]string
}

func toolsOf(body []part) tools {
	t := tools{spelt: map[string]string{}}
	add := func(name, spelt string) {
		if _, twice := t.spelt[name]; !twice {
			t.names = append(t.names, name)
		}
		t.spelt[name] = spelt
	}
	for _, p := range body {
		if !strings.HasPrefix(p.key, "tools/") {
			continue
		}
		var tool struct {
			Name, Type string
			Function   struct{ Name string }
			Functions  []json.RawMessage `json:"functionDeclarations"`
		}
		_ = json.Unmarshal([]byte(p.value), &tool) // what is no tool has no name
		for _, f := range tool.Functions {
			var named struct{ Name string }
			_ = json.Unmarshal(f, &named)
			add(named.Name, string(f))
		}
		if tool.Functions == nil {
			add(cmp.Or(tool.Name, tool.Function.Name, tool.Type, p.key), p.value)
		}
	}
	return t
}

// Drift returns how the requests so far differed.
func (o *Lenient) Drift() Drift {
	o.c.mu.Lock()
	defer o.c.mu.Unlock()
	d := o.drift
	d.Requests = slices.Clone(d.Requests)
	d.Unused = []int{}
	for i, used := range o.used {
		if !used {
			d.Unused = append(d.Unused, i+1)
		}
	}
	return d
}

func (d *Drift) otherVersion() bool {
	a, b := d.Recorded, d.Replayed
	return a.Name != "" && b.Name != "" && (a.Name != b.Name || a.Version != "" && b.Version != "" && a.Version != b.Version)
}

// JSON returns the whole drift.
func (d *Drift) JSON() []byte { return append(jsontext.MustMarshal(d), '\n') }

// String returns the drift for people, bounded in size.
func (d *Drift) String() string {
	b := &boundedLines{left: 2 * maxDifference}
	if d.otherVersion() {
		b.add(fmt.Sprintf("drift: %s was recorded, %s runs", d.Recorded.title(), d.Replayed.title()))
	}
	for i := range d.Requests {
		d.Requests[i].print(b)
	}
	if d.More > 0 {
		b.add(fmt.Sprintf("drift: %d more requests differ", d.More))
	}
	return b.String()
}

func (a Agent) title() string { return strings.TrimSpace(a.Name + " " + a.Version) }

// print prints a request that differs: the tools by their names alone.
func (r *DriftRequest) print(b *boundedLines) {
	where := fmt.Sprintf("drift: request %d, answered as request %d of line %d: ", r.Request, r.Recorded, r.Line)
	var fresh, gone, other []string
	for _, d := range r.Differences {
		switch name, tool := strings.CutPrefix(d.Part, "tool "); {
		case !tool:
		case d.Was == "":
			fresh = append(fresh, name)
		case d.Is == "":
			gone = append(gone, name)
		default:
			other = append(other, name)
		}
	}
	for _, list := range []struct {
		what  string
		names []string
	}{{"new tools ", fresh}, {"tools that are gone ", gone}, {"tools that changed ", other}} {
		if len(list.names) > 0 {
			b.add(where + list.what + strings.Join(list.names, ", "))
		}
	}
	for _, d := range r.Differences {
		if strings.HasPrefix(d.Part, "tool ") {
			continue
		}
		b.add(where + d.Part)
		for _, line := range d.Lines {
			b.add("  " + line)
		}
	}
	if r.More > 0 {
		b.add(fmt.Sprintf("%s%d more differences", where, r.More))
	}
}
