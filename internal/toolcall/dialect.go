package toolcall

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/chat"
	"github.com/openagent-ci/openagent/internal/jsontext"
)

// The ids of dialects, which are the source of their calls.
const (
	dialectKeys     = "key_names"
	dialectString   = "arguments_string"
	dialectHermes   = "hermes"
	dialectFunction = "function_tag"
	dialectEnvelope = "openai_tool_calls"
	dialectList     = "tool_calls_list"
	dialectSection  = "tool_calls_section"
)

// envelopeKey holds the calls in a message in the API's own spelling.
const envelopeKey = "tool_calls"

// Keys under which dialects give the tool and its arguments, the standard one
// first.
func nameKeys() []string     { return []string{"tool", "name", "tool_name", "function"} }
func argumentKeys() []string { return []string{"arguments", "args", "parameters", "params", "input"} }

func isNameKey(key string) bool      { return slices.Contains(nameKeys(), key) }
func isArgumentsKey(key string) bool { return slices.Contains(argumentKeys(), key) }
func isEnvelopeKey(key string) bool  { return key == envelopeKey }

// verdict is what an object is: calls, a call that is refused, or nothing.
type verdict struct {
	calls   []Call
	refusal *Refusal
}

// found is the one member of an object that has one of several keys.
type found struct {
	member
	is    bool
	twice bool
	// several reports that different keys stand side by side.
	several bool
}

// pick finds the member for keys; the first key wins over the others.
func pick(ms []member, keys []string) (f found) {
	for _, m := range ms {
		switch at := slices.Index(keys, m.key); {
		case at < 0:
		case f.is && f.key == m.key:
			f.twice = true
		case !f.is || at == 0:
			f.member, f.is, f.twice = m, true, false
		case f.key != keys[0]:
			f.several = true
		}
	}
	return f
}

// interpret says what a whole object is, according to its form.
func (s *scanner) interpret(e element, f form) verdict {
	if calls := pick(e.members, []string{envelopeKey}); calls.is && !pick(e.members, nameKeys()[:1]).is {
		return s.envelope(calls.raw, e)
	}
	name := pick(e.members, nameKeys())
	if !name.is {
		return verdict{}
	}
	if name.key == "function" && name.raw[0] == '{' {
		return s.nested(name.raw, e, f)
	}
	return s.decide(e, f, name, pick(e.members, argumentKeys()))
}

// claim is an object that names a tool, and what the rules ask of it.
type claim struct {
	s          *scanner
	e          element
	f          form
	name, args found
	tool       string // empty when the name is no text
	text       bool   // the name is one
	known      bool
	source     string
	standard   bool   // one of the forms, no dialect
	object     string // the arguments
	isObject   bool
}

// foreign reports that only known tools are called this way, and this is none.
func (c *claim) foreign() bool { return !c.known && (!c.standard || c.f.kind == formBare) }

// unbegun reports that the object was closed for the model before its arguments.
func (c *claim) unbegun() bool { return c.e.forced && noArguments(c.args) }

