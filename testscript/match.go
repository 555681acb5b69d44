package testscript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// streamEvent is what scripts ask about of an event.
type streamEvent struct {
	sequence json.Number
	typ      string
	data     map[string]any
}

// events decodes the lines of a stream; what is no event is left out.
func events(stream []byte) (list []streamEvent) {
	for line := range bytes.Lines(stream) {
		var e struct {
			Sequence json.Number    `json:"sequence"`
			Type     string         `json:"type"`
			Data     map[string]any `json:"data"`
		}
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.UseNumber()
		if dec.Decode(&e) == nil && e.Type != "" {
			list = append(list, streamEvent{e.Sequence, e.Type, e.Data})
		}
	}
	return list
}

// comparison is a comparison, as MEMBER OP VALUE in one argument. A member is a JSON
// pointer into the data of an event, or the name of an argument of a call.
type comparison struct {
	member, op, value string
	pattern           *regexp.Regexp // of ~=
	number            float64        // of the four that compare numbers
}

// operators are what can stand between a member and a value.
const operators = "= != *= ~= < <= > >="

var operator = lazyregexp.New(`[!*~<>]?=|[<>]`)

// parseComparison reads a comparison. One that could never fail is an error.
func parseComparison(text string) (comparison, error) {
	at := operator().FindStringIndex(text)
	if at == nil || at[0] == 0 {
		return comparison{}, fmt.Errorf("%q: want a comparison such as name=value; operators: %s", text, operators)
	}
	c := comparison{member: text[:at[0]], op: text[at[0]:at[1]], value: text[at[1]:]}
	var err error
	switch c.op {
	case "*=":
		if c.value == "" {
			err = errors.New("every text has an empty part")
		}
	case "~=":
		if c.pattern, err = regexp.Compile(c.value); c.value == "" {
			err = errors.New("an empty pattern matches every text")
		}
	case "<", "<=", ">", ">=":
		c.number, err = strconv.ParseFloat(c.value, 64)
	}
	if err != nil {
		err = fmt.Errorf("%q: %w", text, err)
	}
	return c, err
}

// holds reports whether a value meets the comparison. Only a text has parts and
// matches a pattern, only a number is less or more.
func (c comparison) holds(got any) bool {
	s, isText := got.(string)
	n, isNumber := got.(json.Number)
	f, err := n.Float64()
	isNumber = isNumber && err == nil
	switch c.op {
	case "=":
		return equal(got, c.value)
	case "!=":
		return !equal(got, c.value)
	case "*=":
		return isText && strings.Contains(s, c.value)
	case "~=":
		return isText && c.pattern.MatchString(s)
	case "<":
		return isNumber && f < c.number
	case "<=":
		return isNumber && f <= c.number
	case ">":
		return isNumber && f > c.number
	default:
		return isNumber && f >= c.number
	}
}

// comparesNumbers reports whether the comparison is one that only a number can meet.
func (c comparison) comparesNumbers() bool { return strings.ContainsAny(c.op, "<>") }

// want returns the value that is wanted, with its operator unless that is plain
// equality.
func (c comparison) want() string {
	value := c.value
	if !json.Valid([]byte(value)) || c.pattern != nil || c.op == "*=" {
		value = strconv.Quote(value)
	}
	return strings.TrimPrefix(c.op, "=") + term.OneLine(value, maxValue)
}

func (c comparison) String() string { return c.member + c.op + term.OneLine(c.value, maxValue) }

// failure says in one line what is there and what is wanted.
func (c comparison) failure(got any, there bool) string {
	return fmt.Sprintf("%s: got %s, want %s", c.member, shown(got, there), c.want())
}

// matching returns those of a list that meet all conditions. Where none does, the line
// says what the one has that comes closest.
func matching[T interface{ member(string) (any, bool) }](list []T, conditions []comparison) (found []T, line string) {
	most := -1
	for _, v := range list {
		why, met := unmet(conditions, v.member)
		if why == "" {
			found = append(found, v)
		} else if met > most {
			most, line = met, why
		}
	}
	return found, line
}

// unmet returns the first of some conditions that the values do not meet, as a line, ""
// when they meet all, and how many they met before.
func unmet(conditions []comparison, value func(member string) (any, bool)) (line string, met int) {
	for i, c := range conditions {
		if got, ok := value(c.member); !ok || !c.holds(got) {
			return c.failure(got, ok), i
		}
	}
	return "", len(conditions)
}

// member returns what an event has at a pointer.
func (e streamEvent) member(pointer string) (any, bool) { return lookup(e.data, pointer) }

// lookup follows a JSON pointer (RFC 6901).
func lookup(v any, pointer string) (any, bool) {
	for _, token := range strings.Split(pointer, "/")[1:] {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch node := v.(type) {
		case map[string]any:
			member, ok := node[token]
			if !ok {
				return nil, false
			}
			v = member
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(node) {
				return nil, false
			}
			v = node[i]
		default:
			return nil, false
		}
	}
	return v, true
}

func equal(got any, want string) bool {
	if s, ok := got.(string); ok && s == want {
		return true
	}
	encoded, err := json.Marshal(got)
	if err != nil {
		return false
	}
	var canonical bytes.Buffer
	return json.Compact(&canonical, []byte(want)) == nil && canonical.String() == string(encoded)
}
