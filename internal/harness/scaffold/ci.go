package scaffold

import (
	"cmp"
	"strings"

	"github.com/openagent-ci/openagent/internal/adapter"
)

// trigger is what can start the agent of a workflow.
type trigger struct{ when, event, condition, prompt string }

const ofMember = `contains(fromJSON('["OWNER", "MEMBER", "COLLABORATOR"]'), github.event.`

const guarded = " # zizmor: ignore[dangerous-triggers] only a member's text starts the agent, on code of this repository"

var triggers = map[string]trigger{
	"comment": {
		`when a member comments "/NAME" on an issue`, "  issue_comment:" + guarded + "\n    types: [created]\n",
		"!github.event.issue.pull_request && startsWith(github.event.comment.body, '/NAME') &&\n      " + ofMember + "comment.author_association)",
		"|\n            ${{ github.event.comment.body }}\n            ${{ github.event.issue.title }}\n            ${{ github.event.issue.body }}",
	},
	"label": {
		`when a member puts the label "NAME" on an issue of their own`, "  issues:\n    types: [labeled]\n",
		"github.event.label.name == 'NAME' && " + ofMember + "issue.author_association)",
		"|\n            ${{ github.event.issue.title }}\n            ${{ github.event.issue.body }}",
	},
	"schedule": {"each night", "  schedule:\n    - cron: '30 3 * * *'\n  workflow_dispatch:\n", "", "Write what the agent should do."},
}

// secrets are the usual names of secrets, where they differ from the agent's variable.
var secrets = map[string]string{"codex": "OPENAI_API_KEY", "copilot": "COPILOT_TOKEN"}

// CI returns a workflow of that name that runs an agent, nil for the built-in one, on
// comment, label or schedule. version is that of Files.
func CI(a *adapter.Agent, name, on, version string) (File, error) {
	text, err := files.ReadFile("files/ci.tmpl")
	t := triggers[on]
	agent, key := "          model: gpt-5-mini\n", "OPENAI_API_KEY"
	if a != nil {
		agent = "          agent: " + a.Name + "\n          agent-version: " + a.Tested[len(a.Tested)-1] + "\n"
		if len(a.Allow) > 0 {
			agent += "          agent-args: " + scalar(strings.Join(a.Allow, "\n")+"\n", "            ") + "\n"
		}
		key = cmp.Or(secrets[a.Name], a.Keys[0])
	}
	condition := ""
	if t.condition != "" {
		condition = "    if: >-\n      " + t.condition + "\n"
	}
	filled := strings.NewReplacer("WHEN", t.when, "TRIGGER\n", t.event+"\n", "CONDITION", condition, "OPENAGENT", actionUse(version), "AGENT", agent, "PROMPT", t.prompt, "KEY", key).Replace(string(text))
	return File{".github/workflows/" + name + ".yml", strings.ReplaceAll(filled, "NAME", name)}, err
}
