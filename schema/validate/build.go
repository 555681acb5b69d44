package validate

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/schema"
)

// hugeNumber is a number whose value is never computed: one
// of more than maxDigits digits or with an exponent, which can be of any size.
type hugeNumber string

const (
	maxDigits = 22 // 2^53 has 16, and 6 decimals may follow
	// maxBuilt bounds the items of a list, and the members of an object whose
	// names are not fixed, that are built; such a one is far above its bound
	// anyway.
	maxBuilt = 1024
)

// build reads the value at the reader's place, which another one has found
// valid, as nil, bool, string, json.Number, hugeNumber, []any or map[string]any.
// Members of objects whose name is not known are left out, so that what no rule
// looks at costs no more than reading it. The others have their name from there.
func build(r *reader, interned names) any {
	at := r.Pos
	switch c := r.Peek(); c {
	case '{':
		object := map[string]any{}
		for name := range r.Members() {
			switch name, ok := interned[string(name)]; {
			case !ok:
				r.Skip()
			case name.free && r.Peek() == '{':
				object[name.name] = buildFree(r, interned)
			default:
				object[name.name] = build(r, interned)
			}
		}
		return object
	case '[':
		return buildList(r, interned)
	case '"':
		r.Skip()
		return string(jsontext.Unquote(r.Src[at:r.Pos]))
	case 't', 'f':
		r.Skip()
		return c == 't'
	case 'n':
		r.Skip()
		return nil
	}
	r.Skip()
	return buildNumber(string(r.Src[at:r.Pos]))
}

// buildFree builds an object whose names are not fixed, up to one member more
// than maxBuilt.
func buildFree(r *reader, interned names) map[string]any {
	object := map[string]any{}
	for name := range r.Members() {
		if len(object) <= maxBuilt {
			object[string(name)] = build(r, interned)
		} else {
			r.Skip()
		}
	}
	return object
}

// buildList builds the items of a list, up to one more than maxBuilt: enough to
// see that there are too many.
func buildList(r *reader, interned names) []any {
	list := []any{}
	for range r.Items() {
		if len(list) <= maxBuilt {
			list = append(list, build(r, interned))
		} else {
			r.Skip()
		}
	}
	return list
}

// buildNumber separates wild numbers from others by their text alone.
func buildNumber(text string) any {
	digits := 0
	for i := range len(text) {
		if '0' <= text[i] && text[i] <= '9' {
			digits++
		}
		if text[i]|0x20 == 'e' {
			return hugeNumber(text)
		}
	}
	if digits > maxDigits {
		return hugeNumber(text)
	}
	return json.Number(text)
}

// below reports whether a whole number lies below min, also one that is larger
// than whole can tell. Of a wild number schema/number speaks.
func below(v any, min int) bool {
	if n, _, ok := whole(v); ok {
		return n < int64(min)
	}
	text, _ := v.(json.Number)
	return strings.HasPrefix(string(text), "-")
}

// whole returns the whole number that v stands for when it lies within 2^53,
// and whether it is written with digits alone.
func whole(v any) (n int64, plain, ok bool) {
	text, isNumber := v.(json.Number)
	if !isNumber {
		return 0, false, false
	}
	digits, decimals, hasPoint := strings.Cut(string(text), ".")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n > schema.MaxSafeInteger || n < -schema.MaxSafeInteger || strings.Trim(decimals, "0") != "" {
		return 0, false, false
	}
	return n, !hasPoint && text != "-0", true
}

// decimal reports whether a number is written as the contract asks of one that
// need not be an integer: within 2^53, with few decimals, without an exponent,
// and with a minus sign only where it is below zero.
func decimal(v any) bool {
	text, isNumber := v.(json.Number)
	digits, decimals, _ := strings.Cut(strings.TrimPrefix(string(text), "-"), ".")
	n, err := strconv.ParseInt(digits, 10, 64)
	inRange := err == nil && (n < schema.MaxSafeInteger || n == schema.MaxSafeInteger && strings.Trim(decimals, "0") == "")
	return isNumber && inRange && len(decimals) <= schema.MaxDecimals && (text[0] != '-' || strings.Trim(string(text), "-0.") != "")
}
