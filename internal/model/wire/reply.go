package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// Reply is what a model answers, in no spelling.
type Reply struct {
	// Number is that of the reply in its conversation, from 1; ids follow from it.
	Number int
	// Model is the name that the model gives itself, unless the API has it repeat the
	// one that it was asked by.
	Model string
	Text  *string
	Calls []Call
	// Finish is the reason of the end as Chat Completions names it; nil stands for
	// the usual one, "" for none at all, as if the end never came.
	Finish *string
	Usage  *Usage
}

// Call is a tool call; Arguments are its text on the wire, which need not be JSON.
type Call struct{ Tool, Arguments string }

// object returns the arguments as the JSON object that they are; none at all are
// an empty one.
func (c Call) object() (json.RawMessage, error) {
	var members map[string]json.RawMessage
	text := cmp.Or(c.Arguments, "{}")
	if json.Unmarshal([]byte(text), &members) != nil || members == nil {
		return nil, fmt.Errorf("want a JSON object as arguments, got %.60q", text)
	}
	return json.RawMessage(text), nil
}

// Usage counts tokens; nil is what is not told. Input holds the cached ones too, Output
// those of reasoning.
type Usage struct{ Input, Output, Total, Cached, Reasoning *int64 }

// whole returns the counts with the total that follows from them.
func (u Usage) whole() Usage {
	if u.Total == nil && u.Input != nil && u.Output != nil {
		total := *u.Input + *u.Output
		u.Total = &total
	}
	return u
}

// Object returns a JSON object with members in the order in which they are given, each as
// a name and a value; JSON on one line stays as it is. One whose name ends with a question mark is left out when it is null.
func Object(members ...any) json.RawMessage {
	out := []byte{'{'}
	for i := 0; i < len(members); i += 2 {
		value, ready := members[i+1].(json.RawMessage)
		if !ready || len(value) == 0 || bytes.ContainsAny(value, "\r\n") {
			value = jsontext.MustMarshal(members[i+1])
		}
		name, optional := strings.CutSuffix(members[i].(string), "?")
		if optional && string(value) == "null" {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = fmt.Appendf(out, "%q:%s", name, value)
	}
	return append(out, '}')
}

// unlessEmpty returns a text as a value, nil for an empty one.
func unlessEmpty(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// finish returns the reason given, else the one that goes with the reply; "" for
// none.
func (r *Reply) finish() string {
	switch {
	case r.Finish != nil:
		return *r.Finish
	case r.Calls != nil:
		return "tool_calls"
	}
	return "stop"
}

// callID names call i, from 0.
func (r *Reply) callID(i int) string { return fmt.Sprintf("call_%d_%d", r.Number, i) }

// Text and arguments come in at most so many pieces, none shorter than so many
// bytes: enough to show a client pieces, few enough to be cheap.
const (
	textPieces, textPiece = 16, 16
	argPieces, argPiece   = 4, 8
)

// pieces cuts s between code points into at most count parts of at least size
// bytes.
func pieces(s string, count, size int) []string {
	size = max(size, (len(s)+count-1)/count)
	var out []string
	for len(s) > size {
		end := size
		for end < len(s) && !utf8.RuneStart(s[end]) {
			end++
		}
		out = append(out, s[:end])
		s = s[end:]
	}
	if s != "" {
		out = append(out, s)
	}
	return out
}
