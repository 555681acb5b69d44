package provider

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// hasValue reports whether a member is there and not null.
func hasValue(v gjson.Result) bool { return v.Exists() && v.Type != gjson.Null }

// text is content as a string or as a list of parts that have a text.
type text struct {
	string
	// came is the inside of the string as it came, where it may begin or end
	// within a character: decoding has put U+FFFD there.
	came []byte
}

// textOf reads a string or a list of parts; any other value is no text.
func textOf(v gjson.Result) (t text) {
	switch {
	case v.Type == gjson.String:
		_ = json.Unmarshal([]byte(v.Raw), &t.string) // it was found to be valid
		if strings.Contains(t.string, "\ufffd") {
			t.came = []byte(v.Raw[1 : len(v.Raw)-1])
		}
	case v.IsArray():
		for part := range v.Values() {
			t.string += textOf(part.Get("text")).string
		}
	}
	return t
}

// argumentsOf returns the text of a call's arguments or a piece of it: that of a string,
// and of any other value but null its JSON, for the agent to check. Blanks in that are
// not part of a text that the model wrote, and are not kept by a cassette.
func argumentsOf(v gjson.Result) text {
	if v.Type == gjson.String || !hasValue(v) {
		return textOf(v)
	}
	var out bytes.Buffer
	_ = json.Compact(&out, []byte(v.Raw)) // it was found to be valid
	return text{string: out.String()}
}

// indexOf returns a whole number, nil for none.
func indexOf(v gjson.Result) *int {
	if n, err := strconv.Atoi(v.Raw); err == nil {
		return &n
	}
	return nil
}

// usageOf reads the tokens of a reply. The APIs call input and output otherwise.
func usageOf(u gjson.Result, input, output string) chat.Usage {
	return chat.Usage{
		Input: countOf(u.Get(input)), Output: countOf(u.Get(output)), Total: countOf(u.Get("total_tokens")),
		CachedInput: countOf(u.Get(input + "_details.cached_tokens")), Reasoning: countOf(u.Get(output + "_details.reasoning_tokens")),
	}
}

// maxCount is the largest number of tokens that is believed. Sums over a run
// stay far below what JSON readers keep exactly.
const maxCount = 1 << 40

// countOf returns a number of tokens, nil for what is no whole number that can be one: a
// miscount is no reason to lose a reply.
func countOf(v gjson.Result) *int64 {
	if n, err := strconv.ParseInt(v.Raw, 10, 64); err == nil && n >= 0 && n <= maxCount {
		return &n
	}
	return nil
}
