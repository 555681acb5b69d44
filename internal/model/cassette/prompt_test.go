package cassette

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The prompt of a request is what its user says, in any of the APIs, and the system prompt
// of our own agent: not what agents add about the machine, nor what the model said.
func TestPromptTexts(t *testing.T) {
	for _, tt := range []struct {
		key, value string
		want       []string
	}{
		{"input", `"Fix it."`, []string{"Fix it."}},
		{"input/0", `{"role":"user","content":[{"type":"input_text","text":"Fix it."},{"type":"input_text","text":"Now."}]}`, []string{"Fix it.", "Now."}},
		{"messages/1", `{"role":"user","content":"Fix it."}`, []string{"Fix it."}},
		{"messages/1", `{"role":"user","content":[{"type":"text","text":" <system-reminder>today</system-reminder>"},{"type":"text","text":"Fix it."}]}`, []string{"Fix it."}},
		{"contents/0", `{"role":"user","parts":[{"text":"This is the Gemini CLI. It is Monday."},{"text":"Fix it."}]}`, []string{"Fix it."}},
		{"messages/0", `{"role":"system","content":"You are an agent that works alone in a CI job. Be brief."}`, []string{"You are an agent that works alone in a CI job. Be brief."}},
		{"messages/0", `{"role":"system","content":"You are on a Linux machine."}`, []string{}},
		{"messages/2", `{"role":"assistant","content":"I fix it."}`, []string{}},
		{"messages/2", `{"role":"user","content":"  "}`, []string{}},
		{"model", `"large"`, nil},
	} {
		if diff := cmp.Diff(tt.want, promptTexts(tt.key, tt.value)); diff != "" {
			t.Errorf("promptTexts(%s, %s) (-want +got):\n%s", tt.key, tt.value, diff)
		}
	}
}

// Two votes are about the same if rubric, task and answer are.
func TestJudgedTexts(t *testing.T) {
	const vote = `{"rubric":"Is it polite?","run":{"task":"greet","answer":"hi","transcript":["t1"]}}`
	want := []string{"rubric: Is it polite?", "task: greet", "answer: hi"}
	if diff := cmp.Diff(want, judgedTexts([]string{vote})); diff != "" {
		t.Errorf("judgedTexts (-want +got):\n%s", diff)
	}
	if got := judgedTexts([]string{vote, "prose"}); len(got) != 2 || got[1] != "prose" {
		t.Errorf("judgedTexts of prose = %q, want the texts as they are", got)
	}
}
