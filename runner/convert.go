package runner

import (
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/internal/adapter/raw"
	"github.com/openagent-ci/openagent/schema/validate"
)

// unreadable are the rules that a line breaks which adapter cannot read, by what
// it says of the line; for all others line/json.
var unreadable = map[string]string{raw.UTF16: "line/utf8", "too long": "line/too-long", "nested too deep": "line/depth"}

// NotNative returns the finding of a stream that is converted though it keeps the
// contract already.
func NotNative() validate.Finding {
	return sourceFinding(nil, emit.Fact{Line: 1, Kind: emit.Format, Name: adapter.Contract}, true)
}

// sourceFinding returns the finding about the agent's own stream for a fact.
// Strict turns warnings into errors.
func sourceFinding(a *adapter.Agent, f emit.Fact, strict bool) validate.Finding {
	var found validate.Finding
	switch f.Kind {
	case emit.Unreadable:
		rule := unreadable[f.Name]
		if rule == "" {
			rule = "line/json"
		}
		found = validate.NewFinding(rule, f.Line, fmt.Sprintf("the line is %s, want one JSON object of the stream that %s prints with %s", f.Name, a.Name, a.Prints))
	case emit.LeftOut:
		found = validate.NewFinding("line/too-long", f.Line, "the line is too long and was left out, want one that fits --max-line")
		found.Severity = validate.SeverityWarning
	case emit.AtEnd:
		found = validate.NewFinding(validate.RuleFormat, f.Line, fmt.Sprintf("this is one JSON value that %s prints at its end, want its stream: give it %s", a.Name, a.Prints))
	case emit.Unmapped:
		found = validate.NewFinding(validate.RuleUnmapped, f.Line, fmt.Sprintf("type is %q, want one that the mapping knows", f.Name))
		if strings.Contains(f.Name, "***") { // the agent masked its own stream
			strict = true
		}
	case emit.Format:
		message := fmt.Sprintf("this is the stream of %s, want that of the agent named", f.Name)
		if f.Name == adapter.Contract {
			message = "this is a stream of the contract already, want another agent's own"
		}
		found = validate.NewFinding(validate.RuleFormat, f.Line, message)
	case emit.Session:
		found = validate.NewFinding(validate.RuleSession, f.Line, fmt.Sprintf("session %q begins, want one session in a stream", f.Name))
	case emit.Contradiction:
		found = validate.NewFinding(validate.RuleContradiction, f.Line, f.Name+", want one end of the run")
	case emit.LateDenial:
		found = validate.NewFinding(validate.RuleLateDenial, f.Line, fmt.Sprintf("call %q is listed as denied, want no result that shows it as run", f.Name))
	case emit.Loss:
		found = validate.NewFinding(validate.RuleLoss, f.Line, fmt.Sprintf("the agent reports: %q, want nothing lost or left undone", f.Name))
	case emit.NoTerminal:
		found = validate.NewFinding("stream/terminal-missing", f.Line, "the agent's stream ends without saying how the run did, want its last event")
	}
	if strict {
		return found.Strict()
	}
	return found
}

// nativeFinding is what there is to say of a stream that another agent printed
// where one of the contract was to come.
func nativeFinding(name string) validate.Finding {
	return validate.NewFinding(validate.RuleFormat, 1, fmt.Sprintf(
		"this is a stream of %[1]s's own, want one of the contract; run it by openagent ci --agent %[1]s, or convert it by openagent convert --from %[1]s FILE", name))
}
