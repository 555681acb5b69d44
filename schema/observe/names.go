package observe

import (
	"slices"
	"strings"
)

// others is the name under which all keys are gathered that have no place under
// their own.
const others = "*"

// maxName bounds a key, a type and a word, in bytes; maxLabel the name of an agent.
const (
	maxName  = 64
	maxLabel = 64
)

// role is what the name of a key says of its values.
type role struct {
	choice bool // they are words of a choice
	folds  bool // they are objects whose keys are data, such as names of models
	shut   bool // they are what a model wrote, so their keys say nothing of the stream
	others bool // it is the key that stands for many
}

func roleOf(key string) role {
	return role{choice: isChoice(key), folds: slices.Contains(dictionaries, key), shut: slices.Contains(arguments, key), others: key == others}
}

// dictionaries are the keys of objects whose keys are data.
var dictionaries = []string{
	"modelUsage", "model_usage_since_last_result", "models", "by_type", "byName", "headers", "responseHeaders",
}

// arguments are the keys of the arguments of a tool call.
var arguments = []string{"arguments", "args", "input", "parameters", "tool_input"}

// choices are the keys, or the last words of keys, whose texts are one of a few words.
var choices = []string{
	"type", "subtype", "kind", "status", "state", "role", "mode", "level", "class", "category", "source", "reason", "action",
	"decision", "outcome", "code", "format", "terminal", "transport",
}

// isChoice reports whether the texts of a key are words of a choice, as it is called:
// status, exit_reason, errorType.
func isChoice(key string) bool {
	at := strings.LastIndexFunc(key, func(r rune) bool { return r == '_' || 'A' <= r && r <= 'Z' })
	if at >= 0 && key[at] == '_' {
		at++
	}
	return slices.Contains(choices, strings.ToLower(key[max(at, 0):]))
}

// isWord reports whether a text can be a word of a choice.
func isWord(text []byte) bool {
	return len(text) > 0 && len(text) <= maxName && letter(rune(text[0])) && !slices.ContainsFunc(text, func(c byte) bool {
		return !letter(rune(c)) && !digit(rune(c)) && !strings.ContainsRune("_-./:", rune(c))
	})
}

// isKey reports whether a key is the name of something, which can be printed.
func isKey(key string) bool {
	if key == "" || len(key) > maxName || digit(rune(key[0])) || key[0] == '-' {
		return false
	}
	return !strings.ContainsFunc(key, func(r rune) bool { return !letter(r) && !digit(r) && !strings.ContainsRune("_-$@", r) })
}

// label returns a type, a version or the name of an agent if it can be printed, else
// the name for all others; nothing for nothing. No colon can begin a command of a job.
func label(text []byte) string {
	if len(text) > maxLabel || slices.ContainsFunc(text, func(c byte) bool {
		return !letter(rune(c)) && !digit(rune(c)) && !strings.ContainsRune(" _-+./@()", rune(c))
	}) {
		return others
	}
	return string(text)
}

func letter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

func digit(r rune) bool { return '0' <= r && r <= '9' }
