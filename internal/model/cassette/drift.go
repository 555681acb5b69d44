package cassette

import (
	"fmt"
	"slices"
	"strings"

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
	// More counts the differences that are not listed.
	More int `json:"more_differences,omitempty"`
}

// DriftRequest is a request that differs.
type DriftRequest struct {
	Request     int          `json:"request"`  // as it came, from 1
	Recorded    int          `json:"recorded"` // the exchange that answered it, from 1
	Line        int          `json:"line"`     // where that begins in the cassette
	Differences []Difference `json:"differences"`
}

// maxDriftDifferences bounds the differences of a drift.
const maxDriftDifferences = 200

// note adds how a request differs from the exchange that answers it, apart from what
// was said of an earlier one.
func (o *Lenient) note(at int, got *exchange, body []part) {
	d := DriftRequest{Request: o.drift.Came, Recorded: at + 1, Line: o.c.exchanges[at].line}
	for _, t := range o.differences(at, got, body) {
		switch {
		case o.seen[t]:
		case len(o.seen) == maxDriftDifferences:
			o.drift.More++
		default:
			o.seen[t] = true
			d.Differences = append(d.Differences, t)
		}
	}
	if len(d.Differences) > 0 {
		o.drift.Requests = append(o.drift.Requests, d)
	}
}

// differences lists in what a request differs from that of an exchange, without what
// differs each time.
func (o *Lenient) differences(at int, got *exchange, body []part) []Difference {
	x := &o.c.exchanges[at]
	was := exchange{method: x.method, path: pathOf(x), body: o.bodies[at]}
	return differences(&was, &exchange{method: got.method, path: pathOf(got), body: body})
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
	for _, r := range d.Requests {
		head := fmt.Sprintf("drift: request %d, answered as request %d of line %d: ", r.Request, r.Recorded, r.Line)
		for _, each := range r.Differences {
			b.difference(head, "  ", each)
		}
	}
	if d.More > 0 {
		b.add(fmt.Sprintf("drift: %d more differences", d.More))
	}
	return b.String()
}

func (a Agent) title() string { return strings.TrimSpace(a.Name + " " + a.Version) }
