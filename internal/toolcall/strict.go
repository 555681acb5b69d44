package toolcall

import (
	"encoding/json"
	"strings"
)

// fault is why text at a position is no JSON value.
type fault int

const (
	faultNone fault = iota
	faultEnd        // the text ends inside the value
	faultSyntax
	faultDepth
)

// member is one member of an object; key is decoded, raw is the value's JSON.
type member struct {
	key string
	raw string
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func skipBlanks(s string, i int) int {
	for i < len(s) && blank(s[i]) {
		i++
	}
	return i
}

// strictObject reads the object at s[i] as encoding/json would and returns its
// members and where it ends, or where it broke.
func strictObject(s string, i, depth int) (ms []member, end int, f fault) {
	end, f = eachMember(s, i, depth, func(m member) { ms = append(ms, m) })
	return ms, end, f
}

// eachMember reads the object at s[i] and hands on each member as it ends.
func eachMember(s string, i, depth int, take func(member)) (int, fault) {
	if depth > MaxDepth {
		return i, faultDepth
	}
	i = skipBlanks(s, i+1)
	if i < len(s) && s[i] == '}' {
		return i + 1, faultNone
	}
	for {
		if i >= len(s) {
			return i, faultEnd
		}
		if s[i] != '"' {
			return i, faultSyntax
		}
		keyEnd, f := strictString(s, i)
		if f != faultNone {
			return keyEnd, f
		}
		key := s[i:keyEnd]
		i = skipBlanks(s, keyEnd)
		if i >= len(s) {
			return i, faultEnd
		}
		if s[i] != ':' {
			return i, faultSyntax
		}
		i = skipBlanks(s, i+1)
		end, f := strictValue(s, i, depth+1)
		if f != faultNone {
			return end, f
		}
		if take != nil {
			take(member{decodedString(key), s[i:end]})
		}
		i = skipBlanks(s, end)
		next, closed, f := separator(s, i, '}')
		if closed || f != faultNone {
			return next, f
		}
		i = next
	}
}

// eachElement reads the array at s[i] and hands on where each element is.
func eachElement(s string, i, depth int, take func(from, to int)) (int, fault) {
	if depth > MaxDepth {
		return i, faultDepth
	}
	i = skipBlanks(s, i+1)
	if i < len(s) && s[i] == ']' {
		return i + 1, faultNone
	}
	for {
		end, f := strictValue(s, i, depth+1)
		if f != faultNone {
			return end, f
		}
		if take != nil {
			take(i, end)
		}
		next, closed, f := separator(s, skipBlanks(s, end), ']')
		if closed || f != faultNone {
			return next, f
		}
		i = next
	}
}

// separator reads what follows an element: a comma and the blanks after it, or
// the closer.
func separator(s string, i int, closer byte) (next int, closed bool, f fault) {
	switch {
	case i >= len(s):
		return i, false, faultEnd
	case s[i] == closer:
		return i + 1, true, faultNone
	case s[i] == ',':
		return skipBlanks(s, i+1), false, faultNone
	}
	return i, false, faultSyntax
}

// strictValue returns where the JSON value at s[i] ends, or where it broke.
func strictValue(s string, i, depth int) (int, fault) {
	if i >= len(s) {
		return i, faultEnd
	}
	switch c := s[i]; {
	case c == '{':
		return eachMember(s, i, depth, nil)
	case c == '[':
		return eachElement(s, i, depth, nil)
	case c == '"':
		return strictString(s, i)
	case c == '-' || '0' <= c && c <= '9':
		return strictNumber(s, i)
	}
	for _, word := range []string{"true", "false", "null"} {
		if strings.HasPrefix(s[i:], word) {
			return i + len(word), faultNone
		}
		if strings.HasPrefix(word, s[i:]) {
			return len(s), faultEnd
		}
	}
	return i, faultSyntax
}

// strictString returns where the string that is opened at s[i] ends.
func strictString(s string, i int) (int, fault) {
	for j := i + 1; j < len(s); j++ {
		switch c := s[j]; {
		case c == '"':
			return j + 1, faultNone
		case c < ' ':
			return j, faultSyntax
		case c == '\\':
			n := escape(s, j)
			if n == 0 {
				if len(s)-j < 6 && !strings.ContainsAny(s[j:], "\"\n") {
					return len(s), faultEnd
				}
				return j, faultSyntax
			}
			j += n - 1
		}
	}
	return len(s), faultEnd
}

// escape returns the length of the JSON escape at s[i], 0 when it is none.
func escape(s string, i int) int {
	if i+1 >= len(s) {
		return 0
	}
	if strings.IndexByte(`"\/bfnrt`, s[i+1]) >= 0 {
		return 2
	}
	if s[i+1] != 'u' || i+6 > len(s) {
		return 0
	}
	for _, c := range []byte(s[i+2 : i+6]) {
		if !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f') {
			return 0
		}
	}
	return 6
}

// strictNumber returns where the number at s[i] ends. A number that ends with
// the text may have lost digits, which is for the gate to judge.
func strictNumber(s string, i int) (int, fault) {
	digits := func() bool {
		from := i
		for i < len(s) && '0' <= s[i] && s[i] <= '9' {
			i++
		}
		return i > from
	}
	broken := func() (int, fault) {
		if i >= len(s) {
			return i, faultEnd
		}
		return i, faultSyntax
	}
	if s[i] == '-' {
		i++
	}
	if i < len(s) && s[i] == '0' {
		i++
	} else if !digits() {
		return broken()
	}
	if i < len(s) && s[i] == '.' {
		i++
		if !digits() {
			return broken()
		}
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if !digits() {
			return broken()
		}
	}
	return i, faultNone
}

// decodedString returns the text of a JSON string.
func decodedString(raw string) string {
	if strings.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	var s string
	if json.Unmarshal([]byte(raw), &s) != nil {
		return raw
	}
	return s
}
