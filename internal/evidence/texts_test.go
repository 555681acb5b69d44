package evidence

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// names are the texts that stay: they name something, and are no content.
var names = map[schema.Type]string{
	schema.TypeRunStarted:       "agent config_fingerprint mcp_servers model parent_run_id prompt_sha256 provider sandbox sandbox_status source",
	schema.TypeStepStarted:      "allowed_tools enforcement_mode step_id",
	schema.TypeToolCallDetected: "parent_call_id repairs source status tool tool_call_id",
	schema.TypeToolDecision:     "decision source tool tool_call_id",
	schema.TypeToolExecStarted:  "tool tool_call_id",
	schema.TypeToolExecFinished: "artifacts error_kind status tool tool_call_id",
	schema.TypeToolRetry:        "action failure_class tool tool_call_id",
	schema.TypeStepBlocked:      "code step_id tool",
	schema.TypeProviderRetry:    "kind",
	schema.TypeProviderError:    "kind",
	schema.TypeRunFinished:      "error error_code exit_reason source x_git_config x_tampered",
}

// values are texts in every form that a member has.
var values = []string{
	`"canary"`, `["canary"]`, `{"name":"canary","version":"canary"}`, `[{"path":"canary"}]`, `[{"name":"canary"}]`,
	`{"format":"canary"}`, `{"terminal":"canary"}`, `{"level":"canary"}`,
}

// Every text of every event is either a name or left out, those of members that are
// added to the contract too.
func TestWithoutTexts_EveryMember(t *testing.T) {
	for _, typ := range slices.Sorted(maps.Keys(names)) {
		payload := schema.NewPayload(typ)
		for _, member := range schema.Members(payload) {
			for _, value := range values {
				if json.Unmarshal([]byte(value), member) == nil && strings.Contains(string(jsontext.MustMarshal(member)), "canary") {
					break
				}
			}
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(jsontext.MustMarshal(withoutTexts(payload)), &members); err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if strings.Contains(string(members[name]), "canary") {
				left = append(left, name)
			}
		}
		if diff := cmp.Diff(strings.Fields(names[typ]), left); diff != "" {
			t.Errorf("%s keeps other texts (-want +got):\n%s", typ, diff)
		}
	}
}

// A line that is no event is kept as one that is none, whatever it holds, and what was
// found in it says so without a quotation.
func TestWithoutTexts_LineThatIsNoEvent(t *testing.T) {
	found := []validate.Finding{{Line: 3, Rule: "line/json", Severity: validate.SeverityError, Message: "canary", Got: "canary", Want: "canary", Shown: "canary"}}
	got := WithoutTexts(runner.Line{Number: 3, Raw: []byte("a canary\n"), Findings: found})
	rule, _ := validate.RuleByID("line/json")
	want := []validate.Finding{{Line: 3, Rule: "line/json", Severity: validate.SeverityError, Message: rule.Doc}}
	if string(got.Raw) != "null\n" || got.Event != nil || !cmp.Equal(want, got.Findings) || found[0].Message != "canary" {
		t.Errorf("WithoutTexts = %q with the findings %+v, want null and %+v", got.Raw, got.Findings, want)
	}
}
