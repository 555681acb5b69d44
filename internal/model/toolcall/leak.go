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

// leak refuses the first call whose markup is in the text. Each place where a name
// stands costs a look at a bounded part of the text.
func (s *scanner) leak() {
	found := s.refused
	for _, c := range s.calls {
		found = append(found, Refusal{Tool: c.Tool, Source: c.Source, Offset: c.Offset})
	}
	found = slices.DeleteFunc(found, func(r Refusal) bool {
		return !s.offers(r.Tool) || !isFamily(r.Source)
	})
	s.refused = nil
	for _, p := range s.unquoted() {
		for _, r := range found[:min(len(found), MaxCalls)] {
			if p.from <= r.Offset && r.Offset < p.to && !quotes(s.s[p.from:r.Offset]) {
				s.leaked(r.Tool, r.Offset, p.to)
				return
			}
		}
	}
	names := map[string]bool{}
	for _, t := range s.offered {
		names[t.Name] = true
	}
	for _, p := range s.unquoted() {
		for i := p.from; i < p.to; i++ {
			if !nameByte[s.s[i]] {
				continue
			}
			end := i + 1
			for end < p.to && nameByte[s.s[end]] {
				end++
			}
			if names[s.s[i:end]] {
				m := mention{text: s.s[p.from:p.to], from: i - p.from, to: end - p.from}
				if at := m.marker(); at >= 0 && !s.isData(p.from+at) {
					s.leaked(s.s[i:end], p.from+at, p.to)
					return
				}
			}
			i = end
		}
	}
	u := s.unknown
	for _, p := range s.unquoted() {
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

// nameByte reports which bytes names of tools are made of.
var nameByte = func() (is [256]bool) {
	for c := range is {
		is[c] = isLetter(byte(c)) || '0' <= c && c <= '9' || c == '_' || c == '-'
	}
	return is
}()

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

// Bounds of what is looked at around a name.
const (
	maxBefore   = 160
	maxWords    = 3 // between a marker and the name
	maxBrackets = 6
)

// marker returns where the markup of the call begins that the name is part of,
// -1 when it is just a name.
func (m mention) marker() int {
	if !m.mayBegin() {
		return -1
	}
	low := max(0, m.from-maxBefore)
	before := m.text[low:m.from]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	switch {
	case strings.HasSuffix(before, "<") && !quotes(before[:len(before)-1]) && m.opensElement():
		return m.from - 1
	case strings.TrimLeft(line, "* ") == "Action: " && strings.HasPrefix(m.after(), "Action Input"):
		return m.from - len(line)
	case strings.TrimLeft(line, " ") == "" && !quotes(before) && m.tokenFollows():
		return m.from
	case strings.HasSuffix(line, "functions.") && (words(line) <= maxWords || m.isLast()) && !quotes(before[:len(before)-len(line)]) &&
		(strings.HasSuffix(line, "to=functions.") || m.numbered()) && m.arguments(1):
		return m.from - len(line)
	}
	for p, n, looks := len(before), 0, 0; n <= maxWords && looks < maxBrackets; looks++ {
		k := strings.LastIndexFunc(before[:p], opensBracket)
		if k < 0 {
			break
		}
		b := readBracket(before[k:p])
		n += words(before[k+b.length : p])
		if n > 0 && (before[k] == '[' && strings.HasSuffix(before[:k+b.length], "]") || strings.Contains(before[k:], "\n\n")) {
			break
		}
		if n <= maxWords && !quotes(before[:k]) && (b.isToken && m.arguments(n) || b.length > 0 && n == 0 && m.wholeArguments()) {
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

// bracket is what a bracket opens: a tag, a token, the opener of a fence.
type bracket struct {
	length  int  // with its closer, to the end when that is behind the name; 0 for none
	isToken bool // it is a special token, or its name is about calls
}

// stems begin words in the names of markers of calls.
var stems = []string{"tool", "call", "func", "invo", "action", "plugin", "arg", "param"}

// readBracket reads the bracket that s begins with.
func readBracket(s string) bracket {
	_, size := utf8.DecodeRuneInString(s)
	body, b := s[size:], bracket{}
	if s[0] == '<' {
		bare := strings.TrimPrefix(strings.TrimPrefix(body, "|"), "｜")
		b.isToken, body = bare != body, bare
	}
	name := body[:len(body)-len(strings.TrimLeftFunc(body, isNameRune))]
	if name == "" {
		if s == "[" {
			b.length = 1
		}
		return bracket{length: b.length}
	}
	for i := range name {
		b.isToken = b.isToken || (i == 0 || !isLetter(name[i-1])) && slices.ContainsFunc(stems, func(stem string) bool {
			return len(name)-i >= len(stem) && strings.EqualFold(name[i:i+len(stem)], stem)
		})
	}
	closer := byte('>')
	switch s[0] {
	case '[':
		closer = ']'
	case '`':
		closer = '\n'
	}
	switch n := strings.IndexByte(s, closer); {
	case n >= 0:
		b.length = n + 1
	case s[0] == '<':
		b.length = len(s) // the name stands in the tag
	default:
		b.length = len(s) - len(body) + len(name) // what follows the first word is text
	}
	return b
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isNameRune reports which runes are part of the name of a marker.
func isNameRune(r rune) bool {
	return r >= utf8.RuneSelf || nameByte[r] || r == ':' || r == '.'
}

// words counts the words of a text.
func words(s string) (n int) {
	in := false
	for i := range len(s) {
		is := nameByte[s[i]] || s[i] >= utf8.RuneSelf
		if is && !in {
			n++
		}
		in = is
	}
	return n
}

// after returns the little that stands behind the name, closers and separators
// aside.
func (m mention) after() string {
	at := SkipAny(m.text, m.to, " \t\r\n\"'`:,=>|]/0123456789")
	return m.text[at:min(len(m.text), at+MaxKey)]
}

// arguments reports whether something begins behind the name that can be its
// arguments, n words being between the name and its marker.
func (m mention) arguments(n int) bool {
	rest := m.after()
	if rest == "" {
		return n == 0
	}
	switch {
	case m.opensList(), rest[0] == '{':
		return true
	case opensTag(rest):
		return n == 0 || rest[1] != '/'
	}
	word := rest[:WordEnd(rest, 0)]
	rest = rest[len(word):]
	if n == 0 && word != "" && strings.HasPrefix(rest, ":") {
		return true
	}
	rest = strings.TrimLeft(rest, " \r\n\"':")
	return IsArgumentsKey(word) || word != "" &&
		slices.ContainsFunc([]string{"{\"", "{}", "=", "<|", "<｜"}, func(next string) bool { return strings.HasPrefix(rest, next) })
}

// opensList reports whether a bracket of another kind is right behind the name,
// or behind that of a method.
func (m mention) opensList() bool {
	end := WordEnd(m.text[:min(len(m.text), m.to+MaxKey)], m.to)
	return end < len(m.text) && (m.text[end] == '(' || m.text[end] == '[')
}

// mayBegin reports whether arguments could begin behind the name, at little cost.
func (m mention) mayBegin() bool {
	next := m.text[m.to:min(len(m.text), m.to+MaxKey)]
	return len(next) < MaxKey || strings.ContainsAny(next, "{([<=") || strings.Contains(next, "｜")
}

// wholeArguments reports whether what follows the name can be nothing but its
// arguments: an object with a key.
func (m mention) wholeArguments() bool {
	key, ok := strings.CutPrefix(m.after(), "{")
	return ok && strings.HasPrefix(strings.TrimLeft(key, " \n"), `"`)
}

// opensTag reports whether s begins with a tag or a special token.
func opensTag(s string) bool {
	return len(s) > 1 && s[0] == '<' && (s[1] == '/' || s[1] == '|' || s[1] >= utf8.RuneSelf || 'a' <= s[1]|0x20 && s[1]|0x20 <= 'z')
}

// opensElement reports whether the name is that of a tag, with attributes or
// with something in it.
func (m mention) opensElement() bool {
	rest, whole := strings.CutPrefix(m.text[m.to:min(len(m.text), m.to+maxBefore)], ">")
	bare := strings.TrimLeft(rest, " \t\r\n")
	if whole {
		closes := strings.HasPrefix(bare, "</")
		return strings.HasPrefix(bare, "{") || opensTag(bare) && (!closes || strings.HasPrefix(bare[2:], m.text[m.from:m.to]))
	}
	end := WordEnd(bare, 0)
	return bare != rest && end > 0 && strings.HasPrefix(bare[end:], "=")
}

// tokenFollows reports whether a special token, or a tag about calls, stands
// right behind the name.
func (m mention) tokenFollows() bool {
	rest := strings.TrimLeft(m.text[m.to:min(len(m.text), m.to+maxBefore)], " \t\r\n")
	if strings.HasPrefix(m.text[m.to:], "[") {
		b := readBracket(rest)
		return b.isToken && b.length < len(rest) && strings.HasPrefix(strings.TrimLeft(rest[b.length:], " "), "{")
	}
	return opensTag(rest) && rest[1] != '/' && readBracket(rest).isToken
}

// isLast reports whether the text ends with an object.
func (m mention) isLast() bool {
	return strings.HasSuffix(strings.TrimRight(m.text, " \r\n"), "}")
}

// numbered reports whether a colon and a number stand behind the name.
func (m mention) numbered() bool {
	rest := m.text[m.to:]
	return len(rest) > 1 && rest[0] == ':' && '0' <= rest[1] && rest[1] <= '9'
}

// unquoted returns the parts of the text that are neither reasoning nor quoted:
// without inline code and, where there is text outside of them, fences.
func (s *scanner) unquoted() (parts []span) {
	var fences []span
	from, prose := 0, false
	for _, t := range append(s.thoughts, span{len(s.s), len(s.s)}) {
		if t.from >= from {
			text, quoted := s.fences(span{from, t.from})
			parts, fences = append(parts, text...), append(fences, quoted...)
		}
		from = max(from, t.to)
	}
	if len(fences) > 0 {
		prose = slices.ContainsFunc(parts, func(p span) bool { return words(s.s[p.from:p.to]) > 0 })
	}
	if !prose && len(fences) > 0 {
		return fences
	}
	if strings.IndexByte(s.s, '`') < 0 {
		return parts
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

// withoutCode splits a part of the text at its inline code. A run of backquotes
// is searched for no more than once in a paragraph that lacks another one.
func (s *scanner) withoutCode(p span) (parts []span) {
	var none [MaxKey]int // up to here there is no other run of that length
	var paragraphs Finder
	from := p.from
	for i := p.from; i < p.to; {
		n := strings.IndexByte(s.s[i:p.to], '`')
		if n < 0 {
			break
		}
		open := i + n
		i = runEnd(s.s, open, p.to)
		size := i - open
		if size >= len(none) || i < none[size] {
			continue
		}
		end := min(p.to, paragraphs.Next(s.s, "\n\n", i))
		none[size] = end
		for at := i; at < end; {
			n := strings.IndexByte(s.s[at:end], '`')
			if n < 0 {
				break
			}
			closer := at + n
			if at = runEnd(s.s, closer, end); at-closer == size {
				parts, from, i, none[size] = append(parts, span{from, open}), at, at, 0
				break
			}
		}
	}
	return append(parts, span{from, p.to})
}

// runEnd returns where the backquotes at s[i] end, up to a place.
func runEnd(s string, i, to int) int {
	for i < to && s[i] == '`' {
		i++
	}
	return i
}
