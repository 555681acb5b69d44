package golden_test

import (
	"fmt"
	"strings"
)

// preview returns the run whose tool_exec_finished has this preview, told as
// cut or not, with this size.
func preview(text, truncated, size string) string {
	return payload(6, fmt.Sprintf(`{"tool_call_id":"c1","tool":"read_file","ok":true,"content_preview":%s,`+
		`"truncated":%s,"original_bytes":%s}`, text, truncated, size))
}

// jsonString returns a JSON string of n times the text.
func jsonString(n int, of string) string { return `"` + strings.Repeat(of, n) + `"` }

// names returns a JSON list of n strings of size letters each.
func names(n, size int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(jsonString(size, "n")+",", n), ",") + "]"
}

// Payloads whose texts break a bound, and sizes that do not add up.
var sizeVectors = []vector{
	{"size-preview-4097", "content_preview has 4097 letters",
		preview(jsonString(4097, "a"), "false", "null"), wants(at(6, "size/preview"))},
	{"size-preview-4097-wide-2", "content_preview has 4097 bytes, the last 4096 in code points of 2 bytes",
		preview(`"a`+repeated(2048, "é")+`"`, "false", "null"), wants(at(6, "size/preview"))},
	{"size-preview-4098-wide-3", "content_preview has 1366 characters of 3 bytes",
		preview(jsonString(1366, "€"), "true", "9000"), wants(at(6, "size/preview"))},
	{"size-preview-4100-wide-4", "content_preview has 1025 characters of 4 bytes",
		preview(jsonString(1025, "😀"), "true", "9000"), wants(at(6, "size/preview"))},
	{"size-preview-4100-escaped", "content_preview has 1025 characters of 4 bytes, written as escaped pairs",
		preview(jsonString(1025, `\ud83d\ude00`), "true", "9000"), wants(at(6, "size/preview"))},

	{"size-string-final-output-4097", "final_output has 4097 bytes",
		short(put(done, `"done"`, jsonString(4097, "a"))), wants(at(2, "size/string"))},
	{"size-string-error-4097", "error has 4097 bytes",
		short(`{"exit_reason":"timeout","ok":false,"final_output":"","error":` + jsonString(4097, "a") + `}`),
		wants(at(2, "size/string"))},
	{"size-string-arguments-4097", "arguments_preview has 4097 bytes",
		edit(3, `"read_file"`, `"read_file","arguments_preview":`+jsonString(4097, "a")), wants(at(3, "size/string"))},
	{"size-string-text-2049", "text_preview has 2049 bytes",
		edit(3, `"read_file"`, `"read_file","text_preview":`+jsonString(2049, "a")), wants(at(3, "size/string"))},
	{"size-string-reason-1025", "reason of tool_decision has 1025 bytes",
		edit(4, `"reason":null`, `"reason":`+jsonString(1025, "a")), wants(at(4, "size/string"))},
	{"size-string-tool-257", "tool of tool_call_detected has 257 bytes",
		edit(3, `"read_file"`, jsonString(257, "a")), wants(at(3, "size/string"))},
	{"size-string-tool-258-wide", "tool of tool_call_detected has 129 characters and 258 bytes",
		edit(3, `"read_file"`, jsonString(129, "é")), wants(at(3, "size/string"))},
	{"size-string-summary-201", "summary_text has 201 characters",
		edit(6, `"original_bytes":null`, `"original_bytes":null,"summary_text":`+jsonString(201, "a")),
		wants(at(6, "size/string"))},
	{"size-string-message-201", "message_short has 201 characters",
		among("provider_error", message(jsonString(201, "a"))), wants(at(2, "size/string"))},
	{"size-string-message-two-lines", "message_short has two lines",
		among("provider_error", message(`"one\ntwo"`)), wants(at(2, "size/string"))},
	{"size-string-nested-257", "a path in artifacts has 257 bytes",
		edit(6, `"original_bytes":null`, `"original_bytes":null,"artifacts":[{"path":`+jsonString(257, "a")+`}]`),
		wants(at(6, "size/string"))},
	{"size-string-list-65", "allowed_tools has 65 items",
		edit(2, `["read_file"]`, names(65, 1)), wants(at(2, "size/string"))},
	{"size-string-list-2049", "the items of allowed_tools have 2049 bytes together, each within its bound",
		edit(2, `["read_file"]`, strings.Replace(names(8, 256), "[", `["n",`, 1)), wants(at(2, "size/string"))},
	{"size-string-run-id-257", "run_id has 257 bytes on both lines",
		strings.ReplaceAll(short(done), `"r1"`, `"`+repeated(257, "r")+`"`),
		wants(at(1, "size/string"), at(2, "size/string"))},
	{"size-string-run-id-257-wide", "run_id has 129 characters and 257 bytes on both lines",
		strings.ReplaceAll(short(done), `"r1"`, `"r`+repeated(128, "é")+`"`),
		wants(at(1, "size/string"), at(2, "size/string"))},
	{"size-string-two-texts", "tool and source of tool_call_detected are both above their bound: one finding each",
		edit(3, `"read_file"`, jsonString(257, "a")+`,"source":`+jsonString(257, "a")),
		wants(at(3, "size/string"), at(3, "size/string"))},

	{"size-truncation-not-more", "truncated is true and original_bytes is the size of the preview",
		preview(`"12345"`, "true", "5"), wants(at(6, "size/truncation"))},
	{"size-truncation-less", "truncated is true and original_bytes is less than the size of the preview",
		preview(`"12345"`, "true", "4"), wants(at(6, "size/truncation"))},
	{"size-truncation-null-preview", "truncated is true beside a preview that is null",
		preview("null", "true", "9000"), wants(at(6, "size/truncation"))},
	{"size-truncation-whole-differs", "truncated is false and original_bytes is not the size of the preview",
		preview(`"12345"`, "false", "6"), wants(at(6, "size/truncation"))},
	{"size-truncation-zero", "truncated is false and original_bytes is 0 beside a text",
		preview(`"12345"`, "false", "0"), wants(at(6, "size/truncation"))},
	{"size-truncation-counts-characters", "truncated is false and original_bytes counts characters, not bytes",
		preview(`"éé"`, "false", "2"), wants(at(6, "size/truncation"))},
	{"size-truncation-negative", "original_bytes is -1",
		preview(`"12345"`, "true", "-1"), wants(at(6, "size/truncation"))},
	{"size-truncation-negative-output", "output_bytes is -1",
		edit(6, `"original_bytes":null`, `"original_bytes":null,"output_bytes":-1`), wants(at(6, "size/truncation"))},
	{"size-truncation-final-output", "truncated of run_finished is true and original_bytes is the size of final_output",
		short(put(done, "null}", `null,"truncated":true,"original_bytes":4}`)), wants(at(2, "size/truncation"))},

	{"size-truncation-unknown-preview", "the preview is cut and original_bytes is null",
		preview(`"12345"`, "true", "null"), wants(at(6, "size/truncation-unknown"))},
	{"size-truncation-unknown-final-output", "final_output is cut and original_bytes is missing",
		short(put(done, "null}", `null,"truncated":true}`)), wants(at(2, "size/truncation-unknown"))},
}

func message(text string) string {
	return `{"kind":"auth","status":401,"retryable":false,"message_short":` + text + `}`
}
