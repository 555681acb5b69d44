package toolcall

import (
	"cmp"
	"strings"
	"unicode/utf8"
)

// noise is a token that MiniMax M3 puts before each mark, and namespace what may stand
// before the name of a tag.
const (
	noise     = "]<]minimax[>["
	namespace = "antml:"
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
		if 'A' <= c && c <= 'Z' || strings.ContainsRune(`<>="[]()`+"`,", c) {
			fits, i = i, skipNoise(s, i)
		}
		var hole *string
		n := 0
		switch window := s[i:min(len(s), i+MaxTag)]; {
		case strings.HasPrefix(left, "NAME"):
			for hole, size = &h.name, len("NAME"); i+n < len(s) && (nameByte[s[i+n]] || s[i+n] == '.' || s[i+n] == ':'); {
				n++
			}
		case strings.HasPrefix(left, "KEY"):
			if hole, size, n = &h.key, len("KEY"), strings.IndexAny(window, "\"'<>=\n{}[]()"); n < 0 && len(window) < MaxTag {
				n = len(window)
			}
		case c == '…':
			hole, n = &h.other, untilMark(window, left[size:])
		case c == ' ':
			n = SkipBlanks(s, i) - i
		case c == '"':
			n = -size
			if strings.HasPrefix(window, `"`) || strings.HasPrefix(window, "'") {
				n = 1
			}
		case window != "":
			r, width := utf8.DecodeRuneInString(window)
			if r == c || c == '｜' && r == '|' || c == '▁' && r == '_' {
				n = width
			}
			if c == '<' || c == '/' {
				n += len(window[n:]) - len(strings.TrimPrefix(window[n:], namespace))
			}
		}
		switch {
		case i == len(s):
			return i, left
		case hole != nil && n >= 0:
			*hole = strings.TrimSpace(s[i : i+n])
		}
		if n < 0 && c != '"' || n == 0 && c != '…' || hole != nil && strings.HasPrefix(*hole, "/") && c == 'K' {
			return fits, left
		}
		if i += max(n, 0); i == len(s) && hole != nil && len(left) > size {
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

// skipNoise goes over blanks and tokens that mean nothing.
func skipNoise(s string, i int) int {
	for {
		i = SkipBlanks(s, i)
		if !strings.HasPrefix(s[i:], noise) {
			return i
		}
		i += len(noise)
	}
}

// row reads a call that begins as a row of the table says, with the trigger among its
// first marks at i. It returns where to go on, 0 when no call begins there.
func (s *scanner) row(i int) (end int) {
	var begun *tagCall
	for _, f := range families() {
		trigger := strings.IndexAny(f.call, triggers)
		from := i - trigger
		if from < 0 || f.call[trigger] != s.s[i] {
			continue
		}
		var h holes
		at, left := match(s.s, from, f.call, &h)
		if left != "" && (at < len(s.s) || !strings.Contains(f.call, "NAME")) {
			continue
		}
		x := s.begin(f, from, h.name)
		switch {
		case x.from < 0:
		case left == "":
			if end := x.read(at); end > 0 {
				return end
			}
			if f.argument != "" && x.mayBeBroken(at) {
				x.at, begun = at, x
			}
		case x.isCall || s.beginsName(x.name) || h.name == "" && x.around != "":
			x.isCall = true
			return x.refuse(ReasonCut, problemUnbegun, at)
		}
	}
	if begun == nil {
		return 0
	}
	return begun.broken(begun.at, begun.family.argument)
}

// begin returns a call of that name, which begins before the marks around it. From is
// -1 where it can be none: such as in the middle of a line, without marks of its own.
func (s *scanner) begin(f *family, from int, name string) *tagCall {
	x := &tagCall{s: s, from: from, source: f.source, family: f, name: name}
	if !s.offers(name) {
		var numbered bool
		if x.name, _, numbered = strings.Cut(strings.TrimPrefix(name, "functions."), ":"); numbered {
			x.id = name
		}
	}
	for again := true; again; {
		again = false
		before := trimNoise(s.s[:x.from])
		for _, marks := range f.around {
			if marks[0] != "" && strings.HasSuffix(before, marks[0]) {
				x.from, x.around, again = len(before)-len(marks[0]), cmp.Or(x.around, marks[1]), true
				break
			}
		}
	}
	x.from = len(strings.TrimSuffix(s.s[:x.from], noise))
	before := strings.TrimRight(s.s[:x.from], " \t")
	quoted := x.from > 0 && strings.IndexByte("\"'`", s.s[x.from-1]) >= 0 && !strings.HasSuffix(before, "```")
	x.isCall = s.offers(x.name) && !quoted
	switch bare := nameByte[s.s[x.from]] || s.s[x.from] == '[' && f.argument != ""; {
	case bare && before != "" && !strings.HasSuffix(before, "\n") && !strings.HasPrefix(s.s[x.from:], "assistant"):
		x.from = -1
	case quoted || !s.offers(x.name):
		s.pass(x, quoted)
	}
	return x
}

// row reads what follows the name.
func (x *tagCall) read(at int) (end int) {
	text := x.s.s
	next := skipNoise(text, at)
	switch {
	case x.family.end == ")]":
		return x.python(at)
	case x.family.argument != "":
		return x.pairs(at)
	case !strings.Contains(x.family.call, "NAME"):
		if next < len(text) && (text[next] == '{' || text[next] == '[' && x.family.end == "") {
			if x.isCall = true; x.family.end == "" {
				return x.s.candidate(next, x.from, x.source)
			}
			return x.hermes(next)
		}
		return 0
	case strings.HasPrefix(text[next:], "```"):
		next = SkipBlanks(text, WordEnd(text, next+len("```")))
	}
	switch {
	case next == len(text) && x.isCall:
		return x.refuse(ReasonCut, problemInside, next)
	case next == len(text) || text[next] != '{':
		return 0
	}
	return x.arguments(next)
}

// pairs reads arguments in marks of their own, each with its key.
func (x *tagCall) pairs(at int) int {
	open, closer, _ := strings.Cut(x.family.argument, "VALUE")
	text, types := x.s.s, x.s.types(x.name)
	opens := func(at int, h *holes) (int, string) {
		end, left := match(text, at, open, h)
		if _, known := types[h.key]; left == "" && strings.HasPrefix(open, "<KEY>") && !known {
			return at, open
		}
		return end, left
	}
	ends := func(at int) (end int, left string) {
		end, left = match(text, at, x.family.end, &holes{})
		if closed, rest := match(text, at, x.around, &holes{}); left != "" && x.around != "" && rest == "" && closed > at {
			return at, ""
		}
		return end, left
	}
	var out []byte
	twice, seen := "", map[string]bool{}
	for {
		var h holes
		value, left := opens(at, &h)
		if left != "" {
			end, missing := ends(at)
			switch next := skipNoise(text, at); {
			case missing == "":
				return x.finish("{"+strings.TrimPrefix(string(out), ",")+"}", end, end > at, twice)
			case value == len(text) || end == len(text) || next == len(text):
				return x.refuse(ReasonCut, "it ends before its marks are closed", len(text))
			case len(out) == 0 && value <= next:
				return 0
			case value <= next:
				left = x.family.end
			}
			return x.broken(max(at, value), left)
		}
		closes, ended := strings.ReplaceAll(closer, "KEY", h.key), false
		for at = value; ; at++ {
			n := strings.IndexByte(text[at:], '<')
			switch {
			case n < 0 && ended:
				return x.broken(value, closes)
			case n < 0:
				return x.refuse(ReasonCut, "it ends inside "+cutName(h.key), len(text))
			}
			at += n
			var other holes
			if _, left := opens(at, &other); left == "" {
				return x.broken(at, closes)
			}
			end, left := match(text, at, closes, &other)
			if left != "" {
				_, left := match(text, at, x.family.end, &other)
				ended = ended || left == ""
				continue
			}
			_, another := opens(end, &other)
			if last, left := ends(end); another == "" || left == "" || last == len(text) || skipNoise(text, end) == len(text) {
				out = appendArgument(out, h, trimLines(strings.TrimSuffix(text[value:at], noise)), types[h.key])
				at = end
				break
			}
		}
		if seen[h.key] {
			twice = h.key
		}
		seen[h.key] = true
	}
}

// broken refuses a call where a mark is missing.
func (x *tagCall) broken(at int, pattern string) int {
	if end := strings.IndexByte(pattern[1:], '<'); end > 0 {
		pattern = pattern[:end+1]
	}
	return x.refuse(ReasonUnfinished, "what should stand there is missing: "+pattern, at)
}

// mayBeBroken reports whether a call whose marks end at a place was meant, though no
// argument follows: its own marks show that, or one that closes an argument.
func (x *tagCall) mayBeBroken(at int) bool {
	text := x.s.s[at:min(len(x.s.s), at+MaxTag)]
	for _, closer := range strings.SplitAfter(x.family.argument, ">") {
		if n := strings.Index(closer, "</"); n >= 0 && strings.Contains(text, closer[n:]) {
			for _, t := range x.s.offered { // the first key may be part of the name
				if len(t.Name) > len(x.name) || !strings.HasPrefix(x.name, t.Name) {
					continue
				}
				x.name, x.isCall = t.Name, true
			}
			return true
		}
	}
	return strings.HasSuffix(x.family.call, ">") && (strings.HasPrefix(text[SkipBlanks(text, 0):], "<") || strings.HasPrefix(text, noise))
}

// finish adds a call that is whole.
func (x *tagCall) finish(object string, end int, whole bool, twice string) int {
	switch {
	case x.isCall && twice != "":
		end, _ = x.family.closers(x.s.s, end)
		x.s.refuse(Refusal{Tool: x.name, Source: x.source, Reason: reasonDuplicate, Problem: "the argument " + cutName(twice) + " is given twice"}, x.from, end)
		return end
	}
	return x.add(object, end, whole)
}

// closers goes over the marks that close those around calls.
func (f *family) closers(s string, end int) (_ int, closed bool) {
	for again := true; again; {
		again = false
		at := skipNoise(s, end)
		for _, marks := range f.around {
			if marks[1] != "" && strings.HasPrefix(s[at:], marks[1]) {
				end, closed, again = at+len(marks[1]), true, true
				break
			}
		}
	}
	return end, closed
}

// lastThought returns where the reasoning ends that the place i is part of, if it began
// before the text, else the end of the text.
func lastThought(s string, i int) int {
	end := len(s)
	for _, name := range []string{"</think>", "</thinking>", "</reasoning>"} {
		if n := strings.Index(s[i:end], name); n >= 0 {
			end = i + n
		}
	}
	return end
}

// trimNoise returns a text without blanks and tokens that mean nothing at its end.
func trimNoise(s string) string {
	for {
		bare := strings.TrimSuffix(strings.TrimRight(s, " \t\r\n"), noise)
		if bare == s {
			return s
		}
		s = bare
	}
}

// trimLines removes the line ends between a value and its tags, where it stands on
// lines of its own.
func trimLines(value string) string {
	bare := strings.TrimPrefix(value, "\r")
	if !strings.HasPrefix(bare, "\n") {
		return value
	}
	return strings.TrimSuffix(strings.TrimSuffix(bare[1:], "\n"), "\r")
}

// pass notes the marks of a call that is none.
func (s *scanner) pass(x *tagCall, quoted bool) {}
