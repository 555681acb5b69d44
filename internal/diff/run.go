package diff

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/view"
	"github.com/openagent-ci/openagent/schema"
)

// Run is one of the two runs, gathered from its events.
type Run struct {
	// Name is what the run is called, Kind evidence, stream or run.
	Name, Kind string
	// Verdict is the harness's, Reason one sentence why.
	Verdict, Reason string
	// FinalDigest is that of the whole final text, empty where it is not known.
	FinalDigest string
	// Notes say what the comparison cannot see, one sentence each.
	Notes []string

	id, agent, version, model string
	events                    int
	steps, providerRetries    int
	calls                     []call
	open                      map[string]int // by id, the index of the call
	texts                     map[string]string
	textBytes                 int
	digested                  bool // some arguments are held as a digest alone
	cut                       bool // the stream has some arguments in part alone
	written                   map[string]bool
	first, last               string // times
	end                       *schema.RunFinished
}

// call is a tool call as the stream tells of it.
type call struct {
	id, tool  string
	arguments string // as they are written
	size      int64  // of the whole arguments, in bytes
	cut       bool   // they are not whole
	step      int64
	// afterFailure says that the call before had failed already when this one was
	// made; invalid, that it could not run for its arguments.
	afterFailure, invalid bool
	denied, failed, ended bool
	reason                string // of a denial
}

// Add takes an event of the run, in its order.
func (r *Run) Add(e *schema.Event) {
	r.events++
	if r.first == "" {
		r.first = e.TS
	}
	r.last = e.TS
	if e.RunID != "" {
		r.id = e.RunID
	}
	switch d := e.Data.(type) {
	case *schema.RunStarted:
		if d.Agent != nil {
			r.agent, r.version = d.Agent.Name, d.Agent.Version
		}
		r.model, _ = d.Model.Get()
	case *schema.StepStarted:
		r.steps++
	case *schema.ToolCallDetected:
		r.detected(e.Step, d)
	case *schema.ProviderRetry:
		r.providerRetries++
	case *schema.RunFinished:
		r.end = d
	default:
		r.addToCall(e.Data)
	}
}

// addToCall takes what an event says of a call that was made before.
func (r *Run) addToCall(data any) {
	switch d := data.(type) {
	case *schema.ToolDecision:
		if c := r.find(d.ToolCallID, d.Tool); c != nil && value(d.Decision) == "deny" {
			c.denied, c.failed, c.reason = true, true, value(d.Reason)
		}
	case *schema.ToolExecFinished:
		if c := r.find(d.ToolCallID, d.Tool); c != nil {
			c.ended, c.failed = true, d.OK != nil && !*d.OK
			if !c.failed {
				r.write(c)
			}
		}
	case *schema.ToolRetry:
		if c := r.find(d.ToolCallID, d.Tool); c != nil {
			c.failed, c.invalid = true, value(d.FailureClass) == "E_SCHEMA"
		}
	}
}

// maxHeld bounds the bytes of arguments that are held of a run; of what comes
// later, a digest is.
const maxHeld = 64 << 20

func (r *Run) detected(step int64, d *schema.ToolCallDetected) {
	c := call{id: value(d.ToolCallID), tool: value(d.Tool), step: step}
	c.arguments, _ = d.ArgumentsPreview.Get()
	c.size = int64(len(c.arguments))
	if n, ok := d.ArgumentsBytes.Get(); ok && n > c.size {
		c.size, c.cut, r.cut = n, true, true
	}
	r.hold(&c)
	if n := len(r.calls); n > 0 {
		c.afterFailure = r.calls[n-1].failed
	}
	if r.open == nil {
		r.open = map[string]int{}
	}
	r.open[key(c.id, c.tool)] = len(r.calls)
	r.calls = append(r.calls, c)
}

// hold has each text of arguments once, and a digest where there is no room.
func (r *Run) hold(c *call) {
	if known, ok := r.texts[c.arguments]; ok {
		c.arguments = known
		return
	}
	if r.texts == nil {
		r.texts = map[string]string{}
	}
	if r.textBytes += len(c.arguments); r.textBytes > maxHeld {
		r.digested = true
		sum := sha256.Sum256([]byte(c.arguments))
		c.arguments, c.cut = "sha256:"+hex.EncodeToString(sum[:]), true
		return
	}
	r.texts[c.arguments] = c.arguments
}

func (r *Run) find(id, tool *string) *call {
	if at, ok := r.open[key(value(id), value(tool))]; ok {
		return &r.calls[at]
	}
	return nil
}

// key names a call; one without an id goes by its tool.
func key(id, tool string) string {
	if id != "" {
		return "id " + id
	}
	return "tool " + tool
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Side is what is told of one of the two runs.
type Side struct {
	Name      string   `json:"name"`
	Kind      string   `json:"kind"`
	RunID     string   `json:"run_id"`
	Agent     string   `json:"agent"`
	Model     string   `json:"model"`
	Verdict   string   `json:"verdict"`
	Reason    string   `json:"reason"`
	Events    int      `json:"events"`
	ToolCalls int      `json:"tool_calls"`
	Notes     []string `json:"notes"`
}

// Bounds of texts, in characters.
const (
	maxName = 200
	maxText = 1000
)

func (r *Run) side() Side {
	s := Side{
		Name: view.OneLine(r.Name, maxText), Kind: r.Kind, RunID: view.OneLine(r.id, maxName),
		Agent: view.OneLine(r.agent+" "+r.version, maxName), Model: view.OneLine(r.model, maxName),
		Verdict: view.OneLine(r.Verdict, maxName), Reason: view.OneLine(r.Reason, maxText),
		Events: r.events, ToolCalls: len(r.calls), Notes: []string{},
	}
	for _, note := range r.Notes {
		s.Notes = append(s.Notes, view.OneLine(note, maxText))
	}
	if r.cut {
		s.Notes = append(s.Notes, "the stream has some arguments in part alone, and what is missing is compared by its size")
	}
	if r.digested {
		s.Notes = append(s.Notes, "there are too many arguments to show all of them: what changed in some is not said")
	}
	return s
}

// duration returns how long the run took, in milliseconds.
func (r *Run) duration() *float64 {
	if r.end != nil {
		if ms, ok := r.end.DurationMS.Get(); ok {
			return number(&ms)
		}
	}
	first, err := time.Parse(time.RFC3339Nano, r.first)
	last, lastErr := time.Parse(time.RFC3339Nano, r.last)
	if err != nil || lastErr != nil {
		return nil
	}
	ms := last.Sub(first).Milliseconds()
	return number(&ms)
}

// usage returns what the run says of its tokens, nothing where it does not.
func (r *Run) usage() (u schema.Usage) {
	if r.end != nil {
		u, _ = r.end.Usage.Get()
	}
	return u
}

// final returns the final text as far as the stream has it, and the size of all of
// it in bytes.
func (r *Run) final() (text string, size int64) {
	if r.end == nil {
		return "", 0
	}
	text, size = r.end.FinalOutput, int64(len(r.end.FinalOutput))
	if n, ok := r.end.OriginalBytes.Get(); ok {
		size = max(size, n)
	}
	return strings.TrimRight(text, "\n"), size
}
