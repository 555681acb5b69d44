//go:build unix

package testscript

import (
	"strings"
	"testing"
)

// codexIs returns the start of a script in which codex is a shell script of one
// line, and has a key.
func codexIs(line string) string {
	return `mkdir bin
exec sh -c '(echo "#!/bin/sh"; echo "[ \"\$1\" = --version ] && exit; ` + line + `") >bin/codex; chmod +x bin/codex'
env PATH=$WORK/bin${:}$PATH
env CODEX_API_KEY=sk-test-0123456789
`
}

// codexStream is what follows a script in which codex succeeds.
const codexStream = `
-- codex.jsonl --
{"type":"thread.started","thread_id":"01a1fa9c-ca5b-7953-8717-c67c99a8d075"}
{"type":"turn.started"}
{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"Done."}}
{"type":"turn.completed","usage":{"input_tokens":200,"cached_input_tokens":0,"output_tokens":20}}
`

func TestAgent_Fails(t *testing.T) {
	good, bad := codexIs("cat codex.jsonl"), codexIs("exit 3")
	for text, want := range map[string]string{
		bad + "agent codex hi":    "the verdict is pre_run_error, want success: the agent failed before its run began",
		good + "! agent codex hi": "the verdict is success, want another",
		// What is no verdict on the agent is a fault, with ! too.
		good + "env CODEX_API_KEY=\n! agent codex hi":                        "the agent could not be started: codex has no key",
		good + "! agent codex ''":                                            "the agent could not be started: the prompt is empty",
		good + "! agent codex":                                               "the agent could not be started: the prompt is empty",
		good + "env OPENAGENT_BASE_URL=https://model.test\n! agent codex hi": "network access to model.test is refused",
		good + "env PATH=$WORK/bin\n! agent codex":                           "read what the command stdin set: ",
	} {
		f, _ := script(t, text+"\n"+codexStream, false)
		if !f.failed || !strings.Contains(f.log.String(), want) {
			t.Errorf("failed %v, want it to say %q:\n%s", f.failed, want, f.log.String())
		}
	}
}

// The verdict is in the log with its reason, also when it was the wanted one.
func TestAgent_VerdictIsInTheLog(t *testing.T) {
	for text, want := range map[string]string{
		codexIs("cat codex.jsonl") + "agent codex hi": "\nverdict: success",
		codexIs("exit 3") + "! agent codex hi":        "\n  the agent failed before its run began: ",
	} {
		f, _ := script(t, text+"\n"+codexStream, false)
		if f.failed || !strings.Contains(f.log.String(), want) {
			t.Errorf("failed %v, want it to pass and to say %q:\n%s", f.failed, want, f.log.String())
		}
	}
}
