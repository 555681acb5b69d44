package agent

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/tool"
)

// Bounds of the guards.
const (
	maxSameFailure   = 3  // executions of one failing call
	maxSameCall      = 10 // executions of one call in a row that all end alike
	maxToolFailures  = 5  // failures of one tool in a row
	maxMisunderstood = 3  // calls in a row that could not be understood
)

// guard notices a model that goes in circles.
type guard struct {
	calls map[string]repeated // failures by tool and arguments as used
	tools map[string]int      // failures in a row, by tool
	bad   int                 // calls in a row that could not be understood
	last  repeated
}

// repeated counts executions of one call that ended alike.
type repeated struct {
	key     string
	outcome [sha256.Size]byte
	times   int
}

func newGuard() guard { return guard{calls: map[string]repeated{}, tools: map[string]int{}} }

func callKey(name string, arguments json.RawMessage) string { return name + "\x00" + string(arguments) }

// refuses returns the code and the reason for which a call may not run again,
// both empty when it may.
func (g *guard) refuses(name string, arguments json.RawMessage) (code, reason string) {
	if n := g.calls[callKey(name, arguments)].times; n >= maxSameFailure {
		return "repeat_call", fmt.Sprintf("the same call of %s failed %d times in the same way", name, n)
	}
	if g.last.times >= maxSameCall && g.last.key == callKey(name, arguments) {
		return "repeat_call", fmt.Sprintf("the same call of %s had the same result %d times in a row", name, g.last.times)
	}
	if n := g.tools[name]; n >= maxToolFailures {
		return "repeat_tool", fmt.Sprintf("%s failed %d times in a row", name, n)
	}
	return "", ""
}

// executed notes an outcome and returns how often this call has failed so.
// A command that fails is only going in circles when it fails in the same way
// again; any success of a tool that changes things is progress.
func (g *guard) executed(name string, arguments json.RawMessage, facts tool.Facts, rendered string, sideEffects bool) int {
	key := callKey(name, arguments)
	for _, a := range facts.Artifacts { // each execution has its own, so no two results would be equal
		rendered = strings.ReplaceAll(rendered, a.Path, "")
	}
	outcome := sha256.Sum256([]byte(rendered))
	if key != g.last.key || outcome != g.last.outcome || facts.Running {
		g.last = repeated{key: key, outcome: outcome}
	}
	g.last.times++
	if facts.OK {
		delete(g.calls, key)
		g.tools[name] = 0
		if sideEffects {
			clear(g.calls)
			clear(g.tools)
		}
		return 0
	}
	f, again := g.calls[key]
	isError := facts.ErrorKind != ""
	if !again || f.outcome != outcome && !isError {
		f.times = 0
	}
	f.outcome = outcome
	f.times++
	g.calls[key] = f
	if isError || f.times > 1 {
		g.tools[name]++
	}
	return f.times
}
