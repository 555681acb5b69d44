package diff

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/openagent-ci/openagent/internal/adapter/toolname"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/schema"
)

// Run is one of the two runs, gathered from its events.
type Run struct {
	Name, Kind      string // Kind is evidence, stream or run
	Verdict, Reason string // the harness's
	FinalDigest     string // of the whole final text, empty where it is not known
	Revision        int    // of the contract that the stream was held to, 0 where not known

	id, agent, version, model string
	prompt                    string // its SHA-256
	schema                    string
	events                    int
	steps, providerRetries    int
	calls                     []call
	open                      map[string]int        // by id, the index of the call
	waiting                   map[toolname.Call]int // those of which an attempt failed
	textBytes                 int
	digested                  bool             // some arguments are held as a digest alone
	cut                       bool             // the stream has some arguments in part alone
	files                     map[string]touch // by path
	first, last               string           // times
	end                       *schema.RunFinished
}

// call is a tool call as the stream describes it.
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
	// starts and ends count how often it ran, announced is how many further attempts
	// the stream speaks of.
	starts, ends, announced int
	// repeats is the index, from 1, of an earlier call that this one may be another
	// attempt of, 0 for none. By certain it is, else where its arguments are the same.
	repeats int
	certain bool
	// key is the same for two calls with the same tool and arguments, once grouped.
	key int
}

// Add takes an event of the run, in its order.
func (r *Run) Add(e *schema.Event) {
	r.events++
	r.first, r.last = cmp.Or(r.first, e.TS), e.TS
	r.id, r.schema = cmp.Or(e.RunID, r.id), cmp.Or(e.SchemaVersion, r.schema)
	switch d := e.Data.(type) {
	case *schema.RunStarted:
		if d.Agent != nil {
			r.agent, r.version = d.Agent.Name, d.Agent.Version
		}
		r.model, _ = d.Model.Get()
		r.prompt, _ = d.PromptSHA256.Get()
	case *schema.StepStarted:
		r.steps++
	case *schema.ToolCallDetected:
		r.detected(e.Step, d)
	case *schema.ProviderRetry:
		r.providerRetries++
	case *schema.RunFinished:
		r.end = d
	case *schema.ToolDecision:
		if c := r.call(e.Step, d.ToolCallID, d.Tool); event.Value(d.Decision) == "deny" {
			c.denied, c.failed, c.reason = true, true, event.Value(d.Reason)
		} else if c.denied { // another attempt, which may run
			c.denied, c.failed, c.reason = false, false, ""
		}
	case *schema.ToolExecStarted:
		r.call(e.Step, d.ToolCallID, d.Tool).starts++
	case *schema.ToolExecFinished:
		c := r.call(e.Step, d.ToolCallID, d.Tool)
		c.ends++
		c.ended, c.failed = true, d.OK != nil && !*d.OK
		if !c.failed {
			r.write(c)
		}
	case *schema.ToolRetry:
		if c := r.find(d.ToolCallID, d.Tool); c != nil {
			// What was told to the model is no attempt by itself: it may call something else.
			c.failed, c.invalid = c.failed || !c.ended, event.Value(d.FailureClass) == "E_SCHEMA"
			if action := event.Value(d.Action); action != "" && action != "repair" && action != "stop" {
				c.announced++
			}
			r.waiting[toolname.Call{Tool: c.tool, Arguments: c.arguments}] = r.open[CallKey(c.id, c.tool)]
		}
	}
}

// runs returns how often the call ran, once if nothing says so.
func (c *call) runs() int { return max(c.starts, c.ends, 1) }

// waits reports whether a further attempt was announced that has not run.
func (c *call) waits() bool { return c.announced >= c.runs() }

func (c *call) result() string {
	switch {
	case c.failed:
		return "failed"
	case c.ended:
		return "ok"
	}
	return "none"
}

func (c *call) decision() string {
	if c.denied {
		return "deny"
	}
	return "allow"
}

// repeat finds the earlier call that a new one may be another attempt of: the one
// with its id, or one that waits for a further attempt.
func (r *Run) repeat(c *call) {
	if at, ok := r.open[CallKey(c.id, c.tool)]; ok && r.calls[at].tool == c.tool {
		before := &r.calls[at]
		if before.waits() || c.id != "" && before.failed {
			c.repeats, c.certain = at+1, before.waits() || before.step == c.step
			return
		}
	}
	if at, ok := r.waiting[toolname.Call{Tool: c.tool, Arguments: c.arguments}]; ok && r.calls[at].waits() {
		c.repeats, c.certain = at+1, true
	}
}

