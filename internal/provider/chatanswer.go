package provider

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// chunk is what is read of one event of an answer. It accepts the shapes that
// compatible endpoints are known to send beside the documented ones: a whole
// message in place of a delta, calls without index, arguments as an object,
// content as a list of parts, null anywhere.
type chunk struct {
	Choices []struct {
		Delta        message `json:"delta"`
		Message      message `json:"message"`
		FinishReason string  `json:"finish_reason"`
	} `json:"choices"`
	Usage *usage          `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type message struct {
	Content   text        `json:"content"`
	Refusal   text        `json:"refusal"`
	ToolCalls []deltaCall `json:"tool_calls"`
}

type deltaCall struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string    `json:"name"`
		Arguments arguments `json:"arguments"`
	} `json:"function"`
}

type usage struct {
	Input   count `json:"prompt_tokens"`
	Output  count `json:"completion_tokens"`
	Total   count `json:"total_tokens"`
	Details struct {
		Cached count `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

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

// UnmarshalJSON takes a whole number that is not negative and ignores the rest:
// a miscount is no reason to lose a reply.
func (c *count) UnmarshalJSON(b []byte) error {
	if n, err := strconv.ParseInt(string(b), 10, 64); err == nil && n >= 0 {
		c.n = &n
	}
	return nil
}

// errorStatus returns the HTTP status that an error inside an answer names, or
// 0 when it names none, and whether there is an error at all.
func (c *chunk) errorStatus() (code int, failed bool) {
	if len(c.Error) == 0 || bytes.Equal(c.Error, []byte("null")) {
		return 0, false
	}
	var e struct {
		Code   json.RawMessage `json:"code"`
		Status json.RawMessage `json:"status"`
	}
	// An error that is only a text names no status.
	_ = json.Unmarshal(c.Error, &e)
	for _, raw := range []json.RawMessage{e.Code, e.Status} {
		n, err := strconv.Atoi(strings.Trim(string(raw), `"`))
		if err == nil && n >= 400 && n < 600 {
			return n, true
		}
	}
	return 0, true
}
