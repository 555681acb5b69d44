package adapter_test

import (
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/adapter/emit"
)

// Names come from the source as texts do: a secret in one must not get further.
func TestConvert_MasksNames(t *testing.T) {
	const secret = "sk-test-secret"
	mask := func(s string) string { return strings.ReplaceAll(s, secret, "***") }
	lines := []string{claudeInit, claudeSays("m1", claudeCall), claudeResult(`"content":"out"`, claudeAccept, `{}`), claudeOK}
	for _, name := range []string{`"Bash"`, `"Read"`, `"default"`, `"2.1.329"`, `"model":"m"`, `"config"`} {
		bare := strings.Trim(strings.TrimPrefix(name, `"model":`), `"`)
		source := strings.ReplaceAll(strings.Join(lines, "\n")+"\n", name, strings.Replace(name, bare+`"`, bare+secret+`"`, 1))
		if !strings.Contains(source, secret) {
			t.Fatalf("%s is not in the source", name)
		}
		got := convertWith(t, "claude", source, exited(0), emit.Options{Mask: mask})
		if text := string(got.lines); strings.Contains(text, secret) || !strings.Contains(text, bare+"***") {
			t.Errorf("%s with a secret: the stream is\n%s\nwant the secret replaced", name, text)
		}
	}
}