// maxHeld bounds the bytes of arguments that are held of a run; of what comes
// later, a digest is.
const maxHeld = 64 << 20

func (r *Run) detected(step int64, d *schema.ToolCallDetected) {
	c := call{id: event.Value(d.ToolCallID), tool: event.Value(d.Tool), step: step}
	c.arguments, _ = d.ArgumentsPreview.Get()
	c.size = int64(len(c.arguments))
	if n, ok := d.ArgumentsBytes.Get(); ok && n > c.size {
		c.size, c.cut, r.cut = n, true, true
	}
	if r.textBytes += len(c.arguments); r.textBytes > maxHeld {
		r.digested = true
		sum := sha256.Sum256([]byte(c.arguments))
		c.arguments, c.cut = "sha256:"+hex.EncodeToString(sum[:]), true
	}
	r.repeat(&c)
	if n := len(r.calls); n > 0 {
		c.afterFailure = r.calls[n-1].failed
	}
	if r.open == nil {
		r.open, r.waiting, r.files = map[string]int{}, map[toolname.Call]int{}, map[string]touch{}
	}
	r.open[CallKey(c.id, c.tool)] = len(r.calls)
	r.calls = append(r.calls, c)
}

func (r *Run) find(id, tool *string) *call {
	if at, ok := r.open[CallKey(event.Value(id), event.Value(tool))]; ok {
		return &r.calls[at]
	}
	return nil
}

// call returns the call that an event speaks of. One that was never made all the same
// is a call, of which nothing more is known.
func (r *Run) call(step int64, id, tool *string) *call {
	if c := r.find(id, tool); c != nil {
		return c
	}
	r.detected(step, &schema.ToolCallDetected{ToolCallID: id, Tool: tool})
	return r.find(id, tool)
}

// CallKey names a call; one without an id goes by its tool.
func CallKey(id, tool string) string {
	if id != "" {
		return "id " + id
	}
	return "tool " + tool
}

// Side describes one of the two runs.
type Side struct {
	Name      string   `json:"name"`
	Kind      string   `json:"kind"`
	RunID     string   `json:"run_id"`
	Agent     string   `json:"agent"`
	Model     string   `json:"model"`
	Prompt    string   `json:"prompt_sha256"`
	Schema    string   `json:"schema"`
	Verdict   string   `json:"verdict"`
	Reason    string   `json:"reason"`
	Ended     string   `json:"ended"` // the exit reason, and the error if there was one
	Events    int      `json:"events"`
	ToolCalls int      `json:"tool_calls"`
	Notes     []string `json:"notes"`
}

// Bounds of texts, in characters; an end that the contract allows has at most maxEnded.
const maxName, maxText, maxEnded = 200, 1000, 5000

// side describes the run by itself; what is compared, compareSides adds.
func (r *Run) side() Side {
	s := Side{
		Name: term.OneLine(r.Name, maxText), Kind: r.Kind, RunID: term.OneLine(r.id, maxName),
		Events: r.events, ToolCalls: len(r.calls), Notes: []string{},
	}
	if r.cut {
		s.Notes = append(s.Notes, "the stream has some arguments in part alone, and what is missing is compared by its size")
	}
	if r.digested {
		s.Notes = append(s.Notes, "there are too many arguments to show all of them: what changed in some is not said")
	}
	return s
}

// ended says how the agent's run ended in its own words, nothing where it does not.
func (r *Run) ended() []string {
	if r.end == nil {
		return nil
	}
	return []string{r.end.ExitReason, event.Value(r.end.Error)}
}

// duration returns how long the run took, in milliseconds.
func (r *Run) duration() *float64 {
	if r.end != nil {
		if ms, ok := r.end.DurationMS.Get(); ok {
			return new(float64(ms))
		}
	}
	first, err := time.Parse(time.RFC3339Nano, r.first)
	if last, lastErr := time.Parse(time.RFC3339Nano, r.last); err == nil && lastErr == nil {
		return new(float64(last.Sub(first).Milliseconds()))
	}
	return nil
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
	return text, size
}
