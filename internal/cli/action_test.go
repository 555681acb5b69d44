package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/github/job"
)

// Every variable that action.yml hands to the harness stands in for a flag of ci, or
// of the commands of the other modes, whose inputs the action refuses in mode run, so
// that no input can silently do nothing.
func TestCI_HasTheVariablesOfTheAction(t *testing.T) {
	text, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	ours := map[string]bool{}
	for _, name := range []string{
		job.EnvAllowUsers, job.EnvAllowBots, job.EnvArgs, job.EnvMatrix, job.EnvOnRefusal, job.EnvArtifactName, job.EnvUploadArtifact,
	} {
		ours[name] = true
	}
	p := &program{}
	for _, command := range []*cobra.Command{p.ciCommand(), p.testCommand()} {
		command.Flags().VisitAll(func(f *pflag.Flag) { ours[flags.Variable(f.Name)] = true })
	}
	set := regexp.MustCompile(`(?m)^ +(OPENAGENT_\w+): `).FindAllStringSubmatch(string(text), -1)
	if len(set) < 10 {
		t.Fatalf("found %d variables in action.yml, want those of its inputs", len(set))
	}
	for _, m := range set {
		if !ours[m[1]] {
			t.Errorf("action.yml sets %s, but no command has a flag --%s", m[1],
				strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(m[1], "OPENAGENT_"), "_", "-")))
		}
	}
}
