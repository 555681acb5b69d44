package toolcall

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// The ids of dialects, which are the source of their calls.
const (
	dialectKeys     = "key_names"
	dialectString   = "arguments_string"
	dialectEnvelope = "openai_tool_calls"
)

// envelopeKey holds the calls in a message in the API's own spelling.
const envelopeKey = "tool_calls"

// verdict is what an object is: calls, a call that is refused, or nothing. It
// holds until the next one.
type verdict struct {
	calls   []Call
	refusal *Refusal
}

// found is the one member of an object that has one of several keys.
type found struct {
	Member
	is, twice bool
	several   bool // different keys stand side by side
}

// members returns those of the object that f is, if it is one.
func (f found) members() (ms []Member) {
	if f.is && f.Raw[0] == '{' {
		ms, _, _ = Members(f.Raw, 0, 1)
	}
	return ms
}

// pick finds the member for keys; the first key wins over the others.
func pick(ms []Member, keys []string) (f found) {
	for _, m := range ms {
		switch at := slices.Index(keys, m.Key); {
		case at < 0:
		case f.is && f.Key == m.Key:
			f.twice = true
		case !f.is || at == 0:
			f.Member, f.is, f.twice = m, true, false
		case f.Key != keys[0]:
			f.several = true
		}
	}
	return f
}

// interpret says what a whole object is, according to its form.
func (s *scanner) interpret(e Element, source string) verdict {
	if calls := pick(e.Members, []string{envelopeKey}); calls.is && !pick(e.Members, NameKeys()[:1]).is {
		return s.envelope(calls.Raw, e)
	}
	name := pick(e.Members, NameKeys())
	if name.is && name.Key == "function" && name.Raw[0] == '{' { // name and arguments stand in there
		e.Members, _, _ = Members(name.Raw, 0, 1)
		source = dialectEnvelope
		if name = pick(e.Members, []string{"name"}); !s.offers(decodedName(name)) {
			return verdict{}
		}
	}
	if !name.is {
		return verdict{}
	}
	return s.decide(e, source, name, pick(e.Members, ArgumentsKeys()))
}

// envelope reads the list of calls of a message in the API's own spelling.
func (s *scanner) envelope(raw string, e Element) (all verdict) {
	r := Strict(raw, 0, 1)
	for range r.Items() {
		from := r.Pos
		if !r.Skip() || raw[from] != '{' || all.refusal != nil {
			continue
		}
		e.Members, _, _ = Members(raw, from, 1)
		one := s.interpret(e, dialectEnvelope)
		all.calls, all.refusal = append(all.calls, one.calls...), one.refusal
	}
	if all.refusal != nil {
		all.refusal.Problem = "one of the tool_calls is wrong: " + all.refusal.Problem
		all.calls = nil
	}
	return all
}

// claim is an object that names a tool, and what the rules ask of it.
type claim struct {
	e          Element
	form       string // the source that its place gives it
	name, args found
	tool       string // empty when the name is no text
	source     string
	standard   bool // one of the forms, no dialect
	known      bool
	others     []Member // that no call needs
	stray      string   // a parameter of the tool beside the arguments
	object     string   // the arguments
	isObject   bool
}

// decide applies the rules to the object of a call.
func (s *scanner) decide(e Element, form string, name, args found) verdict {
	c := &claim{e: e, form: form, name: name, args: args, tool: decodedName(name), others: others(e.Members)}
	c.known = s.offers(c.tool)
	c.source, c.standard = sourceOf(form, name, args)
	c.object, c.isObject = argumentsOf(args)
	if len(c.others) > 0 {
		c.stray = s.stray(c)
	}
	none, reason, problem := c.byName()
	if !none && reason == "" {
		none, reason, problem = c.byArguments(SkipBlanks(s.s, e.End) == len(s.s))
	}
	switch {
	case none:
		return verdict{}
	case reason == "":
		return verdict{calls: []Call{{Tool: c.tool, Arguments: json.RawMessage(c.object), Source: c.source}}}
	}
	return verdict{refusal: &Refusal{Tool: c.tool, Source: c.source, Reason: reason, Problem: problem}}
}

// byName returns why the object is no call (none), or one that is refused, as
// far as its name and its keys say.
func (c *claim) byName() (none bool, reason, problem string) {
	foreign := !c.known && (!c.standard || c.form == sourceBare) // only known tools are called this way
	switch {
	case foreign && c.form == sourceMarker && c.name.Key == "tool" && c.name.Raw[0] != '"':
		return false, reasonName, "the name of the tool is " + kindOf(c.name.Raw) + ", not a text"
	case foreign:
		return true, "", ""
	case c.name.twice || c.args.twice:
		return false, reasonDuplicate, "the name of the tool or its arguments are given twice"
	case c.tool == "":
		return false, reasonName, "the tool has no name: its " + c.name.Key + " is " + kindOf(c.name.Raw)
	}
	return !c.standard && c.ambiguous(), "", ""
}

// ambiguous reports whether an object could be something else than a call.
func (c *claim) ambiguous() bool {
	alone := c.form == sourceBare || c.form == dialectEnvelope
	return c.name.several || c.args.several || isSchema(c.args) || alone && len(c.others) > 0
}

