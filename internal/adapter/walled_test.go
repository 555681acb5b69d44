package adapter_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/adapter"
)

// Within a sandbox of ours a program's own is off, by its documented option, and the
// user's word comes after that.
func TestStart_OwnSandboxIsOff(t *testing.T) {
	for name, want := range map[string]string{
		"claude": `--settings {"sandbox":{"enabled":false}}`, "codex": "-s danger-full-access", "copilot": "",
		"gemini": "GEMINI_SANDBOX=false", "opencode": "", "qwen": "QWEN_SANDBOX=false GEMINI_SANDBOX=false",
	} {
		a, err := adapter.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		words := func(walled bool) string {
			s := a.Start(adapter.Launch{Dir: "/w", Home: "/h", Walled: walled})
			return strings.Join(slices.Concat(s.Args, s.Env), " ")
		}
		if got := words(true); !strings.Contains(got, want) {
			t.Errorf("%s in a sandbox is started by %q, want %q in it", name, got, want)
		}
		if got := words(false); want == "" && got != words(true) || want != "" && strings.Contains(got, want) {
			t.Errorf("%s without one is started by %q", name, got)
		}
	}
	for name, word := range map[string]string{"codex": "-sread-only", "claude": "--settings=mine.json"} {
		a, err := adapter.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		args := strings.Join(a.Start(adapter.Launch{Walled: true, Args: []string{word}}).Args, " ")
		if strings.Contains(args, "danger") || strings.Contains(args, `{"sandbox`) || !strings.Contains(args, word) {
			t.Errorf("%s that is told %s is started by %s, want the user's word alone", name, word, args)
		}
	}
}
