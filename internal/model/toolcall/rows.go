package toolcall

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// holes are what a text has for the words of a pattern.
type holes struct{ name, key, other string }

// match compares s[i:] with a pattern of a row. It returns where the last mark ends that
// fits, or the end of a text that ends within, and what is left of the pattern: nothing,
// if all of it fits.
func match(s string, i int, pattern string, h *holes) (end int, left string) {
	fits := i
	for left = pattern; left != ""; {
		c, size := utf8.DecodeRuneInString(left)
		if 'A' <= c && c <= 'Z' || c < utf8.RuneSelf && strings.IndexByte(`<>="[]()`+"`,", byte(c)) >= 0 {
			fits, i = i, SkipBlanks(s, i)
		}
		if i == len(s) {
			return i, left
		}
		var hole *string
		n, window := 0, s[i:min(len(s), i+MaxTag)]
		r, width := utf8.DecodeRuneInString(window)
		switch {
		case strings.HasPrefix(left, "NAME"):
			hole, size = &h.name, len("NAME")
			n = len(window) - len(strings.TrimLeftFunc(window, func(r rune) bool { return r == ':' || r == '.' || r < utf8.RuneSelf && nameByte(byte(r)) }))
		case strings.HasPrefix(left, "KEY"):
			hole, size = &h.key, len("KEY")
			if n = strings.IndexAny(window, "\"'<>=\n{}[]()"); n < 0 && len(window) < MaxTag {
				n = len(window)
			}
		case c == '…':
			hole, n = &h.other, untilMark(window, left[size:])
		case c == ' ':
			n = SkipBlanks(s, i) - i
		case r == c, c == '"' && r == '\'', c == '｜' && r == '|', c == '▁' && (r == '_' || r == ' '):
			n = width
		}
		switch {
		case n < 0 || n == 0 && c != '"' && c != '…' || hole == &h.key && r == '/':
			return fits, left
		case hole != nil:
			*hole = strings.TrimSpace(s[i : i+n])
		}
		if i += n; i == len(s) && hole != nil && len(left) > size {
			return i, left
		}
		left = left[size:]
	}
	return i, ""
}

// untilMark returns how long s is up to the mark that the pattern goes on with, or all
// of it without one; -1 when an object stands before it. Before the end of a tag stand
// attributes, and where no mark is to come at most one word.
func untilMark(s, pattern string) int {
	n := strings.Index(s, pattern)
	switch {
	case pattern == "":
		if n = strings.IndexByte(s, '{'); n < 0 || WordEnd(s, SkipBlanks(s, 0)) < len(strings.TrimRight(s[:n], " \t\r\n")) {
			return 0
		}
		return n
	case n < 0:
		n = len(s)
	}
	attributes := pattern[0] == '>' && n > 0
	if n == MaxTag || strings.IndexByte(s[:n], '{') >= 0 || attributes && (s[0] != ' ' && s[0] != '\n' || strings.IndexByte(s[:n], '<') >= 0) {
		return -1
	}
	return n
}

// row reads a call that begins as a row of the table says, with the trigger among its
// first marks at i. It returns where to go on, 0 when no call begins there.
func (s *scanner) row(i int) (end int) {
	var begun, passed *tagCall
	if s.s[i] == '{' || s.s[i] == '_' { // no row begins so
		return 0
	}
	for _, f := range families() {
		from := i - f.trigger
		if from < 0 || f.call[f.trigger] != s.s[i] || !strings.HasPrefix(s.s[from:], f.prefix) {
			continue
		}
		var h holes
		at, left := match(s.s, from, f.call, &h)
		if left != "" && (at < len(s.s) || !f.named) {
			continue
		}
		x := s.begin(f, from, h.name)
		switch {
		case x.from < 0:
		case left == "":
			if end = x.read(at); x.name != "" && (end == 0 || !x.isCall) {
				passed = cmp.Or(passed, x)
			}
			if end > 0 {
				s.pass(passed)
				return end
			}
			if begun == nil && f.open != "" && x.meant(at) {
				x.at, begun = at, x
			}
		case x.isCall || s.beginsName(x.name) || h.name == "" && x.around != "":
			x.isCall = true
			return x.refuse(ReasonCut, problemUnbegun, at)
		}
	}
	if begun == nil {
		s.pass(passed)
		return 0
	}
	return begun.broken(begun.at, begun.family.open)
}

