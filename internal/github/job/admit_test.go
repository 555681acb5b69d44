package job

import (
	"strings"
	"testing"
)

const repo = "octo/repo"

func pull(head, association string) string {
	repo := "null"
	if head != "" {
		repo = `{"full_name":"` + head + `"}`
	}
	return `{"pull_request":{"user":{"login":"ann"},"author_association":"` + association + `","head":{"repo":` + repo + `}}}`
}

// What the payloads of testdata/events do not have.
func TestAdmit(t *testing.T) {
	const yes = ""
	tests := []struct {
		name    string
		trigger Trigger
		payload string
		want    string
	}{
		{"dispatch without payload", Trigger{Event: "workflow_dispatch"}, ``, yes},
		{"branch with key", Trigger{Event: "pull_request", Key: "the variable HF_TOKEN"}, pull("Octo/Repo", "NONE"), yes},
		{"no payload, with key", Trigger{Event: "pull_request", Key: "the variable HF_TOKEN", AllowUsers: []string{"ann"}}, ``, "without api-key"},
		{"fork of a named stranger", Trigger{Event: "pull_request", AllowUsers: []string{"x", "Ann"}}, pull("ann/repo", "NONE"), yes},
		{"scripts of a stranger", Trigger{Event: "pull_request", Scripts: true}, pull("ann/repo", "NONE"), yes},
		{"scripts of a stranger, with key", Trigger{Event: "pull_request", Scripts: true, Key: "the variable HF_TOKEN"}, pull("ann/repo", "NONE"), "without api-key"},
		{"scripts by a stranger's comment", Trigger{Event: "issue_comment", Scripts: true}, pull("ann/repo", "NONE"), "allow-users"},
		{"no payload", Trigger{Event: "pull_request"}, ``, "allow-users"},
		{"run of the repository, named user", Trigger{Event: "workflow_run", Key: "the variable HF_TOKEN", AllowUsers: []string{"ann"}}, `{"workflow_run":{"head_repository":{"full_name":"octo/repo"}}}`, yes},
		{"run without payload, with key", Trigger{Event: "workflow_run", Key: "the variable HF_TOKEN", AllowUsers: []string{"ann"}}, ``, "without api-key"},
		{"discussion of an owner", Trigger{Event: "discussion"}, `{"discussion":{"user":{"login":"ann"},"author_association":"OWNER"}}`, yes},
		{"unknown event", Trigger{Event: "brand_new"}, `{}`, "allow-users"},
		{"named bot pushes", Trigger{Event: "push", Actor: "renovate[bot]", AllowBots: []string{"Renovate[bot]"}}, `{}`, yes},
		{"bot named as user", Trigger{Event: "push", Actor: "renovate[bot]", AllowUsers: []string{"renovate[bot]"}}, `{}`, "allow-bots"},
		{"broken payload", Trigger{Event: "push"}, `{`, "read event"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.trigger.Repository, tt.trigger.Payload = repo, []byte(tt.payload)
			if tt.trigger.Actor == "" {
				tt.trigger.Actor = "ann"
			}
			err := Admit(tt.trigger)
			if (err == nil) != (tt.want == yes) || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Admit = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestAdmit_EmptyActorIsNobody(t *testing.T) {
	if err := Admit(Trigger{Event: "issues", Payload: []byte(`{"issue":{}}`), AllowUsers: []string{""}}); err == nil {
		t.Error("Admit of an event without actor = nil, want a refusal")
	}
}

// A key counts whatever its provider calls it.
func TestKeyInReach(t *testing.T) {
	for _, name := range []string{
		"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "anthropic_api_key", "HF_TOKEN", "API_KEY", "TOKEN",
		"GITHUB_PERSONAL_ACCESS_TOKEN", "GITHUB_APP_TOKEN", "ACTIONS_OTHER_TOKEN", "MY_GITHUB_TOKEN",
	} {
		if got := KeyInReach([]string{"PATH=/bin", name + "=x"}); got != name {
			t.Errorf("KeyInReach with %s = %q, want it named", name, got)
		}
	}
	for _, entry := range []string{
		"ANTHROPIC_API_KEY=", "GITHUB_TOKEN=x", "GH_TOKEN=x", "ACTIONS_RUNTIME_TOKEN=x", "ACTIONS_ID_TOKEN_REQUEST_TOKEN=x",
		"MAX_TOKENS=5", "CACHE_KEY=Linux-build", "TOKEN_FILE=/x",
	} {
		if got := KeyInReach([]string{"PATH=/bin", entry}); got != "" {
			t.Errorf("KeyInReach with %s = %q, want none", entry, got)
		}
	}
}
