package provider

import (
	"encoding/json"
	"testing"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

func TestParameters_OnTheWire(t *testing.T) {
	all := Parameters{Effort: "high", Temperature: "0.5", MaxOutput: 99}
	for name, test := range map[string]struct {
		api   API
		given Parameters
		want  map[string]string
	}{
		"none":               {APIChat, Parameters{}, map[string]string{}},
		"none, responses":    {APIResponses, Parameters{}, map[string]string{}},
		"all":                {APIChat, all, map[string]string{"reasoning_effort": `"high"`, "temperature": "0.5", "max_completion_tokens": "99"}},
		"all, responses":     {APIResponses, all, map[string]string{"reasoning": `{"effort":"high"}`, "temperature": "0.5", "max_output_tokens": "99"}},
		"a temperature of 0": {APIChat, Parameters{Temperature: "0"}, map[string]string{"temperature": "0"}},
	} {
		c := New(Config{API: test.api, Model: "m", Parameters: test.given})
		text, err := c.body(chat.Request{Messages: []*chat.Message{{Role: chat.RoleUser, Content: "hi"}}})
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]json.RawMessage
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%s: %v in %s", name, err, text)
		}
		for _, member := range []string{"reasoning_effort", "reasoning", "temperature", "max_completion_tokens", "max_output_tokens", "max_tokens"} {
			if string(got[member]) != test.want[member] {
				t.Errorf("%s: %s is %s, want %s", name, member, got[member], test.want[member])
			}
		}
	}
}

// An edit adds to the object that a parameter makes.
func TestParameters_BesideAnEdit(t *testing.T) {
	edit, err := ParseEdit(`/reasoning/summary="auto"`)
	if err != nil {
		t.Fatal(err)
	}
	c := New(Config{API: APIResponses, Model: "m", Parameters: Parameters{Effort: "low"}, Edits: []Edit{edit}})
	text, err := c.body(chat.Request{})
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Reasoning map[string]string `json:"reasoning"`
	}
	if err := json.Unmarshal(text, &got); err != nil || got.Reasoning["effort"] != "low" || got.Reasoning["summary"] != "auto" {
		t.Errorf("reasoning of %s is %v, %v, want both members", text, got.Reasoning, err)
	}
}

func TestParameters_Contradicted(t *testing.T) {
	all := Parameters{Effort: "high", Temperature: "1", MaxOutput: 1}
	for text, want := range map[string]string{
		"/temperature=1": "temperature", "/temperature=null": "temperature",
		`/reasoning_effort="low"`: "reasoning-effort", `/reasoning/effort="low"`: "reasoning-effort", "/reasoning={}": "reasoning-effort",
		"/max_completion_tokens=1": "max-output-tokens", "/max_tokens=1": "max-output-tokens", "/max_output_tokens=1": "max-output-tokens",
		`/reasoning/summary="auto"`: "", "/temperatures=1": "", "/user=1": "",
	} {
		edit, err := ParseEdit(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := all.Contradicted(Edits{edit}); got != want {
			t.Errorf("Contradicted(%s) = %q, want %q", text, got, want)
		}
		if got, _ := (Parameters{}).Contradicted(Edits{edit}); got != "" {
			t.Errorf("Contradicted(%s) without parameters = %q, want none", text, got)
		}
	}
}
