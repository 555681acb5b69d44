package observe

import (
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
)

const (
	// others is the name under which all keys are gathered that have none of their own.
	others = "*"
	// items stands for the values of an array.
	items = "[]"
)

// dictionaries are the keys of objects whose keys are data, such as names of models.
var dictionaries = []string{
	"modelUsage", "model_usage_since_last_result", "models", "by_type", "byName", "headers", "responseHeaders",
}

// arguments are the keys of the arguments of a tool call, whose keys a model wrote.
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
	return slices.Contains(choices, strings.ToLower(strings.TrimPrefix(key[max(at, 0):], "_")))
}

// Names and words that are kept: no other text of a stream is in a result. No colon
// begins a label, so that none begins a command of a job.
var (
	wordPattern  = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_./:-]{0,63}$`)
	keyPattern   = lazyregexp.New(`^[A-Za-z_$@][A-Za-z0-9_$@-]{0,63}$`)
	labelPattern = lazyregexp.New(`^[A-Za-z0-9 _+./@()-]{0,64}$`)
)

// isWord reports whether a text can be a word of a choice.
func isWord(text string) bool { return wordPattern().MatchString(text) }

// isKey reports whether a key is the name of something, which can be printed.
func isKey(key string) bool { return keyPattern().MatchString(key) }

// label returns a type, a version or the name of an agent if it can be printed, else
// the name for all others.
func label(text string) string {
	if !labelPattern().MatchString(text) {
		return others
	}
	return text
}

// typeOf names the type of a line: its type, and in an agent's own form its subtype and
// the type of what it is made of.
func typeOf(line map[string]any) string {
	text, _ := line["type"].(string)
	name := label(text)
	if subtype, ok := line["subtype"].(string); ok {
		name += "/" + label(subtype)
	}
	for _, part := range []string{"item", "part"} {
		value, _ := line[part].(map[string]any)
		if kind, ok := value["type"].(string); ok {
			name += "/" + label(kind)
		}
	}
	if name = label(name); name == "" {
		return others
	}
	return name
}

// join returns the path of a key of an object, or of the values of an array.
func join(path, name string) string {
	if path == "" || name == items {
		return path + name
	}
	return path + "." + name
}

// parentOf returns the path of the object, or the array, that holds a key.
func parentOf(path string) string {
	if array, ok := strings.CutSuffix(path, items); ok {
		return array
	}
	return path[:max(strings.LastIndexByte(path, '.'), 0)]
}
