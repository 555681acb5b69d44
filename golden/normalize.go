package golden

import (
	"bytes"
	"cmp"
	"net"
	"slices"
	"strconv"
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
	// anyFingerprint is that of a configuration with a port of this machine.
	anyFingerprint = "0000000000000000000000000000000000000000000000000000000000000000"
	timeLayout     = "2006-01-02T15:04:05.000Z"
)

// Normalize returns the stream as a golden file keeps it: times count
// milliseconds and fall where they fell, the run's id is "run", durations are
// 0, and paths below the roots begin with $WORKSPACE or $STATE. A provider on this
// machine has no port, and the fingerprint of such a configuration is one of
// zeros. Where another agent's stream was converted, ids of steps are counted and
// waits before retries are 0. All else stays as it is, to the byte.
func (r Roots) Normalize(stream []byte) []byte {
	n := r.normalizer()
	var out []byte
	for line := range bytes.Lines(stream) {
		out = append(out, rewrite(line, n.value)...)
	}
	return out
}

func (r Roots) normalizer() *normalizer {
	return &normalizer{paths: r.replacer(), clock: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)}
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
	ts    string    // of the last line, "" for none
	local bool      // the provider has a port of this machine
	// steps are the ids of the steps of another agent's stream, nil in one of ours.
	steps map[string]string
}

// value returns what stands for the value at path, nil to leave it.
func (n *normalizer) value(path []string, value any) any {
	text, ok := value.(string)
	switch {
	case !ok:
		return n.number(path)
	case slices.Equal(path, []string{"ts"}):
		n.ts = text
		if at := n.time(text); at != "" {
			n.ts = at
			return at
		}
	case slices.Equal(path, []string{"run_id"}):
		return n.id(text)
	case slices.Equal(path, []string{"data", "source", "format"}):
		n.steps = map[string]string{}
	case slices.Equal(path, []string{"data", "step_id"}) && n.steps != nil:
		return n.step(text)
	case slices.Equal(path, []string{"data", "provider"}):
		host, ok := withoutPort(text)
		if n.local = ok; ok {
			return host
		}
	case slices.Equal(path, []string{"data", "config_fingerprint"}) && n.local: // the port counts in it
		return anyFingerprint
	case len(path) > 1 && path[0] == "data":
		if replaced := n.paths.Replace(text); replaced != text {
			return replaced
		}
	}
	return nil
}

// withoutPort returns the host of a provider on this machine, where a served model
// has another port each time; ok is false for any other.
func withoutPort(provider string) (host string, ok bool) {
	host, port, err := net.SplitHostPort(provider)
	if err != nil || port == "" || host != "localhost" && !net.ParseIP(host).IsLoopback() {
		return "", false
	}
	return host, true
}

// number returns what stands for a number that is a time taken. How long another
// agent waits before it tries again is one; ours says what it decided.
func (n *normalizer) number(path []string) any {
	if slices.Equal(path, []string{"data", "duration_ms"}) || n.steps != nil && slices.Equal(path, []string{"data", "backoff_ms"}) {
		return 0
	}
	return nil
}

// step replaces the id of a step of another agent, some of which make random ones,
// by its place among them.
func (n *normalizer) step(text string) any {
	if n.steps[text] == "" {
		n.steps[text] = "step-" + strconv.Itoa(len(n.steps)+1)
	}
	return n.steps[text]
}

// id replaces the id of the run, which is the first one that is seen.
func (n *normalizer) id(text string) any {
	n.runID = cmp.Or(n.runID, text)
	if text != n.runID || text == "" {
		return nil
	}
	return anyRunID
}

func (n *normalizer) time(text string) string {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return ""
	}
	step := time.Millisecond
	if at.Before(n.above) {
		step = -step
	}
	n.above, n.clock = at, n.clock.Add(step)
	return n.clock.Format(timeLayout)
}
