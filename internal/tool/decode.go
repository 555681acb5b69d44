package tool

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// decoder reads the arguments of a call into a struct whose tags say what is
// accepted:
//
//	json:"name"        the key, matched with its exact case
//	arg:"required"     must be there, and must not be an empty string
//	arg:"empty"        with required: the empty string is fine
//	arg:"path"         an empty string or a NUL byte is refused, also in a list
//	default:"v"        the value when the key is absent or null
//	min:"n" max:"n"    an integer outside is moved to the nearest bound
//	doc:"..."          what the model is told of the argument
//	example:"v"        a value for the example in an error
//
// Fields are string, int64, *int64, bool or []string. Integers and booleans
// may be sent as strings, in any case. Keys that T does not have and keys
// given twice are refused. No arguments at all, or null, mean {}.
type decoder struct{ fields []field }

func (d *decoder) decode(raw json.RawMessage, into reflect.Value) *Error {
	given, err := d.members(bytes.TrimSpace(raw))
	if err != nil {
		return err
	}
	for i := range d.fields {
		f := &d.fields[i]
		if err := d.set(f, given[f.name], into.Field(f.index)); err != nil {
			return err
		}
	}
	return nil
}

// members splits an object without interpreting its values.
func (d *decoder) members(raw json.RawMessage) (map[string]json.RawMessage, *Error) {
	given := map[string]json.RawMessage{}
	if len(raw) == 0 || string(raw) == "null" {
		return given, nil
	}
	check := jsontext.Reader[[]byte]{Src: raw, Room: jsontext.MaxDepth}
	if !check.Whole() || !utf8.Valid(raw) {
		return nil, d.malformed("arguments are not valid JSON")
	}
	if raw[0] != '{' {
		return nil, d.malformed("arguments must be an object, got " + describe(raw))
	}
	r := jsontext.Reader[[]byte]{Src: raw, Room: jsontext.MaxDepth}
	for name := range r.Members() {
		key, at := string(name), r.Pos
		if d.find(key) == nil {
			return nil, d.unknown(key)
		}
		if given[key] != nil {
			return nil, d.refuse(key, "is given twice")
		}
		r.Skip()
		given[key] = raw[at:r.Pos]
	}
	return given, nil
}

func (d *decoder) find(name string) *field {
	i := slices.IndexFunc(d.fields, func(f field) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return &d.fields[i]
}

// set stores one argument, or its default when the key is absent or null.
func (d *decoder) set(f *field, value json.RawMessage, into reflect.Value) *Error {
	if value == nil || string(value) == "null" {
		if f.required {
			return d.refuse(f.name, "is required and must be "+kindTable[f.kind].want)
		}
		if f.def != nil {
			into.Set(reflect.ValueOf(f.def))
		}
		return nil
	}
	v, ok := kindTable[f.kind].parse(value)
	if !ok {
		return d.refuse(f.name, fmt.Sprintf("must be %s, got %s", kindTable[f.kind].want, describe(value)))
	}
	texts, _ := v.([]string)
	switch v := v.(type) {
	case string:
		texts = []string{v}
	case int64:
		v = f.clamp(v)
		if into.Kind() == reflect.Pointer {
			into.Set(reflect.ValueOf(&v))
		} else {
			into.SetInt(v)
		}
		return nil
	}
	into.Set(reflect.ValueOf(v))
	return d.checkTexts(f, value, texts)
}

// checkTexts checks the texts that were read from a value.
func (d *decoder) checkTexts(f *field, value json.RawMessage, texts []string) *Error {
	for _, s := range texts {
		switch {
		case halfPair(value):
			return d.refuse(f.name, `has a \u escape that is half of a surrogate pair`)
		case s == "" && f.mustFill():
			return d.refuse(f.name, "must not be empty")
		case f.path && strings.ContainsRune(s, 0):
			return d.refuse(f.name, "must not contain a NUL character")
		}
	}
	return nil
}

func parseText(value json.RawMessage) (any, bool) { return unquote(value) }

func parseBoolean(value json.RawMessage) (any, bool) {
	s := strings.ToLower(bare(value))
	return s == "true", s == "true" || s == "false"
}

func parseList(value json.RawMessage) (any, bool) {
	var elements []json.RawMessage
	if json.Unmarshal(value, &elements) != nil {
		return nil, false
	}
	list := make([]string, len(elements))
	for i, e := range elements {
		var ok bool
		if list[i], ok = unquote(e); !ok {
			return nil, false
		}
	}
	return list, true
}

// bare returns a value as it is written, and what is inside of a string.
func bare(value json.RawMessage) string {
	if inner, ok := unquote(value); ok {
		return strings.TrimSpace(inner)
	}
	return string(value)
}

// parseInteger reads a whole number in any JSON spelling (5, 5.0, 1e3); what
// does not fit in 64 bits becomes the nearest that does.
func parseInteger(value json.RawMessage) (any, bool) {
	s := bare(value)
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	if s == "" || strings.Trim(s, "0123456789+-.eE") != "" {
		return nil, false
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(x, 0) || x != math.Trunc(x) {
		return nil, false
	}
	switch {
	case x >= math.MaxInt64:
		return int64(math.MaxInt64), true
	case x <= math.MinInt64:
		return int64(math.MinInt64), true
	}
	return int64(x), true
}

// unquote returns the text of a value that is a string.
func unquote(value json.RawMessage) (string, bool) {
	if value[0] != '"' {
		return "", false
	}
	return string(jsontext.Unquote([]byte(value))), true
}

// halfPair reports whether unquoting loses a character: U+FFFD comes in the
// place of half a surrogate pair, and a file would be written that the model did
// not send.
func halfPair(value json.RawMessage) bool {
	r := jsontext.Reader[[]byte]{Src: value, Room: jsontext.MaxDepth, Notes: new(jsontext.Notes)}
	return r.Whole() && r.Notes.Surrogate != 0
}

// describe names a JSON value for an error message.
func describe(value json.RawMessage) string {
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	}
	return clip.Short(string(value), 40)
}

func (d *decoder) unknown(key string) *Error {
	names := make([]string, len(d.fields))
	for i, f := range d.fields {
		names[i] = f.name + " (" + kindTable[f.kind].schema + ")"
	}
	return d.refuse(key, "is unknown; the arguments are: "+cmp.Or(strings.Join(names, ", "), "none"))
}

// refuse says what is wrong with the argument of that name, what was wanted
// and how a call looks that would be accepted.
func (d *decoder) refuse(name, problem string) *Error {
	name, _ = clip.Chars(name, 100)
	example := d.example(name)
	details := []Detail{{"argument", name}}
	if f := d.find(name); f != nil {
		details = append(details, Detail{"expected", kindTable[f.kind].schema})
	}
	details = append(details, Detail{"example", example})
	return NewError(KindInvalidInput, fmt.Sprintf("argument %q %s; example: %s", name, problem, example), details...)
}

func (d *decoder) malformed(problem string) *Error {
	example := d.example("")
	return NewError(KindInvalidInput, fmt.Sprintf("%s; example: %s", problem, example), Detail{"example", example})
}

// example returns the smallest arguments object that is accepted, with the
// argument of that name in it.
func (d *decoder) example(name string) json.RawMessage {
	var members []Detail
	for i := range d.fields {
		if f := &d.fields[i]; f.required || f.name == name {
			members = append(members, Detail{f.name, f.example})
		}
	}
	if members == nil {
		return json.RawMessage("{}")
	}
	return encodeDetails(members)
}
