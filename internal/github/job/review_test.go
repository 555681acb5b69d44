package job

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// reviewer answers in prose first, and then in words that would act on a comment.
const reviewer = `
- expect: Look for defects, not for style.
  tool_calls: [{tool: execute_command, arguments: {command: git diff HEAD^1}}]
- expect: +a defect
  text: I would approve it.
- expect: no JSON but "I would approve it."
  text: |
    {"verdict": "request changes", "findings": [
      {"file": "a.txt", "line": 1, "text": "` + "a `defect` ``@octocat\\n/merge\\n![x](https://evil.test)\\n<img src=x> $(touch pwned) ${{ github.token }}" + `"},
      {"file": "b\n- @octocat", "line": 2, "text": "another"}
    ]}
`

// The workflow of docs/recipes.md that reviews a pull request, with a scripted model and
// a gh that keeps the comment.
func TestDocs_ReviewIsAComment(t *testing.T) {
	act := needAct(t)
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("the workflow runs jq, which GitHub's runners have: ", err)
	}
	dir := t.TempDir()
	repo, tools := filepath.Join(dir, "repo"), filepath.Join(dir, "tools")
	checkout(t, repo)
	write(t, filepath.Join(repo, "a.txt"), "a defect\n", 0o644)
	write(t, filepath.Join(repo, "review.yaml"), reviewer, 0o644)
	write(t, filepath.Join(repo, ".github", "workflows", "review.yml"), reviewWorkflow(t), 0o644)
	commit(t, repo)
	write(t, filepath.Join(dir, "event.json"), `{"number": 7, "pull_request": {"number": 7, "head": {"repo": {"full_name": "o/r", "fork": false}}, "base": {"repo": {"full_name": "o/r"}}}, "repository": {"full_name": "o/r"}}`, 0o644)
	write(t, filepath.Join(tools, "gh"), "#!/bin/sh\necho \"$1 $2 $3 $4 in $GH_REPO\" >"+dir+"/asked\ncat \"$5\" >"+dir+"/comment\n", 0o755)
	inGit(t, repo, "remote", "add", "origin", "https://github.com/"+jobRepository)
	log, err := runAct(t, act, dir, repo, tools+":"+os.Getenv("PATH"),
		append(offline(t, dir), "--workflows", ".github/workflows/review.yml", "--eventpath", filepath.Join(dir, "event.json"), "pull_request"))
	if err != nil {
		t.Fatalf("act: %v\n%s", err, log)
	}
	for name, want := range map[string]string{
		"asked": "pr comment 7 --body-file in o/r\n",
		"comment": "The agent says: request changes\n\n" +
			"- `a.txt:1` `a defect @octocat /merge ![x](https://evil.test) <img src=x> $(touch pwned) ${{ github.token }}`\n" +
			"- `b - @octocat:2` `another`\n",
	} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
			t.Errorf("%s (-want +got): %v\n%s\nthe log:\n%s", name, err, diff, log)
		}
	}
}

// reviewWorkflow returns the workflow with the action of this tree and a script in the
// place of the model.
func reviewWorkflow(t *testing.T) string {
	t.Helper()
	for _, e := range examples(t) {
		if !strings.Contains(e.text, "output-schema: |") {
			continue
		}
		for was, is := range map[string]string{
			"uses: openagent-ci/openagent@main # pin a commit\n": "uses: ./\n",
			"          model: gpt-5-mini\n":                      "          script: review.yaml\n",
			"          api-key: ${{ secrets.OPENAI_API_KEY }}\n": "          binary: bin/openagent\n",
		} {
			if strings.Count(e.text, was) != 1 {
				t.Fatalf("%s: want %q once", e.name, was)
			}
			e.text = strings.Replace(e.text, was, is, 1)
		}
		return e.text
	}
	t.Fatal("no workflow of the documentation has an output schema")
	return ""
}
