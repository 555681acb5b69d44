package actions

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

func comment(login, association string) string {
	return `{"issue":{"user":{"login":"ann"},"author_association":"OWNER"},
		"comment":{"user":{"login":"` + login + `"},"author_association":"` + association + `"}}`
}

func TestAdmit(t *testing.T) {
	const yes = ""
	tests := []struct {
		name    string
		trigger Trigger
		payload string
		want    string
	}{
		{"push", Trigger{Event: "push", HasKey: true}, `{}`, yes},
		{"schedule by a bot", Trigger{Event: "schedule", Actor: "renovate[bot]", HasKey: true}, ``, yes},
		{"dispatch without payload", Trigger{Event: "workflow_dispatch"}, ``, yes},

		{"pull_request_target", Trigger{Event: "pull_request_target"}, pull(repo, "OWNER"), "use pull_request"},
		{"pull_request_target, named user", Trigger{Event: "pull_request_target", AllowUsers: []string{"ann"}}, pull(repo, "OWNER"), "use pull_request"},

		{"branch with key", Trigger{Event: "pull_request", HasKey: true}, pull("Octo/Repo", "NONE"), yes},
		{"fork with key", Trigger{Event: "pull_request", HasKey: true}, pull("ann/repo", "MEMBER"), "without api-key"},
		{"fork with key, named user", Trigger{Event: "pull_request", HasKey: true, AllowUsers: []string{"ann"}}, pull("ann/repo", "NONE"), "without api-key"},
		{"fork that is gone, with key", Trigger{Event: "pull_request", HasKey: true}, pull("", "MEMBER"), "without api-key"},
		{"no payload, with key", Trigger{Event: "pull_request", HasKey: true, AllowUsers: []string{"ann"}}, ``, "without api-key"},
		{"review of a fork with key", Trigger{Event: "pull_request_review", HasKey: true}, pull("ann/repo", "MEMBER"), "without api-key"},
		{"fork of a member without key", Trigger{Event: "pull_request"}, pull("ann/repo", "MEMBER"), yes},
		{"fork of a stranger", Trigger{Event: "pull_request"}, pull("ann/repo", "FIRST_TIME_CONTRIBUTOR"), "allow-users"},
		{"fork of a named stranger", Trigger{Event: "pull_request", AllowUsers: []string{"x", "Ann"}}, pull("ann/repo", "NONE"), yes},
		{"no payload", Trigger{Event: "pull_request"}, ``, "allow-users"},

		{"run of a fork with key", Trigger{Event: "workflow_run", HasKey: true, AllowUsers: []string{"ann"}}, `{"workflow_run":{"head_repository":{"full_name":"ann/repo"}}}`, "without api-key"},
		{"run of the repository, named user", Trigger{Event: "workflow_run", HasKey: true, AllowUsers: []string{"ann"}}, `{"workflow_run":{"head_repository":{"full_name":"octo/repo"}}}`, yes},
		{"run without payload, with key", Trigger{Event: "workflow_run", HasKey: true, AllowUsers: []string{"ann"}}, ``, "without api-key"},

		{"comment of a collaborator", Trigger{Event: "issue_comment"}, comment("ann", "COLLABORATOR"), yes},
		{"comment of a stranger on an owner's issue", Trigger{Event: "issue_comment"}, comment("ann", "NONE"), "allow-users"},
		{"owner's comment edited by another", Trigger{Event: "issue_comment"}, comment("bob", "OWNER"), "allow-users"},
		{"issue of a member", Trigger{Event: "issues"}, `{"issue":{"user":{"login":"ann"},"author_association":"MEMBER"}}`, yes},
		{"issue of a contributor", Trigger{Event: "issues"}, `{"issue":{"user":{"login":"ann"},"author_association":"CONTRIBUTOR"}}`, "allow-users"},
		{"discussion of an owner", Trigger{Event: "discussion"}, `{"discussion":{"user":{"login":"ann"},"author_association":"OWNER"}}`, yes},
		{"star", Trigger{Event: "watch"}, `{}`, "allow-users"},
		{"unknown event", Trigger{Event: "brand_new"}, `{}`, "allow-users"},

		{"bot pushes", Trigger{Event: "push", Actor: "renovate[bot]"}, `{}`, "allow-bots"},
		{"named bot pushes", Trigger{Event: "push", Actor: "renovate[bot]", AllowBots: []string{"Renovate[bot]"}}, `{}`, yes},
		{"bot named as user", Trigger{Event: "push", Actor: "renovate[bot]", AllowUsers: []string{"renovate[bot]"}}, `{}`, "allow-bots"},
		{"bot by type", Trigger{Event: "push"}, `{"sender":{"type":"Bot"}}`, "allow-bots"},

		{"star in users", Trigger{Event: "push", AllowUsers: []string{"*"}}, `{}`, "allow-users takes no *"},
		{"star in bots", Trigger{Event: "push", AllowBots: []string{"*[bot]"}}, `{}`, "allow-bots takes no *"},
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
	for entry, want := range map[string]bool{
		"OPENAI_API_KEY=sk-test-1": true, "ANTHROPIC_API_KEY=x": true, "anthropic_api_key=x": true, "HF_TOKEN=x": true,
		"ANTHROPIC_API_KEY=": false, "GITHUB_TOKEN=x": false, "GH_TOKEN=x": false, "ACTIONS_RUNTIME_TOKEN=x": false,
		"MAX_TOKENS=5": false, "CACHE_KEY=Linux-build": false, "TOKEN_FILE=/x": false,
	} {
		if got := KeyInReach([]string{"PATH=/bin", entry}); got != want {
			t.Errorf("KeyInReach with %s = %t, want %t", entry, got, want)
		}
	}
}
