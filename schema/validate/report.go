package validate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// report gathers the findings of one line.
type report struct {
	line     int
	strict   bool
	findings []Finding
	errors   int
}

// add notes a finding at a column, 0 for none. The message is "WHAT is GOT,
// want WANT"; what comes from the stream must have gone through quote.
func (r *report) add(id string, column int, what, got, want string) {
	r.addMessage(id, column, what+" is "+got+", want "+want, got, want)
}

// addMessage is add for a message of another form.
func (r *report) addMessage(id string, column int, message, got, want string) {
	f := NewFinding(id, r.line, message)
	f.Column, f.Got, f.Want = column, got, want
	if r.strict {
		f = f.Strict()
	}
	if f.Severity == SeverityError {
		r.errors++
	}
	r.findings = append(r.findings, f)
}

// sort brings the findings into the order of the rules.
func (r *report) sort() {
	slices.SortStableFunc(r.findings, func(a, b Finding) int { return ruleRank[a.Rule] - ruleRank[b.Rule] })
}

// maxQuoted bounds what a message repeats of a stream, in bytes, quotes and
// ellipsis included.
const maxQuoted = 80

// quote returns text of the stream for a message: quoted, with everything
// escaped that is not printable, and cut.
func quote(s string) string {
	const room = maxQuoted - len(`"..."`)
	var b strings.Builder
	b.WriteByte('"')
	for i, r := range s {
		q := strconv.QuoteRune(r)
		switch {
		case r == '"':
			q = `\"`
		case r == '\'':
			q = `'`
		case q == `'\ufffd'` || r == 0xfffd && s[i] != 0xef:
			q = fmt.Sprintf(`\x%02x`, s[i])
		default:
			q = q[1 : len(q)-1]
		}
		if b.Len()+len(q) > room {
			return b.String() + `..."`
		}
		b.WriteString(q)
	}
	b.WriteByte('"')
	return b.String()
}

// kind names the JSON type of a built value, with its article.
func kind(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	default:
		if _, _, ok := whole(v); ok {
			return "an integer"
		}
		return "a number"
	}
}

// plural returns "1 byte", "2 bytes".
func plural(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return strconv.Itoa(n) + " " + unit + "s"
}
