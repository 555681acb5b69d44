package provider

import (
	"encoding/json"
	"strconv"
	"strings"
)

// text is content as a string or as a list of parts that have a text.
type text string

// UnmarshalJSON takes a string or a list of parts; any other value is no text.
func (t *text) UnmarshalJSON(b []byte) error {
	switch {
	case b[0] == '"':
		return json.Unmarshal(b, (*string)(t))
	case b[0] == '[':
		var parts []struct {
			Text string `json:"text"`
		}
		if err := json.Unmarshal(b, &parts); err != nil {
			return nil
		}
		var all strings.Builder
		for _, p := range parts {
			all.WriteString(p.Text)
		}
		*t = text(all.String())
	}
	return nil
}

// arguments is the text of a call's arguments or a piece of it.
type arguments string

// UnmarshalJSON takes a string as its text and an object as its JSON.
func (a *arguments) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		return json.Unmarshal(b, (*string)(a))
	}
	if b[0] == '{' {
		*a = arguments(b)
	}
	return nil
}

// count is a number of tokens, nil when it is not told as a whole number.
type count struct{ n *int64 }

// maxCount is the largest number of tokens that is believed. Sums over a run
// stay far below what JSON readers keep exactly.
const maxCount = 1 << 40

// UnmarshalJSON takes a whole number that can be a count and ignores the rest:
// a miscount is no reason to lose a reply.
func (c *count) UnmarshalJSON(b []byte) error {
	if n, err := strconv.ParseInt(string(b), 10, 64); err == nil && n >= 0 && n <= maxCount {
		c.n = &n
	}
	return nil
}
