package cli

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// explain has each word that the program's constants name.
func TestExplain_HasEveryWord(t *testing.T) {
	for file, c := range map[string]struct{ kind, pattern string }{
		"../../runner/execution.go":   {"verdict", `Verdict\w+ +Verdict = "(\w+)"|Verdict\w+ += "(\w+)"`},
		"../../schema/schema.go":      {"exit reason", `Exit\w+ += "(\w+)"`},
		"../../schema/results.go":     {"scenario status", `Test\w+ += "(\w+)"`},
		"../tool/result.go":           {"call status", `Status\w+ +Status = "(\w+)"`},
		"../agent/session/prerun.go":  {"error code", `code\w+ += "(\w+)"`},
		"../adapter/emit/terminal.go": {"error code", `(?i:code)\w+ += "(\w+)"`},
		"../model/toolcall/leak.go":   {"error code", `ReasonLeaked += "(\w+)"`},
		"../runlog/chat/chat.go":      {"failure class", `Fail\w+ +FailureKind = "(\w+)"`},
		"../agent/guard.go":           {"block code", `return "(\w+)", fmt`},
		"../agent/handle.go":          {"block code", `r\.blocked\("(\w+)"`},
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(c.pattern).FindAllStringSubmatch(string(text), -1)
		if len(found) == 0 {
			t.Errorf("%s has no constant of the form %s", file, c.pattern)
		}
		for _, m := range found {
			name := strings.Join(m[1:], "")
			if !slices.ContainsFunc(words(), func(w word) bool { return w.kind == c.kind && w.name == name }) {
				t.Errorf("words.txt has no %s %s", c.kind, name)
			}
		}
	}
	if lines := strings.Count(wordsFile, "\n"); lines != len(words()) {
		t.Errorf("words.txt has %d lines, of which %d have a kind, a word, a meaning and a fix", lines, len(words()))
	}
}