// rules are asked in order; the first that holds decides. One without a reason
// leaves the object text; a claim on which none holds is a call.
var rules = []struct {
	holds   func(c *claim) bool
	status  Status
	reason  string
	problem func(c *claim) string
}{
	{func(c *claim) bool {
		return c.foreign() && c.f.kind == formMarker && c.name.key == "tool" && !c.text
	}, Malformed, reasonName, func(c *claim) string { return "the name of the tool is " + kindOf(c.name.raw) + ", not a text" }},
	{holds: (*claim).foreign},
	{func(c *claim) bool { return c.name.twice || c.args.twice }, Malformed, reasonDuplicate, says("the name of the tool or its arguments are given twice")},
	{func(c *claim) bool { return c.tool == "" }, Malformed, reasonName, func(c *claim) string {
		return "the tool has no name: its " + c.name.key + " is " + kindOf(c.name.raw)
	}},
	{holds: func(c *claim) bool { return !c.standard && (c.name.several || c.args.several || isSchema(c.args)) }},
	{holds: func(c *claim) bool {
		return !c.standard && (c.f.kind == formBare || c.f.kind == formEnvelope) && others(c.e.members)
	}},
	{func(c *claim) bool { return c.unbegun() && skipBlanks(c.s.s, c.e.end) == len(c.s.s) }, Incomplete, reasonCut, says(problemUnbegun)},
	{(*claim).unbegun, Malformed, reasonUnfinished, says(problemUnbegun)},
	{holds: func(c *claim) bool { return !c.args.is && c.f.kind == formBare }},
	{func(c *claim) bool { return noArguments(c.args) && others(c.e.members) }, Malformed, reasonNoArgs, func(c *claim) string {
		return "it has no arguments, and members that are none: " + strings.Join(keysOf(c.e.members), ", ")
	}},
	{func(c *claim) bool { return c.stray() != "" }, Malformed, reasonNoArgs, func(c *claim) string {
		return c.stray() + " stands beside its arguments, not among them"
	}},
	{holds: func(c *claim) bool {
		return !c.isObject && c.f.kind == formBare && !c.standard && c.source != dialectString
	}},
	{func(c *claim) bool { return !c.isObject }, Malformed, reasonArguments, func(c *claim) string {
		return "its arguments are " + kindOf(c.args.raw) + ", not an object"
	}},
}

const problemUnbegun = "it ends before its arguments begin"

func says(problem string) func(*claim) string { return func(*claim) string { return problem } }

// decide applies the rules to the object of a call.
func (s *scanner) decide(e element, f form, name, args found) verdict {
	c := &claim{s: s, e: e, f: f, name: name, args: args, tool: decodedName(name), text: name.raw[0] == '"'}
	c.known = c.text && s.knows(c.tool)
	c.source, c.standard = s.sourceOf(f, name, args)
	c.object, c.isObject = argumentsOf(args)
	for _, r := range rules {
		switch {
		case !r.holds(c):
			continue
		case r.reason == "":
			return verdict{}
		}
		problem := r.problem(c)
		if c.known {
			problem = understood(c.tool, problem)
		}
		return verdict{refusal: &Refusal{Tool: cutName(c.tool), Source: c.source, Status: r.status, Reason: r.reason, Problem: problem}}
	}
	return verdict{calls: []Call{{Tool: c.tool, Arguments: json.RawMessage(c.object), Source: c.source}}}
}

// stray returns a parameter of the tool that stands beside the
// arguments and not among them, empty when there is none. Without it the call
// would do something else than what was meant.
func (c *claim) stray() string {
	if !others(c.e.members) {
		return ""
	}
	var given []member
	if c.args.is && c.args.raw[0] == '{' {
		given, _, _ = strictObject(c.args.raw, 0, 1)
	}
	types := c.s.types(c.tool)
	for _, m := range c.e.members {
		_, is := types[m.key]
		if is && !isNameKey(m.key) && !isArgumentsKey(m.key) && !pick(given, []string{m.key}).is {
			return m.key
		}
	}
	return ""
}

// sourceOf names the form or dialect of a call; standard reports that it is one
// of the forms.
func (s *scanner) sourceOf(f form, name, args found) (source string, standard bool) {
	switch {
	case f.kind == formTag || f.kind == formList || f.kind == formEnvelope:
		return f.source, false
	case name.key != "tool" || args.is && args.key != "arguments":
		return dialectKeys, false
	case args.is && args.raw[0] == '"' && !noArguments(args):
		return dialectString, false
	}
	return f.source, true
}

// argumentsOf returns the arguments as an object. Null and nothing mean none;
// a text is decoded once.
func argumentsOf(args found) (object string, ok bool) {
	if noArguments(args) {
		return "{}", true
	}
	raw := args.raw
	if raw[0] == '"' {
		raw = strings.TrimSpace(jsontext.Unquote(raw))
		end, f := strictValue(raw, 0, 1)
		if f != jsontext.FaultNone || end != len(raw) {
			return "", false
		}
	}
	return raw, raw[0] == '{'
}