// byArguments is byName for the arguments; atEnd reports that the text ends
// with the object.
func (c *claim) byArguments(atEnd bool) (none bool, reason, problem string) {
	without, bare := noArguments(c.args), c.form == sourceBare
	switch {
	case c.e.Forced && without && atEnd: // it was closed for the model
		return false, ReasonCut, problemUnbegun
	case c.e.Forced && without:
		return false, ReasonUnfinished, problemUnbegun
	case !c.args.is && bare:
		return true, "", ""
	case without && len(c.others) > 0:
		return false, reasonNoArgs, "it has no arguments, and members that are none, such as " + cutName(c.others[0].Key)
	case c.stray != "":
		return false, reasonNoArgs, c.stray + " stands beside its arguments, not among them"
	case !c.isObject:
		return bare && !c.standard && c.source != dialectString, reasonArguments, "its arguments are " + kindOf(c.args.Raw) + ", not an object"
	}
	return false, "", ""
}

const problemUnbegun = "it ends before its arguments begin"

// stray returns a parameter of the tool that stands beside the
// arguments and not among them, empty when there is none. Without it the call
// would do something else than what was meant.
func (s *scanner) stray(c *claim) string {
	types, given := s.types(c.tool), c.args.members()
	for _, m := range c.others {
		if _, is := types[m.Key]; is && !pick(given, []string{m.Key}).is {
			return m.Key
		}
	}
	return ""
}

// sourceOf names the form or dialect of a call; standard reports that it is one
// of the forms.
func sourceOf(form string, name, args found) (source string, standard bool) {
	switch {
	case form != sourceBare && form != sourceMarker:
		return form, false
	case name.Key != "tool" || args.is && args.Key != "arguments":
		return dialectKeys, false
	case args.is && args.Raw[0] == '"' && !noArguments(args):
		return dialectString, false
	}
	return form, true
}

// argumentsOf returns the arguments as an object. Null and nothing mean none;
// a text is decoded once.
func argumentsOf(args found) (object string, ok bool) {
	if noArguments(args) {
		return "{}", true
	}
	raw := args.Raw
	if raw[0] == '"' {
		raw = strings.TrimSpace(jsontext.Unquote(raw))
		if !Strict(raw, 0, 1).Whole() {
			return "", false
		}
	}
	return raw, raw[0] == '{'
}

// noArguments reports whether there are none: absent, null or an empty text.
func noArguments(args found) bool {
	return !args.is || args.Raw == "null" || args.Raw[0] == '"' && strings.TrimSpace(jsontext.Unquote(args.Raw)) == ""
}

// others returns the members of an object besides its name, its arguments and
// those that stand beside a call in some dialects and say nothing. It may be
// something else than a call then, such as the description of a tool.
func others(ms []Member) (rest []Member) {
	for _, m := range ms {
		switch m.Key {
		case "id", "type", "index", "call_id", "tool_call_id":
			continue
		}
		if !IsNameKey(m.Key) && !IsArgumentsKey(m.Key) {
			rest = append(rest, m)
		}
	}
	return rest
}

// isSchema reports whether what stands in place of arguments is a JSON Schema:
// tools are described with the same keys as they are called.
func isSchema(args found) bool {
	inner := args.members()
	return pick(inner, []string{"properties"}).is && pick(inner, []string{"type"}).is
}

// decodedName returns a member's text, empty when it has none.
func decodedName(f found) string {
	if !f.is || f.Raw[0] != '"' {
		return ""
	}
	return jsontext.Unquote(f.Raw)
}

// spec returns the known tool of that name, one without a name when there is
// none.
func (s *scanner) spec(name string) (t chat.ToolSpec) {
	for i := range s.offered {
		if s.offered[i].Name == name {
			return s.offered[i]
		}
	}
	return t
}

func (s *scanner) offers(name string) bool { return name != "" && s.spec(name).Name == name }

// HasNoArguments reports whether a tool is known to take no arguments.
func (s *scanner) HasNoArguments(tool string) bool {
	return len(s.spec(tool).Parameters) > 0 && len(s.types(tool)) == 0
}

// types returns the parameters that a tool's description names, and whether their
// values may be text.
func (s *scanner) types(tool string) map[string]bool {
	var schema struct{ Properties map[string]json.RawMessage }
	_ = json.Unmarshal(s.spec(tool).Parameters, &schema) // without one all are texts
	types := map[string]bool{}
	for name, p := range schema.Properties {
		types[name] = allowsText(p)
	}
	return types
}

// allowsText reports whether a schema allows text, or does not say what it allows.
func allowsText(schema json.RawMessage) bool {
	var s struct {
		Type         any
		AnyOf, OneOf []json.RawMessage
	}
	_ = json.Unmarshal(schema, &s)
	switch kind := s.Type.(type) {
	case string:
		return kind == "string"
	case []any:
		return slices.Contains(kind, any("string"))
	}
	all := append(s.AnyOf, s.OneOf...)
	return len(all) == 0 || slices.ContainsFunc(all, allowsText)
}
