package wire

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// gemini is the generateContent API of Google, at its own address and below
// Vertex AI. Its paths name the model and say whether the reply is streamed.
var gemini = &Wire{
	Name: "gemini", Path: "/v1beta/models/MODEL:generateContent", echo: true,
	parse: parseGemini,
	list:  "contents", alone: '{',
	last:    lastContent,
	results: geminiResults, answer: readGemini,
	counts: counts{
		{"promptTokenCount", "toolUsePromptTokenCount"}, {"candidatesTokenCount", "thoughtsTokenCount"},
		{"totalTokenCount"}, {"cachedContentTokenCount"},
	},
	stream:  geminiStream,
	array:   geminiArray,
	whole:   geminiWhole,
	Failure: geminiFailure,
	Tokens:  func(count int) []byte { return Object("totalTokens", count) },
	Models:  func(name string) []byte { return Object("models", []any{describeGemini(name)}) },
	Model:   func(name string) []byte { return describeGemini(name) },
}

// parts returns what a reply consists of, its text in as many pieces as asked
// for. Arguments are a value here, so text that is no object is refused.
func (r *Reply) parts(count int) (parts []any, err error) {
	if r.Text != nil {
		list := pieces(*r.Text, count, textPiece)
		if len(list) == 0 {
			list = []string{""}
		}
		for _, text := range list {
			parts = append(parts, Object("text", text))
		}
	}
	for i, c := range r.Calls {
		args, err := c.object()
		if err != nil {
			return nil, fmt.Errorf("call %d has no form in the Gemini API: %w", i+1, err)
		}
		parts = append(parts, Object("functionCall", Object("id", r.callID(i), "name", c.Tool, "args", args)))
	}
	return parts, nil
}

// chunk returns parts of a reply as the API answers them. The last ones bring the
// reason of the end and the counts.
func (r *Reply) chunk(parts []any, last bool) json.RawMessage {
	var finish, usage any
	if last {
		finish, usage = unlessEmpty(r.geminiFinish()), geminiCounts(r.Usage)
	}
	candidate := Object("content", Object("parts", parts, "role", "model"), "finishReason?", finish, "index", 0)
	return Object("candidates", []any{candidate}, "usageMetadata?", usage, "modelVersion", r.Model,
		"responseId", fmt.Sprintf("response-script-%d", r.Number))
}

// geminiCounts returns usage as the API names it, in which no reply is without the
// count of its request and the total: one that is not told is 0. Tokens of
// reasoning are none of the output there.
func geminiCounts(u *Usage) json.RawMessage {
	all := cmp.Or(u, &Usage{}).whole()
	output := all.Output
	if output != nil && all.Reasoning != nil {
		output = new(max(0, *output-*all.Reasoning))
	}
	return Object("promptTokenCount", cmp.Or(all.Input, new(int64)), "cachedContentTokenCount?", all.Cached,
		"candidatesTokenCount?", output, "thoughtsTokenCount?", all.Reasoning, "totalTokenCount", cmp.Or(all.Total, new(int64)))
}

// geminiFinish returns what the API calls the reason of the end, "" for none. A
// reason that is the API's own, or that nobody knows, is sent as it is.
func (r *Reply) geminiFinish() string {
	said := r.finish()
	switch reason, known := chat.FinishReason(said); {
	case said == "" || !known:
		return said
	case reason == chat.FinishLength:
		return "MAX_TOKENS"
	case reason != chat.FinishFilter:
		return "STOP"
	}
	if said == strings.ToUpper(said) {
		return said
	}
	return "SAFETY"
}

// geminiChunks returns a reply in pieces.
func geminiChunks(r Reply) (chunks [][]byte, err error) {
	parts, err := r.parts(textPieces)
	for i := range parts {
		chunks = append(chunks, r.chunk(parts[i:i+1], i == len(parts)-1))
	}
	return chunks, err
}

// geminiStream returns a reply as server-sent events.
func geminiStream(r Reply) (out []byte, err error) {
	chunks, err := geminiChunks(r)
	for _, c := range chunks {
		out = fmt.Appendf(out, "data: %s\r\n\r\n", c)
	}
	return out, err
}

// geminiArray returns a reply as an array that grows.
func geminiArray(r Reply) ([]byte, error) {
	chunks, err := geminiChunks(r)
	out := []byte("[")
	for i, c := range chunks {
		if i > 0 {
			out = append(out, ",\r\n"...)
		}
		out = append(out, c...)
	}
	return append(out, ']'), err
}

// geminiWhole returns a reply as one value.
func geminiWhole(r Reply) ([]byte, error) {
	parts, err := r.parts(1)
	if err != nil {
		return nil, err
	}
	return r.chunk(parts, true), nil
}

// geminiStatus are the names that errors have beside their status.
var geminiStatus = map[int]string{
	http.StatusBadRequest: "INVALID_ARGUMENT", http.StatusUnauthorized: "UNAUTHENTICATED",
	http.StatusForbidden: "PERMISSION_DENIED", http.StatusNotFound: "NOT_FOUND", http.StatusConflict: "ABORTED",
	http.StatusRequestEntityTooLarge: "INVALID_ARGUMENT",
	http.StatusTooManyRequests:       "RESOURCE_EXHAUSTED", 499: "CANCELLED",
	http.StatusInternalServerError: "INTERNAL", http.StatusNotImplemented: "UNIMPLEMENTED",
	http.StatusServiceUnavailable: "UNAVAILABLE", http.StatusGatewayTimeout: "DEADLINE_EXCEEDED",
}

// geminiFailure spells an error as the API does. The wait stands in the body too,
// where clients look for it.
func geminiFailure(f Failure) []byte {
	var details []any
	if seconds, err := strconv.ParseUint(f.RetryAfter, 10, 32); err == nil {
		details = []any{Object("@type", "type.googleapis.com/google.rpc.RetryInfo", "retryDelay", fmt.Sprintf("%ds", seconds))}
	}
	return Object("error", Object("code", f.Status, "message", f.Message,
		"status", cmp.Or(geminiStatus[f.Status], "UNKNOWN"), "details?", details))
}

func describeGemini(name string) json.RawMessage {
	return Object("name", "models/"+name, "version", "001", "displayName", name, "inputTokenLimit", 1<<20, "outputTokenLimit", 1<<16,
		"supportedGenerationMethods", []string{"generateContent", "countTokens"})
}
