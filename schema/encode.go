package schema

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// Encode returns e as one line of the stream, its LF included: members in the
// order of the contract, HTML characters as they are, and everything escaped
// that a job log could act on. A payload that is missing or does not encode as
// an object is an error.
func Encode(e Event) ([]byte, error) { return Append(nil, e) }

// Append appends what Encode returns to b.
func Append(b []byte, e Event) ([]byte, error) {
	if e.Data == nil {
		return nil, errors.New("encode event: no data")
	}
	if e.SchemaVersion == Version {
		b = append(b, `{"schema_version":"`+Version+`"`...)
	} else {
		b = appendText(append(b, `{"schema_version":`...), e.SchemaVersion)
	}
	b = strconv.AppendInt(append(b, `,"sequence":`...), e.Sequence, 10)
	b = appendText(append(b, `,"ts":`...), e.TS)
	b = appendText(append(b, `,"run_id":`...), e.RunID)
	b = strconv.AppendInt(append(b, `,"step":`...), e.Step, 10)
	b = appendText(append(b, `,"type":`...), string(e.Type))
	b = append(b, `,"data":`...)
	at := len(b)
	b, err := appendPayload(b, e.Data)
	if err != nil {
		return nil, fmt.Errorf("encode event %s: %w", e.Type, err)
	}
	if b[at] != '{' {
		return nil, fmt.Errorf("encode event %s: data is %T, want an object", e.Type, e.Data)
	}
	return append(b, "}\n"...), nil
}

// appendPayload appends a payload; one that is no pointer, or not the contract's,
// as encoding/json has it.
func appendPayload(b []byte, payload any) ([]byte, error) {
	var room [maxMembers]member
	list := room[:0]
	if v := reflect.ValueOf(payload); v.Kind() == reflect.Pointer && !v.IsNil() {
		list = membersOf(payload, list)
	}
	if len(list) == 0 {
		return appendOther(b, payload)
	}
	b = append(b, '{')
	for first := len(b); len(list) > 0; list = list[1:] {
		m, before := &list[0], len(b)
		if before > first {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), m.name...), `":`...)
		at := len(b)
		var err error
		if b, err = appendValue(b, m); err != nil {
			return nil, err
		}
		if len(b) == at {
			b = b[:before]
		}
	}
	return append(b, '}'), nil
}

// appendValue appends what a member points to, nothing when it is not written.
func appendValue(b []byte, m *member) ([]byte, error) {
	switch v := m.value.(type) {
	case *bool:
		return strconv.AppendBool(b, *v), nil
	case **string:
		return appendPointer(b, *v, m.when == always, appendText), nil
	case **int64:
		return appendPointer(b, *v, m.when == always, appendInteger), nil
	case **bool:
		return appendPointer(b, *v, m.when == always, strconv.AppendBool), nil
	case *Optional[string]:
		return appendPointer(b, v.value, v.set, appendText), nil
	case *Optional[int64]:
		return appendPointer(b, v.value, v.set, appendInteger), nil
	case *[]string:
		return appendList(b, *v, m.when), nil
	}
	if unset(m.value) {
		return b, nil
	}
	at := len(b)
	b, err := appendOther(b, m.value)
	if m.when != always && string(b[at:]) == "null" {
		b = b[:at]
	}
	return b, err
}

// unset reports whether nothing is written of a value that has none in most events.
func unset(value any) bool {
	switch v := value.(type) {
	case *[]TruncatedField: // written ifFilled
		return len(*v) == 0
	case *[]Artifact: // written ifSet
		return *v == nil
	case *Optional[Usage]:
		return !v.set
	}
	return false
}

// appendPointer appends what v points to, and null for nil if that is written.
func appendPointer[T any](b []byte, v *T, null bool, write func([]byte, T) []byte) []byte {
	switch {
	case v != nil:
		return write(b, *v)
	case null:
		return append(b, "null"...)
	}
	return b
}

func appendList(b []byte, items []string, when presence) []byte {
	switch {
	case items == nil && when == always:
		return append(b, "null"...)
	case items == nil, len(items) == 0 && when == ifFilled:
		return b
	}
	b = append(b, '[')
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, item)
	}
	return append(b, ']')
}

func appendInteger(b []byte, n int64) []byte { return strconv.AppendInt(b, n, 10) }

// appendOther appends v as encoding/json has it, and inert: what a terminal acts
// upon is escaped, DEL and the C1 controls, and the first # of ##[, with which a
// command in a job's log begins.
func appendOther(b []byte, v any) ([]byte, error) {
	text, err := jsontext.Marshal(v)
	done := 0
	for i, c := range text {
		if c == 0x7f || c == 0xc2 && text[i+1] < 0xa0 || c == '#' && bytes.HasPrefix(text[i:], []byte("##[")) {
			r, size := utf8.DecodeRune(text[i:])
			b = appendEscape(append(b, text[done:i]...), r)
			done = i + size
		}
	}
	return append(b, text[done:]...), err
}

// appendText appends a string as encoding/json has it, and inert.
func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	done := 0
	for i := 0; i < len(s); {
		if i += jsontext.Inert(s[i:]); i == len(s) {
			break
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r < 0xa0 && (r != '#' || strings.HasPrefix(s[i:], "##[")) || r == '\u2028' || r == '\u2029' || r == utf8.RuneError && size == 1 {
			b = appendEscape(append(b, s[done:i]...), r)
			done = i + size
		}
		i += size
	}
	return append(append(b, s[done:]...), '"')
}

// appendEscape appends the escape of a character.
func appendEscape(b []byte, r rune) []byte {
	if short := strings.IndexRune("\"\\\b\f\n\r\t", r); short >= 0 && r < 0x80 {
		return append(b, '\\', `"\bfnrt`[short])
	}
	const digits = "0123456789abcdef"
	return append(b, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}