// noArguments reports whether there are none: absent, null or an empty text.
func noArguments(args found) bool {
	return !args.is || args.raw == "null" || args.raw[0] == '"' && strings.TrimSpace(jsontext.Unquote(args.raw)) == ""
}

// others reports whether an object has members besides its name, its arguments
// and those that envelopes add. It may be something else than a call then, such
// as the description of a tool.
func others(ms []member) bool {
	return slices.ContainsFunc(ms, func(m member) bool {
		return !isNameKey(m.key) && !isArgumentsKey(m.key) && !slices.Contains(labels(), m.key)
	})
}

// labels are members that stand beside a call in some dialects and say nothing.
func labels() []string { return []string{"id", "type", "index", "call_id", "tool_call_id"} }

func keysOf(ms []member) []string {
	var keys []string
	for _, m := range ms {
		if !isNameKey(m.key) && len(keys) < 8 {
			keys = append(keys, cutName(m.key))
		}
	}
	return keys
}

// isSchema reports whether what stands in place of arguments is a JSON Schema:
// tools are described with the same keys as they are called.
func isSchema(args found) bool {
	if !args.is || args.raw[0] != '{' {
		return false
	}
	inner, _, _ := strictObject(args.raw, 0, 1)
	return pick(inner, []string{"properties"}).is && pick(inner, []string{"type"}).is
}

// nested reads a call whose name and arguments stand in a function member.
func (s *scanner) nested(raw string, e element, f form) verdict {
	inner, _, fault := strictObject(raw, 0, 1)
	if fault != jsontext.FaultNone {
		return verdict{}
	}
	if f.kind != formEnvelope {
		f = form{kind: f.kind, from: f.from, source: dialectEnvelope}
	}
	name := pick(inner, []string{"name"})
	if !name.is || name.raw[0] != '"' || !s.knows(jsontext.Unquote(name.raw)) {
		return verdict{}
	}
	e.members = inner
	return s.decide(e, form{formEnvelope, f.from, dialectEnvelope}, name, pick(inner, argumentKeys()))
}

// envelope reads the list of calls of a message in the API's own spelling.
func (s *scanner) envelope(raw string, e element) verdict {
	var all verdict
	if raw[0] != '[' {
		return all
	}
	r := strictly(raw, 0, 1)
	for range r.Items() {
		from := r.Pos
		if !r.Skip() || raw[from] != '{' || all.refusal != nil {
			continue
		}
		ms, _, _ := strictObject(raw, from, 1)
		one := s.interpret(element{at: e.at, end: e.end, members: ms, repairs: e.repairs, forced: e.forced}, form{kind: formEnvelope, source: dialectEnvelope})
		all.calls = append(all.calls, one.calls...)
		all.refusal = one.refusal
	}
	if all.refusal != nil {
		all.refusal.Problem = "one of the tool_calls is wrong: " + all.refusal.Problem
		all.calls = nil
	}
	return all
}

func decodedName(f found) string {
	if !f.is || f.raw[0] != '"' {
		return ""
	}
	return jsontext.Unquote(f.raw)
}

// spec returns the known tool of that name.
func (s *scanner) spec(name string) (t chat.ToolSpec, ok bool) {
	at := slices.IndexFunc(s.known, func(t chat.ToolSpec) bool { return t.Name == name })
	if at < 0 {
		return t, false
	}
	return s.known[at], true
}

// takesNothing reports whether a tool is known to take no arguments.
func (s *scanner) takesNothing(tool string) bool {
	t, ok := s.spec(tool)
	return ok && len(t.Parameters) > 0 && len(s.types(tool)) == 0
}

// types returns the types that a tool's description gives its parameters.
func (s *scanner) types(tool string) map[string]string {
	var schema struct {
		Properties map[string]struct {
			Type string `json:"type"`
		} `json:"properties"`
	}
	types := map[string]string{}
	t, _ := s.spec(tool)
	if json.Unmarshal(t.Parameters, &schema) == nil {
		for name, p := range schema.Properties {
			types[name] = p.Type
		}
	}
	return types
}
