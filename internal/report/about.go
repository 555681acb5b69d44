package report

import (
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/report/transcript"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
)

const (
	maxPrompt = 200 // characters of a prompt
	// MaxStderr bounds the lines of stderr in a view.
	MaxStderr = 20
)

// About says which run it was, as far as its harness can say. What is unknown is
// empty. The texts are redacted already: they are cut here, and of half a secret
// nobody sees that it is one.
type About struct {
	// Prompt is what the agent was asked, Script what took the place of a model.
	Prompt, Script string
	// Command is what was started, Stream the file of a saved stream.
	Command []string
	Stream  string
	// Dir is the folder that the agent worked in, Folder that of the evidence.
	Dir, Folder string
	// Sandbox says what its commands were confined to, as SandboxText does.
	Sandbox string
	// NoTexts says that the evidence has no texts of the run.
	NoTexts bool
	Upload
}

// Upload is where evidence can be had once a job has ended: the id of the
// workflow run and the name of the artifact. Without both there is none.
type Upload struct{ Run, Artifact string }

// Fetch returns the command that downloads the evidence, empty when there is
// none.
func (u Upload) Fetch() string {
	if u.Run == "" || u.Artifact == "" {
		return ""
	}
	return "gh run download " + ShellWord(u.Run) + " -n " + ShellWord(u.Artifact)
}

// Rows name the artifact and what fetches it, nil where there is none.
func (u Upload) Rows() []term.Row {
	if u.Fetch() == "" {
		return nil
	}
	return []term.Row{{Name: "artifact", Value: u.Artifact}, {Name: "fetch it", Value: u.Fetch()}}
}

// rows are the facts by which runs differ.
func (a About) rows(run *transcript.Run) []term.Row {
	rows := known(
		term.Row{Name: "agent", Value: run.Agent}, term.Row{Name: "model", Value: run.Model}, term.Row{Name: "script", Value: unlessSame(a.Script, run.Model)},
		term.Row{Name: "command", Value: CommandLine(a.Command)}, term.Row{Name: "saved stream", Value: a.Stream},
		term.Row{Name: "working directory", Value: a.Dir}, term.Row{Name: "sandbox", Value: a.Sandbox},
	)
	if a.NoTexts {
		rows = append(rows, term.Row{Name: "texts", Value: "left out, as --evidence no-texts asks"})
	}
	return rows
}

// unlessSame returns text, nothing where it is the same as another one.
func unlessSame(text, other string) string {
	if text == other {
		return ""
	}
	return text
}

// known returns the rows that have a value.
func known(all ...term.Row) (rows []term.Row) {
	for _, r := range all {
		if r.Value != "" {
			rows = append(rows, r)
		}
	}
	return rows
}

// TypedCommand returns the command that a harness started without what it adds to that of
// the built-in agent.
func TypedCommand(words []string) []string {
	if len(words) < 2 || words[1] != "run" || !slices.Contains(words, "--output=json") {
		return words
	}
	return append([]string{"openagent"}, slices.DeleteFunc(slices.Clone(words[1:]), func(w string) bool {
		return w == "--output=json" || strings.HasPrefix(w, "--api-key-file=/dev/fd/") || strings.HasPrefix(w, "--prompt-file=") && strings.Contains(w, "/openagent-ci-")
	})...)
}

// scriptOf returns the script that a command of the built-in agent names, empty for none.
func scriptOf(words []string) string {
	for _, w := range words {
		if name, ok := strings.CutPrefix(w, "--script="); ok {
			return name
		}
	}
	return ""
}

// CommandLine returns words as a person would type them in a shell.
func CommandLine(words []string) string {
	typed := make([]string, len(words))
	for i, w := range words {
		typed[i] = ShellWord(w)
	}
	return strings.Join(typed, " ")
}

// promptHead returns the beginning of a prompt.
func promptHead(prompt string) string {
	head, cut := clip.Chars(strings.TrimSpace(strings.Join(term.Clean(prompt), "\n")), maxPrompt)
	if cut {
		head += "…"
	}
	return head
}

// LastWords returns at most n lines of the end of an agent's stderr, redacted
// already, where that may say why a run came to its verdict: the agent did not end
// its stream in a way that says so itself.
func LastWords(v runner.Verdict, stderr string, n int) []string {
	switch v {
	case runner.VerdictCrash, runner.VerdictPreRunError, runner.VerdictTimeout, runner.VerdictCancelled:
		return transcript.LastLines(stderr, n)
	}
	return nil
}