// pass notes marks that call nothing, and why.
func (s *scanner) pass(x *tagCall) {
	if x == nil || len(s.passed) == MaxCalls {
		return
	}
	why := "what follows the name begins no arguments"
	switch {
	case !s.offers(x.name):
		why = "no known tool is named " + cutName(x.name)
	case !x.isCall:
		why = "it is quoted"
	}
	s.passed = append(s.passed, Explanation{x.from, x.source, "text", why})
}

// begin returns a call of that name, which begins before the marks around it. From is
// -1 where it can be none: in the middle of a line, without marks of its own.
func (s *scanner) begin(f *family, from int, name string) *tagCall {
	x := &tagCall{s: s, from: from, source: f.source, family: f, name: name}
	if bare, _, numbered := strings.Cut(strings.TrimPrefix(name, "functions."), ":"); !s.offers(name) {
		x.name = bare
		if numbered {
			x.id = name
		}
	}
	for k := 0; k < len(f.around); k++ {
		if before, is := strings.CutSuffix(strings.TrimRight(s.s[:x.from], " \t\r\n"), f.around[k][0]); is {
			x.from, x.around, k = len(before), cmp.Or(x.around, f.around[k][1]), -1
		}
	}
	before := strings.TrimRight(s.s[:x.from], " \t")
	bare := nameByte(s.s[x.from]) || f.end == ")]" && s.s[x.from] == '['
	if bare && before != "" && !strings.HasSuffix(before, "\n") && !strings.HasPrefix(s.s[x.from:], "assistant") {
		x.from = -1
		return x
	}
	quoted := x.from > 0 && strings.IndexByte("\"'`", s.s[x.from-1]) >= 0 && !strings.HasSuffix(before, "```")
	x.isCall = s.offers(x.name) && !quoted
	return x
}

// read reads what follows the name.
func (x *tagCall) read(at int) (end int) {
	text, f := x.s.s, x.family
	next := SkipBlanks(text, at)
	switch {
	case f.end == ")]":
		return x.python(at)
	case f.open != "":
		return x.pairs(at)
	case f.named && strings.HasPrefix(text[next:], "```"):
		next = SkipBlanks(text, WordEnd(text, next+len("```")))
	}
	switch {
	case next == len(text) && x.isCall:
		return x.refuse(ReasonCut, problemInside, next)
	case next == len(text) || text[next] != '{' && (f.named || f.end != "" || text[next] != '['):
		return 0
	case f.named:
		return x.arguments(next)
	case f.end == "":
		return x.s.candidate(next, x.from, x.source)
	}
	x.isCall = true
	return x.hermes(next)
}

// opens matches the marks before the value of an argument. Those that have nothing but
// its key count only for keys of the tool.
func (x *tagCall) opens(at int, h *holes) (end int, left string) {
	end, left = match(x.s.s, at, x.family.open, h)
	if _, known := x.types[h.key]; left == "" && !known && strings.HasSuffix(x.family.open, "<KEY>") {
		return at, x.family.open
	}
	return end, left
}

// ends matches the end of the call, or the mark that closes those around it.
func (x *tagCall) ends(at int) (end int, left string) {
	if end, left = match(x.s.s, at, x.family.end, &holes{}); left != "" && x.around != "" {
		if _, missing := match(x.s.s, at, x.around, &holes{}); missing == "" {
			return at, ""
		}
	}
	return end, left
}

