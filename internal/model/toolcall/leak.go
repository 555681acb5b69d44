package toolcall

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
)

// SourceLeaked is the source of a call whose markup is in the text in no form that
// is read, and ReasonLeaked the reason for refusing it.
const (
	SourceLeaked = "leaked"
	ReasonLeaked = "leaked_tool_call"
)

// Leaked returns a refusal of the first call to a known tool whose markup is in
// the text, outside of quoting and reasoning, whether or not Parse reads it; none
// without one. It knows shapes, not formats: the name of the tool, a marker
// in brackets close to it, and what begins arguments behind it.
func Leaked(text string, tools []chat.ToolSpec) []Refusal {
	s := newScanner(text[:min(len(text), MaxBytes)], Options{Tools: tools, FinishReason: chat.FinishStop})
	s.scan()
	s.leak()
	if n := strings.Index(text, "&lt;"); n >= 0 && len(s.refused) == 0 {
		for _, r := range Leaked(strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`).Replace(text), tools) {
			r.Offset, r.Text = n, text[n:]
			s.refused = append(s.refused, r)
		}
	}
	return s.refused
}

// leak refuses the first call whose markup is in the text: one of a known form, one around
// the name of a tool, or at last a whole call of a tool that is not known. Each place where
// a name stands costs a look at a bounded part of the text.
func (s *scanner) leak() {
	found := s.refused
	for _, c := range s.calls {
		found = append(found, Refusal{Tool: c.Tool, Source: c.Source, Offset: c.Offset})
	}
	found = slices.DeleteFunc(found, func(r Refusal) bool {
		return !s.offers(r.Tool) || !isFamily(r.Source)
	})
	s.refused = nil
	parts := s.unquoted()
	for _, p := range parts {
		for _, r := range found[:min(len(found), MaxCalls)] {
			if p.from <= r.Offset && r.Offset < p.to && !quotes(s.s[p.from:r.Offset]) {
				s.leaked(r.Tool, r.Offset, p.to)
				return
			}
		}
	}
	for _, p := range parts {
		text := s.s[p.from:p.to]
		for _, at := range toolName().FindAllStringIndex(text, -1) {
			m := mention{text, at[0], at[1]}
			if !s.offers(m.name()) {
				continue
			}
			if from := m.marker(); from >= 0 && !s.isData(p.from+from) {
				s.leaked(m.name(), p.from+from, p.to)
				return
			}
		}
	}
	u := s.unknown
	for _, p := range parts {
		if u.to > 0 && p.from <= u.from && u.from < p.to && !quotes(s.s[p.from:u.from]) && onlyMarks().MatchString(s.s[u.to:]) {
			s.leaked(u.tool, u.from, p.to)
			return
		}
	}
}

// onlyMarks matches the end of a text behind a call: closing marks.
var onlyMarks = lazyregexp.New(`^(?:[\s\]]|<[^>]*>)*$`)

// leaked refuses what stands from one place to another as markup of a call.
func (s *scanner) leaked(tool string, from, to int) {
	const problem = "it is in the text in a form that is not read as a call"
	s.refuse(Refusal{Tool: tool, Source: SourceLeaked, Reason: ReasonLeaked, Problem: problem}, from, to)
}

// Parts of regular expressions: a rune of a word, one of the name of a marker, the start of
// a special token, and what the name of a marker of calls holds.
const (
	inWord  = `[\w$.\-[:^ascii:]]`
	inName  = `[\w\-:.[:^ascii:]]`
	special = `<[|｜]` + inName
	called  = `(?:` + inName + `*[\d_\-:.[:^ascii:]])?(?i:tool|call|func|invo|action|plugin|arg|param)`
)

var (
	toolName = lazyregexp.New(`[\w\-]+`)
	word     = lazyregexp.New(`[\w\-[:^ascii:]]+`)
	// opener matches a bracket and the name in it, callOpener one that is about calls.
	opener     = lazyregexp.New(`^(?:<[|｜]?|[^<])` + inName + `+`)
	callOpener = lazyregexp.New(`^(?:` + special + `|(?s:.)` + called + `)`)
	// The others match what stands right behind the name of a tool: the rest of a tag that
	// has attributes or something in it, a marker of calls, the list of the arguments, and
	// a number.
	restOfTag  = lazyregexp.New(`^(?:>\s*(?:\{|<[|a-zA-Z[:^ascii:]])|\s+` + inWord + `+=)`)
	nextMarker = lazyregexp.New(`^(?:\s*(?:` + special + `|<` + called + `)|\[` + called + `[^\]{]*\]? *\{)`)
	opensList  = lazyregexp.New(`^` + inWord + `*[(\[]`)
	number     = lazyregexp.New(`^:\d`)
	// These match behind separators: what can be arguments, what can be if the name is in
	// the marker, and what can be nothing else.
	arguments = lazyregexp.New(`^(?:\{|<[|a-zA-Z[:^ascii:]]|(?:` + strings.Join(ArgumentsKeys(), "|") + `)(?:[^\w$.\-[:^ascii:]]|$)|` +
		inWord + `+[ \r\n"':]*(?:\{"|\{\}|=|<[|｜]))`)
	argumentsAtOnce = lazyregexp.New(`^(?:$|</|` + inWord + `+:)`)
	wholeArguments  = lazyregexp.New(`^(?:\{\s*")`)
)

// isData reports whether the place at is inside of JSON that is no call.
func (s *scanner) isData(at int) bool {
	n := sort.Search(len(s.data), func(k int) bool { return s.data[k].to > at })
	return n < len(s.data) && s.data[n].from < at
}

// mention is a place where the name of a known tool stands.
type mention struct {
	text     string
	from, to int
}

func (m mention) name() string { return m.text[m.from:m.to] }

// Bounds of what is looked at around a name.
const (
	maxAround   = 160
	maxWords    = 3 // between a marker and the name
	maxBrackets = 6
)

// marker returns where the markup of the call begins that the name is part of,
// -1 when it is just a name.
func (m mention) marker() int {
	low := max(0, m.from-maxAround)
	before, behind := m.text[low:m.from], m.text[m.to:min(len(m.text), m.to+maxAround)]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	at := SkipAny(m.text, m.to, " \t\r\n\"'`:,=>|]/0123456789")
	after := m.text[at:min(len(m.text), at+MaxKey)]
	hasArguments := func() bool { return opensList().MatchString(behind) || arguments().MatchString(after) }
	switch {
	case strings.HasSuffix(before, "<") && !quotes(before[:len(before)-1]) &&
		(restOfTag().MatchString(behind) || strings.HasPrefix(strings.TrimLeft(behind, "> \t\r\n"), "</"+m.name())):
		return m.from - 1
	case strings.TrimLeft(line, "* ") == "Action: " && strings.HasPrefix(after, "Action Input"):
		return m.from - len(line)
	case strings.TrimLeft(line, " ") == "" && !quotes(before) && nextMarker().MatchString(behind):
		return m.from
	case strings.HasSuffix(line, "functions.") && (words(line) <= maxWords || m.isLast()) && !quotes(before[:len(before)-len(line)]) &&
		(strings.HasSuffix(line, "to=functions.") || number().MatchString(behind)) && hasArguments():
		return m.from - len(line)
	}
	for p, n, looks := len(before), 0, 0; n <= maxWords && looks < maxBrackets; looks++ {
		k := strings.LastIndexFunc(before[:p], opensBracket)
		if k < 0 {
			break
		}
		length := bracket(before[k:p])
		n += words(before[k+length : p])
		if n > 0 && (before[k] == '[' && strings.HasSuffix(before[:k+length], "]") || strings.Contains(before[k:], "\n\n")) {
			break
		}
		begins := func() bool { return n == 0 && argumentsAtOnce().MatchString(after) || hasArguments() }
		if n <= maxWords && !quotes(before[:k]) &&
			(callOpener().MatchString(before[k:p]) && begins() || length > 0 && n == 0 && wholeArguments().MatchString(after)) {
			return low + k
		}
		p = k
	}
	return -1
}

// quotes reports whether what follows s is quoted: behind a quote, in a quotation or
// in a block of code that is indented.
func quotes(s string) bool {
	line := s[strings.LastIndexByte(s, '\n')+1:]
	bare := strings.TrimLeft(line, " ")
	return strings.HasPrefix(bare, "> ") || bare == "" && len(line) >= 4 || strings.HasPrefix(line, "\t") || s != "" && strings.IndexByte(`"'`, s[len(s)-1]) >= 0
}

// opensBracket reports whether a marker can begin with r.
func opensBracket(r rune) bool {
	return r == '<' || r == '[' || r == '`' || r >= utf8.RuneSelf && r != '｜' && r != '▁' && unicode.In(r, unicode.Ps, unicode.So, unicode.Sm)
}

// closers end the brackets that can have more than a name in them.
var closers = map[byte]string{'<': ">", '[': "]", '`': "\n"}

// bracket returns the length of the bracket that s begins with: to its closer, or to the
// end when that is behind the name of the tool; 0 for none.
func bracket(s string) int {
	name := opener().FindString(s)
	closed := strings.Index(s, closers[s[0]])
	switch {
	case name == "" && s == "[":
		return 1
	case name != "" && closed > 0:
		return closed + 1
	case name != "" && s[0] == '<':
		return len(s) // the name stands in the tag
	}
	return len(name) // what follows the first word is text
}

// words counts the words of a text, up to one too many.
func words(s string) int { return len(word().FindAllStringIndex(s, maxWords+1)) }

// isLast reports whether the text ends with an object.
func (m mention) isLast() bool {
	return strings.HasSuffix(strings.TrimRight(m.text, " \r\n"), "}")
}

// unquoted returns the parts of the text that are neither reasoning nor quoted:
// without inline code and, where there is text outside of them, fences.
func (s *scanner) unquoted() (parts []span) {
	var fences []span
	from := 0
	for _, t := range append(s.thoughts, span{len(s.s), len(s.s)}) {
		if t.from >= from {
			text, quoted := s.fences(span{from, t.from})
			parts, fences = append(parts, text...), append(fences, quoted...)
		}
		from = max(from, t.to)
	}
	if len(fences) > 0 && !slices.ContainsFunc(parts, func(p span) bool { return word().MatchString(s.s[p.from:p.to]) }) {
		return fences
	}
	var all []span
	for _, p := range parts {
		all = append(all, s.withoutCode(p)...)
	}
	return all
}

// fences splits a part of the text into that in fences, with their first and
// last lines, and the other.
func (s *scanner) fences(p span) (text, fences []span) {
	fence, from := "", p.from
	for i := p.from; i < p.to; {
		end := p.to
		if n := strings.IndexByte(s.s[i:p.to], '\n'); n >= 0 {
			end = i + n + 1
		}
		line := strings.TrimSpace(s.s[i:end])
		run := line[:len(line)-len(strings.TrimLeft(line, line[:min(1, len(line))]))]
		switch {
		case fence == "" && len(run) >= 3 && strings.IndexByte("`~", run[0]) >= 0 && strings.IndexByte(line[len(run):], '`') < 0:
			text, fence, from = append(text, span{from, i}), run, i
		case fence != "" && run == line && strings.HasPrefix(run, fence):
			fences, fence, from = append(fences, span{from, end}), "", end
		}
		i = end
	}
	if fence != "" {
		return text, append(fences, span{from, p.to})
	}
	return append(text, span{from, p.to}), fences
}

// codeMark matches what inline code begins or ends with, and what it cannot go over.
var codeMark = lazyregexp.New("`+|\n\n")

// withoutCode splits a part of the text at its inline code: what stands between two runs
// of as many backquotes in a paragraph.
func (s *scanner) withoutCode(p span) (parts []span) {
	marks := codeMark().FindAllStringIndex(s.s[p.from:p.to], -1)
	closers, next := make([]int, len(marks)), map[int]int{}
	for k, m := range slices.Backward(marks) {
		if s.s[p.from+m[0]] == '\n' {
			clear(next)
			continue
		}
		closers[k], next[m[1]-m[0]] = next[m[1]-m[0]], k
	}
	from := p.from
	for k := 0; k < len(marks); k++ {
		if closers[k] > 0 {
			parts = append(parts, span{from, p.from + marks[k][0]})
			k = closers[k]
			from = p.from + marks[k][1]
		}
	}
	return append(parts, span{from, p.to})
}
