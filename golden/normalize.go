package golden

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Roots are the absolute folders that differ from run to run. An empty one is
// not looked for.
type Roots struct {
	Workspace string
	State     string
}

// Texts that stand for what differs from run to run.
const (
	anyRunID     = "run"
	anyWorkspace = "$WORKSPACE"
	anyState     = "$STATE"
	timeLayout   = "2006-01-02T15:04:05.000Z"
)

// Normalize returns the stream as a golden file keeps it: times count
// milliseconds and fall where they fell, the run's id is "run", durations are
// 0, and paths below the roots begin with $WORKSPACE or $STATE. All else stays
// as it is, to the byte.
func (r Roots) Normalize(stream []byte) []byte {
	n := normalizer{
		paths: r.replacer(),
		clock: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	var out []byte
	for line := range bytes.Lines(stream) {
		out = append(out, rewrite(line, n.value)...)
	}
	return out
}

// replacer replaces the roots, the longer one first when one lies in the other.
func (r Roots) replacer() *strings.Replacer {
	roots := []string{r.Workspace, anyWorkspace, r.State, anyState}
	if len(r.State) > len(r.Workspace) {
		roots = []string{r.State, anyState, r.Workspace, anyWorkspace}
	}
	var pairs []string
	for i := 0; i < len(roots); i += 2 {
		if roots[i] != "" {
			pairs = append(pairs, strings.TrimRight(roots[i], `/\`), roots[i+1])
		}
	}
	return strings.NewReplacer(pairs...)
}

// normalizer remembers what normalising a line needs of those before.
type normalizer struct {
	paths *strings.Replacer
	runID string
	above time.Time // the last time seen
	clock time.Time // what it was replaced by
}

// value returns what stands for the value at path, nil to leave it.
func (n *normalizer) value(path []string, value any) any {
	if _, ok := value.(json.Number); ok && slices.Equal(path, []string{"data", "duration_ms"}) {
		return 0
	}
	text, ok := value.(string)
	switch {
	case !ok:
	case slices.Equal(path, []string{"ts"}):
		return n.time(text)
	case slices.Equal(path, []string{"run_id"}):
		return n.id(text)
	case len(path) > 1 && path[0] == "data":
		if replaced := n.paths.Replace(text); replaced != text {
			return replaced
		}
	}
	return nil
}

// id replaces the id of the run, which is the first one that is seen.
func (n *normalizer) id(text string) any {
	n.runID = cmp.Or(n.runID, text)
	if text != n.runID || text == "" {
		return nil
	}
	return anyRunID
}

func (n *normalizer) time(text string) any {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return nil
	}
	step := time.Millisecond
	if at.Before(n.above) {
		step = -step
	}
	n.above, n.clock = at, n.clock.Add(step)
	return n.clock.Format(timeLayout)
}
