package provider

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// text is content as a string or as a list of parts that have a text.
type text struct {
	string
	// came is the inside of the string as it came, where it may begin or end
	// within a character: decoding has put U+FFFD there.
	came []byte
}

// UnmarshalJSON takes a string or a list of parts; any other value is no text.
func (t *text) UnmarshalJSON(b []byte) error {
	switch {
	case b[0] == '"':
		if err := json.Unmarshal(b, &t.string); err != nil {
			return err
		}
		if strings.Contains(t.string, "\ufffd") {
			t.came = bytes.Clone(b[1 : len(b)-1])
		}
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
		t.string = all.String()
	}
	return nil
}

// arguments is the text of a call's arguments or a piece of it.
type arguments text

// UnmarshalJSON takes a string as its text and any other value but null as its
// JSON, for the agent to check. Blanks in that are not part of a text that the
// model wrote, and are not kept by a cassette.
func (a *arguments) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		return (*text)(a).UnmarshalJSON(b)
	}
	if string(b) != "null" {
		var out bytes.Buffer
		_ = json.Compact(&out, b) // a decoder's value is valid
		a.string = out.String()
	}
	return nil
}

// count is a number of tokens, nil when it is not given as a whole number.
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
