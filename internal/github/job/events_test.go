package job

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The files in testdata/events have the shape of what GitHub sends, shortened:
// octo/repo is the repository, ann may write to it, bob and mallory may not.
func TestAdmit_Events(t *testing.T) {
	const yes, secretsBesideStranger, keyBesideFork = "", "use pull_request", "without api-key"
	type want struct{ plain, key, user, bot string } // for the actor: no key, a key, allow-users and a key, allow-bots and a key
	const users, bots = "allow-users", "allow-bots"
	tests := []struct {
		file, actor string
		want        want
	}{
		{"push", "ann", want{yes, yes, yes, yes}},
		{"push-bot", "dependabot[bot]", want{bots, bots, bots, yes}},
		{"schedule", "mallory", want{yes, yes, yes, yes}},
		{"schedule", "dependabot[bot]", want{yes, yes, yes, yes}},
		{"workflow_dispatch", "ann", want{yes, yes, yes, yes}},
		{"workflow_dispatch-bot", "github-actions[bot]", want{bots, bots, bots, yes}},

		{"pull_request-branch", "ann", want{yes, yes, yes, yes}},
		{"pull_request-branch-bot", "dependabot[bot]", want{bots, bots, bots, yes}},
		{"pull_request-fork-member", "ann", want{yes, keyBesideFork, keyBesideFork, keyBesideFork}},
		{"pull_request-fork-stranger", "mallory", want{users, keyBesideFork, keyBesideFork, keyBesideFork}},
		{"pull_request-fork-deleted", "mallory", want{users, keyBesideFork, keyBesideFork, keyBesideFork}},
		{"pull_request-fork-labeled", "ann", want{users, keyBesideFork, keyBesideFork, keyBesideFork}},
		{"pull_request_review-fork", "ann", want{yes, keyBesideFork, keyBesideFork, keyBesideFork}},
		{"pull_request_review-stranger", "mallory", want{users, users, yes, users}},
		{"workflow_run-fork", "mallory", want{users, keyBesideFork, keyBesideFork, keyBesideFork}},

		{"issue_comment-stranger", "mallory", want{users, users, yes, users}},
		{"issue_comment-collaborator", "ann", want{yes, yes, yes, yes}},
		{"issue_comment-edited", "bob", want{users, users, yes, users}},
		{"issue_comment-bot", "github-actions[bot]", want{bots, bots, bots, yes}},
		{"issue_comment-app", "Copilot", want{bots, bots, bots, yes}},
		{"issues-stranger", "mallory", want{users, users, yes, users}},
		{"issues-member", "ann", want{yes, yes, yes, yes}},
		{"issues-labeled", "ann", want{users, users, yes, users}},
		{"fork", "mallory", want{users, users, yes, users}},
	}
	for _, tt := range tests {
		event, _, _ := strings.Cut(tt.file, "-")
		for _, c := range []struct {
			name       string
			key        bool
			users, bot string
			want       string
		}{
			{"plain", false, "", "", tt.want.plain}, {"key", true, "", "", tt.want.key},
			{"named user", true, "someone, " + strings.ToUpper(tt.actor), "", tt.want.user},
			{"named bot", true, "", "someone[bot]\n" + tt.actor, tt.want.bot},
			{"everybody as user", false, "*", "", "allow-users takes no *"},
			{"everybody as bot", false, "", "x, *[bot]", "allow-bots takes no *"},
		} {
			t.Run(tt.file+" by "+tt.actor+"/"+c.name, func(t *testing.T) { checkAdmit(t, event, tt.file, tt.actor, c.users, c.bot, c.key, c.want) })
		}
		if strings.HasPrefix(event, "pull_request") {
			t.Run(tt.file+" as pull_request_target", func(t *testing.T) {
				checkAdmit(t, "pull_request_target", tt.file, tt.actor, tt.actor, tt.actor, false, secretsBesideStranger)
			})
		}
	}
}

// checkAdmit asks for an event as the runner hands it over; want is part of
// the reason why no agent may run, empty when one may.
func checkAdmit(t *testing.T, event, file, actor, users, bots string, key bool, want string) {
	t.Helper()
	path := filepath.Join("testdata", "events", file+".json")
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	held := ""
	if key {
		held = "api-key"
	}
	trigger, err := Inputs(env("GITHUB_EVENT_NAME", event, "GITHUB_ACTOR", actor, "GITHUB_REPOSITORY", repo,
		"GITHUB_EVENT_PATH", path, EnvAllowUsers, users, EnvAllowBots, bots), held)
	if err == nil {
		err = Admit(trigger)
	}
	if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("Admit of %s by %s = %v, want %q", file, actor, err, want)
	}
}
