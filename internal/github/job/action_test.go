package job

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"
)

const root = "../../.."

type action struct {
	Branding map[string]string
	Inputs   map[string]struct {
		Description string
		Default     *string
	}
	Outputs map[string]struct{ Description, Value string }
	Runs    struct {
		Using string
		Steps []actionStep
	}
}

type actionStep struct {
	ID, If, Uses, Run, Shell string
	WorkingDirectory         string `yaml:"working-directory"`
	Env, With                map[string]string
}

func readYAML(t testing.TB, path string, into any) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return string(data)
}

func readAction(t testing.TB) (a action, text string) {
	t.Helper()
	text = readYAML(t, "action.yml", &a)
	return a, text
}

// commentAction is the action that puts a run on its pull request.
const commentAction = "comment/action.yml"

func readComment(t testing.TB) (a action) {
	t.Helper()
	readYAML(t, commentAction, &a)
	return a
}

func (a action) step(t testing.TB, id string) actionStep {
	t.Helper()
	i := slices.IndexFunc(a.Runs.Steps, func(s actionStep) bool { return s.ID == id })
	if i < 0 {
		t.Fatalf("action.yml has no step %q", id)
	}
	return a.Runs.Steps[i]
}

// eachStep calls f for the steps of the action and of every workflow; shell
// is the one that the step runs in.
func eachStep(t *testing.T, f func(file, shell string, s actionStep)) {
	t.Helper()
	a, _ := readAction(t)
	for _, s := range a.Runs.Steps {
		f("action.yml", s.Shell, s)
	}
	c := readComment(t)
	for _, s := range c.Runs.Steps {
		f(commentAction, s.Shell, s)
	}
	for _, path := range workflows(t) {
		var w workflow
		readYAML(t, path, &w)
		for _, job := range w.Jobs {
			for _, s := range job.Steps {
				f(path, s.Shell+w.Defaults.Run.Shell, s)
			}
		}
	}
}

func workflows(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, ".github", "workflows", "*.y*ml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("workflows: %v, %v", paths, err)
	}
	for i, p := range paths {
		if paths[i], err = filepath.Rel(root, p); err != nil {
			t.Fatal(err)
		}
	}
	return paths
}

// A script has a shell, and no expression: those are passed by variables. An action has
// one pin: two are an update that was done by half.
func TestAction_Steps(t *testing.T) {
	scripts, pins := 0, map[string]string{}
	eachStep(t, func(file, shell string, s actionStep) {
		if s.Run != "" {
			scripts++
		}
		if s.Run != "" && shell == "" || strings.Contains(s.Run, "${{") {
			t.Errorf("%s: step %q has the shell %q, want one, and no expression in its script:\n%s", file, s.ID, shell, s.Run)
		}
		name, pin, _ := strings.Cut(s.Uses, "@")
		if other := pins[name]; other != "" && pin != "" && other != pin {
			t.Errorf("%s: %s is pinned to %s, elsewhere to %s", file, name, pin, other)
		}
		pins[name] = pin
	})
	if scripts < 5 {
		t.Errorf("found %d scripts, want those of the action and the workflows", scripts)
	}
}

// In a job with a container the paths that expressions give are those of the
// machine around it; the variables have those of the container.
func TestAction_PathsComeFromVariables(t *testing.T) {
	_, text := readAction(t)
	for _, path := range []string{"github.action_path", "github.workspace", "runner.temp"} {
		if strings.Contains(text, path) {
			t.Errorf("action.yml takes a path from %s", path)
		}
	}
	output, _ := script(t, "prepare", "RUNNER_TEMP="+t.TempDir(), "ACTION_UPLOAD=auto", "GITHUB_ACTION_PATH=/a b")
	if got := parse(t, output)["module"]; got != "/a b/go.mod" {
		t.Errorf("prepare names the module file %q, want that of the action", got)
	}
}