// pairs reads arguments in marks of their own, each with its key.
func (x *tagCall) pairs(at int) int {
	text := x.s.s
	x.types = x.s.types(x.name)
	var out []byte
	twice, seen := false, map[string]bool{}
	for {
		var h holes
		value, left := x.opens(at, &h)
		if left == "" {
			end, next, problem := x.value(value, h.key)
			switch {
			case problem == "cut":
				return x.refuse(ReasonCut, "it ends inside "+cutName(h.key), len(text))
			case problem != "":
				return x.broken(next, problem)
			}
			isText, known := x.types[h.key]
			argument := text[value:end]
			if bare, lines := strings.CutPrefix(strings.TrimPrefix(argument, "\r"), "\n"); lines || x.family.lines {
				argument = strings.TrimSuffix(strings.TrimSuffix(bare, "\n"), "\r")
			}
			out = appendArgument(out, h, argument, isText || !known)
			twice, seen[h.key], at = twice || seen[h.key], true, next
			continue
		}
		end, missing := x.ends(at)
		unfit := strings.Contains(left, "KEY") || left[0] != '<' // it is no argument, rather than half of one
		switch {
		case missing == "" && twice && x.isCall:
			x.s.refuse(Refusal{Tool: x.name, Source: x.source, Reason: reasonDuplicate, Problem: "an argument is given twice"}, x.from, end)
			return end
		case missing == "":
			return x.add("{"+strings.TrimPrefix(string(out), ",")+"}", end, end > at)
		case value == len(text) || end == len(text):
			return x.refuse(ReasonCut, "it ends before its marks are closed", len(text))
		case unfit && len(out) == 0:
			return 0
		case unfit:
			left = x.family.end
		}
		return x.broken(max(at, value), left)
	}
}

// value reads the value of an argument: up to the mark that closes it, if another
// argument or the end of the call follows. It returns where the value ends and what
// follows begins, or the mark that is missing.
func (x *tagCall) value(i int, key string) (end, next int, missing string) {
	text, closer, ended := x.s.s, strings.ReplaceAll(x.family.closer, "KEY", key), false
	for ; ; i++ {
		n := strings.IndexByte(text[i:], closer[0])
		switch {
		case n < 0 && ended:
			return i, i, closer
		case n < 0:
			return i, i, "cut"
		}
		i += n
		var other holes
		if _, left := x.opens(i, &other); left == "" {
			return i, i, closer
		}
		next, left := match(text, i, closer, &other)
		if left != "" {
			_, left := match(text, i, x.family.end, &other)
			ended = ended || left == ""
			continue
		}
		_, another := x.opens(next, &other)
		if last, left := x.ends(next); another == "" || left == "" || last == len(text) {
			return i, next, ""
		}
	}
}

// broken refuses a call in which a mark is missing.
func (x *tagCall) broken(at int, pattern string) int {
	if end := strings.IndexByte(pattern[1:], '<'); end > 0 {
		pattern = pattern[:end+1]
	}
	return x.refuse(ReasonUnfinished, "this is missing: "+pattern, at)
}

// meant reports whether a call whose first marks end at a place was meant, though no
// argument follows: a tag does, or the end of an argument. The first key may be part of
// the name then.
func (x *tagCall) meant(at int) bool {
	if !x.isCall && x.s.offers(x.name) { // it is quoted
		return false
	}
	text := x.s.s[at:min(len(x.s.s), at+MaxTag)]
	for _, closer := range strings.SplitAfter(x.family.open+x.family.closer, ">") {
		if n := strings.Index(closer, "</"); n >= 0 && strings.Contains(text, closer[n:]) {
			x.isCall = x.isCall || slices.ContainsFunc(x.s.offered, func(t chat.ToolSpec) bool { return strings.HasPrefix(x.name, t.Name) })
			return true
		}
	}
	next := strings.TrimLeft(text, " \t\r\n")
	return strings.HasSuffix(x.family.call, ">") && (strings.HasPrefix(next, "<") || strings.HasPrefix(next, "]<]"))
}

// closers goes over the marks that close those around calls.
func (f *family) closers(s string, end int) (_ int, closed bool) {
	for k := 0; k < len(f.around); k++ {
		if at := SkipBlanks(s, end); f.around[k][1] != "" && strings.HasPrefix(s[at:], f.around[k][1]) {
			end, closed, k = at+len(f.around[k][1]), true, -1
		}
	}
	return end, closed
}
