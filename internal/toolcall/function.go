package toolcall

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/chat"
	"github.com/openagent-ci/openagent/internal/jsontext"
)

const (
	functionTag  = "<function="
	parameterTag = "<parameter="
)

// function reads a call whose function and parameters stand in tags that carry
// their names, the values being plain text.
func (s *scanner) function(i, at int) int {
	x := &xmlCall{s: s, from: i}
	name, at, ok := namedTag(s.s, at, functionTag)
	if !ok {
		return x.tagRefusal(at)
	}
	x.name = name
	if !s.knows(name) {
		end := s.elementEnd(at)
		if end == len(s.s) {
			s.nameWithin(at, end, form{from: i, source: dialectFunction}, &trouble{status: Malformed, reason: reasonUnfinished, problem: "the tags before it are not closed"})
		}
		return end
	}
	types := s.types(name)
	var out []byte
	seen := map[string]bool{}
	for {
		at = skipBlanks(s.s, at)
		if !strings.HasPrefix(s.s[at:], parameterTag) {
			break
		}
		key, from, ok := namedTag(s.s, at, parameterTag)
		if !ok {
			return x.tagRefusal(at)
		}
		value, next, ok := s.parameterText(from)
		if !ok {
			return x.tagRefusal(from)
		}
		if seen[key] {
			return x.source(Malformed, reasonDuplicate, "the parameter "+cutName(key)+" is given twice", next)
		}
		seen[key], at = true, next
		out = appendParameter(out, key, value, types[key])
	}
	end, whole := closeTags(s.s, at, 2)
	if !whole && (!s.normal || end == at) {
		return x.tagRefusal(at)
	}
	e := element{at: i, end: end}
	if !whole {
		e.repairs = []string{repairCloser}
	}
	object := "{" + string(out) + "}"
	if s.keep(Call{Tool: name, Arguments: json.RawMessage(object), Source: dialectFunction}, e) {
		s.consume(i, end)
	}
	return end
}

// tagRefusal refuses a call whose tags do not come to their end.
func (x *xmlCall) tagRefusal(at int) int {
	if !strings.Contains(x.s.s[at:], "</") || !x.s.normal {
		return x.source(Incomplete, reasonCut, "it ends before its tags are closed", len(x.s.s))
	}
	return x.source(Malformed, reasonUnfinished, "its tags are not closed", at)
}

func (x *xmlCall) source(status Status, reason, problem string, at int) int {
	end := x.s.elementEnd(at)
	if x.name != "" {
		problem = "a call of " + cutName(x.name) + " was understood, but " + problem
	}
	x.s.refuse(Refusal{Tool: cutName(x.name), Source: dialectFunction, Status: status, Reason: reason, Problem: problem}, x.from, end)
	return end
}

// namedTag reads an opening tag that carries a name behind its equals sign.
func namedTag(s string, i int, prefix string) (name string, end int, ok bool) {
	from := i + len(prefix)
	window := s[from:min(len(s), from+maxTag)]
	n := strings.IndexAny(window, "<>\n")
	if n < 0 || window[n] != '>' {
		return "", i, false
	}
	name = strings.Trim(strings.TrimSpace(window[:n]), `"'`)
	return name, from + n + 1, name != ""
}

const parameterCloser = "</parameter>"

// parameterText returns the text of a parameter; the line ends next to its
// tags are not part of it. ok is false when another one begins before it ends.
func (s *scanner) parameterText(i int) (value string, next int, ok bool) {
	at := s.parameterClosers.next(s.s, i)
	if at == len(s.s) || s.parameters.next(s.s, i) < at {
		return "", i, false
	}
	value = strings.TrimPrefix(strings.TrimPrefix(s.s[i:at], "\r"), "\n")
	return strings.TrimSuffix(strings.TrimSuffix(value, "\n"), "\r"), at + len(parameterCloser), true
}

// appendParameter appends a member. The value is a text unless the tool's
// description gives another type and the text is JSON.
func appendParameter(out []byte, key, value, kind string) []byte {
	if len(out) > 0 {
		out = append(out, ',')
	}
	out, _, _ = appendString(out, quoted{open: '"'}, strings.ReplaceAll(key, `\`, `\\`))
	out = append(out, ':')
	if raw := strings.TrimSpace(value); kind != "" && kind != "string" && json.Valid([]byte(raw)) {
		return append(out, raw...)
	}
	out, _, _ = appendString(out, quoted{open: '"'}, strings.ReplaceAll(value, `\`, `\\`))
	return out
}

// takesNothing reports whether a tool is known to take no arguments.
func (s *scanner) takesNothing(tool string) bool {
	at := slices.IndexFunc(s.known, func(t chat.ToolSpec) bool { return t.Name == tool })
	return at >= 0 && len(s.known[at].Parameters) > 0 && len(s.types(tool)) == 0
}

// types returns the types that a tool's description gives its parameters.
func (s *scanner) types(tool string) map[string]string {
	var schema struct {
		Properties map[string]struct {
			Type string `json:"type"`
		} `json:"properties"`
	}
	types := map[string]string{}
	at := slices.IndexFunc(s.known, func(t chat.ToolSpec) bool { return t.Name == tool })
	if at >= 0 && json.Unmarshal(s.known[at].Parameters, &schema) == nil {
		for name, p := range schema.Properties {
			types[name] = p.Type
		}
	}
	return types
}

// The tags of a section of calls.
const (
	sectionCall      = "<|tool_call_begin|>"
	sectionArguments = "<|tool_call_argument_begin|>"
	sectionEnd       = "<|tool_call_end|>"
)

// section reads a call between the special tokens of a section; ok is false
// when no known tool is named.
func (s *scanner) section(i int) (next int, ok bool) {
	from := i + len(sectionCall)
	window := s.s[from:min(len(s.s), from+maxTag)]
	n := strings.Index(window, sectionArguments)
	if n < 0 {
		return 0, false
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(window[:n]), "functions."), ":")
	at := skipBlanks(s.s, from+n+len(sectionArguments))
	if !s.knows(name) || at < len(s.s) && s.s[at] != '{' {
		return 0, false
	}
	x := &xmlCall{s: s, from: i, name: name}
	s.marker = marker{}
	_, end, f := strictObject(s.s, min(at, len(s.s)), 2)
	stop := skipBlanks(s.s, end)
	switch {
	case at >= len(s.s) || f == jsontext.FaultEnd:
		return x.section(Incomplete, reasonCut, "it ends inside its arguments", len(s.s)), true
	case f != jsontext.FaultNone:
		return x.section(Malformed, reasonSyntax, "its arguments are not JSON", len(s.s)), true
	case strings.HasPrefix(s.s[stop:], sectionEnd):
		stop += len(sectionEnd)
	case s.torn(end, true):
		return x.section(Malformed, reasonDoubtful, tornProblem, len(s.s)), true
	case !s.normal:
		return x.section(Incomplete, reasonCut, "the reply was cut before its closing tag", end), true
	default:
		stop, x.repairs = end, []string{repairCloser}
	}
	if s.keep(Call{Tool: name, Arguments: json.RawMessage(s.s[at:end]), Source: dialectSection}, element{at: i, end: stop, repairs: x.repairs}) {
		s.consume(i, stop)
	}
	return stop, true
}

func (x *xmlCall) section(status Status, reason, problem string, end int) int {
	x.s.refuse(Refusal{
		Tool: x.name, Source: dialectSection, Status: status, Reason: reason,
		Problem: "a call of " + x.name + " was understood, but " + problem,
	}, x.from, end)
	return end
}
