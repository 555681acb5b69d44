package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// errNoObject tells that a text is not one JSON object.
var errNoObject = errors.New("not one JSON object")

// eachMember calls visit for the members of the object that text holds, in
// their order, until that returns an error. A value is what stands between the
// signs of the object: whoever decodes it sees whether it is one.
func eachMember(text []byte, visit func(name, value []byte) error) error {
	text, ok := cutSign(text, '{')
	if !ok {
		return errNoObject
	}
	if rest, ok := cutSign(text, '}'); ok {
		return onlyBlanks(rest)
	}
	for {
		var raw, value []byte
		raw, text = cutValue(text)
		name, err := decodeName(raw)
		if err != nil {
			return err
		}
		if text, ok = cutSign(text, ':'); !ok {
			return errNoObject
		}
		value, text = cutValue(text)
		if err := visit(name, value); err != nil {
			return err
		}
		rest, more := cutSign(text, ',')
		if !more {
			break
		}
		text = rest
	}
	if text, ok = cutSign(text, '}'); !ok {
		return errNoObject
	}
	return onlyBlanks(text)
}

func onlyBlanks(text []byte) error {
	if len(trimBlanks(text)) > 0 {
		return errNoObject
	}
	return nil
}

// trimBlanks returns text without the blanks of JSON at its beginning.
func trimBlanks(text []byte) []byte {
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\t' || text[0] == '\n' || text[0] == '\r') {
		text = text[1:]
	}
	return text
}

// cutSign returns what follows sign, which text begins with but for blanks.
func cutSign(text []byte, sign byte) (rest []byte, ok bool) {
	text = trimBlanks(text)
	if len(text) == 0 || text[0] != sign {
		return nil, false
	}
	return text[1:], true
}

// cutValue cuts text behind the value that it begins with, if it begins with
// one: behind a string, behind the bracket that closes the first one, or before
// a sign that can stand in none of these.
func cutValue(text []byte) (value, rest []byte) {
	text = trimBlanks(text)
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			if i = stringEnd(text, i); i == len(text) {
				return text, nil
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			if depth == 0 {
				return text[:i], text[i:]
			}
			depth--
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return text[:i], text[i:]
			}
			continue
		default:
			continue
		}
		if depth == 0 {
			return text[:i+1], text[i+1:]
		}
	}
	return text, nil
}

// stringEnd returns the offset of the quote that ends the string whose first
// quote is at from, the length of text if there is none.
func stringEnd(text []byte, from int) int {
	for i := from + 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			return i
		case '\\':
			i++
		}
	}
	return len(text)
}

// decodeValue decodes a JSON value into what is a *string or an *int64. Nearly
// every one is of a form that needs no look at its escapes.
func decodeValue(value []byte, into any) error {
	switch into := into.(type) {
	case *string:
		if plainString(value) {
			*into = string(value[1 : len(value)-1])
			return nil
		}
	case *int64:
		if n, err := strconv.ParseInt(string(value), 10, 64); err == nil && value[0] >= '1' && value[0] <= '9' {
			*into = n
			return nil
		}
	}
	if err := json.Unmarshal(value, into); err != nil {
		return fmt.Errorf("%.80q: %w", value, err)
	}
	return nil
}

// decodeName is decodeValue for a name; one of plain form is not copied.
func decodeName(raw []byte) ([]byte, error) {
	if plainString(raw) {
		return raw[1 : len(raw)-1], nil
	}
	var name string
	err := decodeValue(raw, &name)
	return []byte(name), err
}

// plainString tells whether value is a string of printable ASCII without
// escapes.
func plainString(value []byte) bool {
	if len(value) < 2 || value[0] != '"' || bytes.IndexByte(value[1:], '"') != len(value)-2 {
		return false
	}
	for _, c := range value {
		if c < ' ' || c > '~' || c == '\\' {
			return false
		}
	}
	return true
}