var pinnedUse = regexp.MustCompile(`^\s*(?:- )?uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)

func TestAction_UsesArePinned(t *testing.T) {
	for _, path := range append(workflows(t), "action.yml", commentAction) {
		text := readYAML(t, path, &struct{}{})
		uses := 0
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\r\n")
			if !strings.Contains(line, "uses:") || strings.HasSuffix(line, "uses: ./") {
				continue
			}
			uses++
			if !pinnedUse.MatchString(line) {
				t.Errorf("%s: %q is not pinned to a commit with its version beside it", path, strings.TrimSpace(line))
			}
		}
		if uses == 0 {
			t.Errorf("%s: found no uses", path)
		}
	}
}

func TestAction_OutputsAreReal(t *testing.T) {
	a, _ := readAction(t)
	real := map[string][]string{"run": outputNames(), "upload": {"artifact-id", "artifact-url"}}
	value := regexp.MustCompile(`^\$\{\{ steps\.(\w+)\.outputs\.([a-z-]+)( \|\| steps\.end\.outputs\.(ok|verdict|error))? \}\}$`)
	declared := map[string]bool{}
	for name, o := range a.Outputs {
		m := value.FindStringSubmatch(o.Value)
		if m == nil || m[2] != name || m[3] != "" && m[4] != name || !slices.Contains(real[m[1]], name) {
			t.Errorf("output %s has the value %q, which no step sets", name, o.Value)
			continue
		}
		a.step(t, m[1])
		declared[name] = true
		if o.Description == "" {
			t.Errorf("output %s has no description", name)
		}
	}
	for _, names := range real {
		for _, name := range names {
			if !declared[name] {
				t.Errorf("output %s is set but not declared", name)
			}
		}
	}
}

func TestAction_InputsAreDeclaredAndUsed(t *testing.T) {
	a, text := readAction(t)
	_, steps, _ := strings.Cut(text, "\nruns:")
	used := map[string]bool{}
	for _, m := range regexp.MustCompile(`inputs\.([a-z-]+)`).FindAllStringSubmatch(steps, -1) {
		used[m[1]] = true
		if _, ok := a.Inputs[m[1]]; !ok {
			t.Errorf("a step uses the input %s, which is not declared", m[1])
		}
	}
	for name, in := range a.Inputs {
		if !used[name] || in.Description == "" || in.Default == nil {
			t.Errorf("input %s: used %v, description %q, default %v; want all three", name, used[name], in.Description, in.Default)
		}
	}
}

// A program is there before it runs, the evidence is looked at after it, and
// Go is asked for only where a program is built.
func TestAction_StepsAreInOrder(t *testing.T) {
	a, _ := readAction(t)
	var ids []string
	for _, s := range a.Runs.Steps {
		builds := strings.HasPrefix(s.Uses, "actions/setup-go@") || strings.Contains(s.Run, "go build")
		if builds && s.If != "steps.install.outputs.build == 'true'" {
			t.Errorf("a step that builds runs if %q, want only when install says so", s.If)
		}
		if builds {
			s.ID = "build"
		}
		ids = append(ids, s.ID)
	}
	want := []string{"prepare", "install", "build", "build", "run", "end", "evidence", "upload", "attest"}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

// The reusable workflow names the action in places that the release rewrites, and on
// main a commit that there is none of.
func TestWorkflows_MatrixHasPlacesForTheRelease(t *testing.T) {
	text := readRoot(t, ".github/workflows/matrix.yml")
	place := "        uses: openagent-ci/openagent@" + strings.Repeat("0", 40) + " # v0.0.0\n"
	if n := strings.Count(strings.ReplaceAll(text, "      - uses: ", "        uses: "), place); n != 3 {
		t.Errorf("matrix.yml names the action in %d places by no commit, want 3", n)
	}
	if cut := readRoot(t, ".github/release/cut.sh"); !strings.Contains(cut, `uses: openagent-ci/openagent@`) {
		t.Error("cut.sh does not look for such places")
	}
}

func TestWorkflows_AreLaidOutAsWeAskFor(t *testing.T) {
	for _, path := range workflows(t) {
		var w workflow
		readYAML(t, path, &w)
		checkWorkflow(t, path, w)
		for id, j := range w.Jobs {
			if len(j.Permissions) > 0 && (path != ".github/workflows/release.yml" || !slices.Contains([]string{"draft", "publish", "major"}, id)) {
				t.Errorf("%s: job %s has the permissions %v, want those of the workflow", path, id, j.Permissions)
			}
		}
	}
}

// Only what was built without a token that can write, equals the listed checksums and
// was tried is published; the jobs that publish run nothing of ours. v1 moves last.
func TestWorkflows_ReleasePublishesWhatWasComparedAndTried(t *testing.T) {
	var w struct {
		Jobs map[string]struct {
			Needs any
			job   `yaml:",inline"`
		}
	}
	readYAML(t, ".github/workflows/release.yml", &w)
	needs := map[string]string{}
	for id, j := range w.Jobs {
		needs[id] = fmt.Sprint(j.Needs)
	}
	want := map[string]string{
		"check": "<nil>", "build": "<nil>", "draft": "[check build]", "try": "draft", "publish": "try", "action": "publish", "major": "action",
	}
	if diff := cmp.Diff(want, needs); diff != "" {
		t.Errorf("what jobs need (-want +got):\n%s", diff)
	}
	runs := func(id, run string) {
		if !slices.ContainsFunc(w.Jobs[id].Steps, func(s actionStep) bool { return strings.Contains(s.Run, run) && s.If == "" }) {
			t.Errorf("job %s does not run %q", id, run)
		}
	}
	runs("build", `.github/release/build.sh -c "$GITHUB_REF_NAME" "$RUNNER_TEMP/dist"`)
	runs("draft", "--draft --verify-tag ")
	runs("try", `.github/release/try.sh "$GITHUB_REF_NAME" "$RUNNER_TEMP/dist"`)
	runs("publish", "diff -r dist draft\n")
	runs("publish", "--draft=false")
	runs("major", `.github/release/major.sh "$GITHUB_REF_NAME"`)
	for _, id := range []string{"draft", "publish"} {
		for _, s := range w.Jobs[id].Steps {
			if strings.HasPrefix(s.Uses, "actions/checkout@") || strings.Contains(s.Run, "./") || strings.Contains(s.Run, ".sh") {
				t.Errorf("%s runs %q%q, want nothing of the tree", id, s.Uses, s.Run)
			}
		}
	}
	uses := allPins(t)
	for _, name := range []string{"actions/attest-build-provenance", "actions/attest"} {
		if uses[name] == "" {
			t.Errorf("no workflow uses %s", name)
		}
	}
}

// The harness takes a flag from the variable of its name, so each variable
// follows from the input that fills it.
func TestAction_VariablesFollowInputs(t *testing.T) {
	a, _ := readAction(t)
	own := map[string]string{
		// GITHUB_JOB is the same in all jobs of a matrix.
		EnvMatrix:        "${{ toJSON(matrix) }}",
		"OPENAGENT_OUT":  "${{ steps.prepare.outputs.evidence }}",
		"OPENAI_API_KEY": "${{ inputs.api-key }}",
		// The flag may be given several times, the input has all of its values.
		"OPENAGENT_AGENT_ARG": "${{ inputs.agent-args }}",
		"OPENAGENT_RESUME":    "${{ inputs.resume-from }}",
		// OPENAGENT_NETWORK is about endpoints.
		"OPENAGENT_SANDBOX_NETWORK": "${{ inputs.network }}",
		EnvArtifactName:             a.step(t, "upload").With["name"],
		"ACTION_ATTEST":             "${{ inputs.attest }}",
		"ACTION_BINARY":             "${{ inputs.binary }}",
		"ACTION_COMMAND":            "${{ inputs.agent-command }}",
		"ACTION_DIR":                "${{ steps.prepare.outputs.dir }}",
		"ACTION_MODE":               "${{ inputs.mode }}",
		"ACTION_PATH":               "${{ steps.prepare.outputs.path }}",
		"ACTION_PROMPT":             "${{ inputs.prompt }}",
		// The flag names a file; an input with the schema itself is written to one.
		"ACTION_SCHEMA":           "${{ inputs.output-schema }}",
		"OPENAGENT_OUTPUT_SCHEMA": "${{ inputs.output-schema-file }}",
		"GOTOOLCHAIN":             "${{ steps.prepare.outputs.toolchain }}",

		"ACTION_RESULTS":   "${{ inputs.results }}",
		"OPENAGENT_PLAN":   "${{ inputs.shards }}",
		"ACTION_SCENARIOS": "${{ inputs.scenarios }}",
		"ACTION_UPLOAD":    "${{ inputs.upload-artifact }}",
		"ACTION_WORKSPACE": "${{ inputs.working-directory }}",
	}
	env := a.step(t, "run").Env
	for name, value := range env {
		want, ok := own[name]
		if !ok {
			flag, isFlag := strings.CutPrefix(name, "OPENAGENT_")
			if !isFlag {
				t.Errorf("the harness is given %s, which it does not know", name)
			}
			want = "${{ inputs." + strings.ToLower(strings.ReplaceAll(flag, "_", "-")) + " }}"
		}
		if value != want {
			t.Errorf("%s is %q, want %q", name, value, want)
		}
	}
	for _, name := range []string{EnvAllowUsers, EnvAllowBots, EnvArgs, EnvArtifactName, EnvMatrix, EnvUploadArtifact, "OPENAGENT_AGENT", "OPENAGENT_AGENT_ARG", "OPENAGENT_OUT", "OPENAGENT_SANDBOX", "OPENAGENT_SCRIPT", "OPENAI_API_KEY"} {
		if _, ok := env[name]; !ok {
			t.Errorf("the harness is not given %s", name)
		}
	}
}

// What the job or the machine sets for Go changes nothing of the program.
func TestAction_BuildsWithSettingsOfItsOwn(t *testing.T) {
	a, _ := readAction(t)
	got := maps.Clone(a.step(t, "build").Env)
	delete(got, "ACTION_DIR")
	want := map[string]string{"CGO_ENABLED": "0", "GOENV": "off", "GOFLAGS": "-mod=readonly", "GOTOOLCHAIN": "local", "GOWORK": "off"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("variables of step build (-want +got):\n%s", diff)
	}
}

func TestAction_EvidenceIsUploadedWhateverHappens(t *testing.T) {
	a, _ := readAction(t)
	for _, id := range []string{"end", "evidence", "upload"} {
		if s := a.step(t, id); !strings.HasPrefix(s.If, "always()") {
			t.Errorf("step %s runs if %q, want always", id, s.If)
		}
	}
	if s := a.step(t, "upload"); !strings.Contains(s.If, "steps.evidence.outputs.present == 'true'") {
		t.Errorf("step upload runs if %q, want only when there is something", s.If)
	}
	if a.Runs.Using != "composite" || a.Branding["icon"] == "" || a.Branding["color"] == "" {
		t.Errorf("action.yml: using %q, branding %v", a.Runs.Using, a.Branding)
	}
}

// script runs a step of the action as the runner does, and returns its output
// file and whether it succeeded.
func script(t testing.TB, id string, env ...string) (output string, ok bool) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("the scripts of the action need bash; on windows the one of the runner")
	}
	a, _ := readAction(t)
	path := filepath.Join(t.TempDir(), "output")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", a.step(t, id).Run)
	cmd.Dir = t.TempDir()
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "ACTION_PATH=" + os.Getenv("PATH"), "GITHUB_OUTPUT=" + path, "OPENAGENT_PROMPT_FILE=",
		"ACTION_MODE=run", "ACTION_UPLOAD=auto", "OPENAGENT_EVENTS_FILE="}, env...)
	log, err := cmd.CombinedOutput()
	t.Logf("%s: %v\n%s", id, err, log)
	data, readErr := os.ReadFile(path)
	if readErr != nil {
		t.Fatal(readErr)
	}
	return string(data), err == nil
}

func TestAction_Prepare(t *testing.T) {
	temp := t.TempDir()
	output, ok := script(t, "prepare", "RUNNER_TEMP="+temp)
	got := parse(t, output)
	if !ok || filepath.Dir(got["dir"]) != temp || got["evidence"] != got["dir"]+"/evidence" || !strings.HasSuffix(got["dir"], "-"+got["id"]) {
		t.Errorf("prepare set %v, want a folder in %s", got, temp)
	}
	if info, err := os.Stat(got["dir"]); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("prepare made %v, %v, want a private folder", info, err)
	}
}

func TestAction_EvidenceProbe(t *testing.T) {
	full, empty := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(full, ".x"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{full: "true", empty: "", filepath.Join(empty, "none"): "", "": ""} {
		output, ok := script(t, "evidence", "ACTION_EVIDENCE="+dir)
		if got := strings.TrimPrefix(strings.TrimSpace(output), "present="); !ok || got != want {
			t.Errorf("evidence of %q = %q, succeeded %v, want %q", dir, output, ok, want)
		}
	}
}
