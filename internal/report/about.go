package report

import (
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

const (
	maxPrompt     = 200 // characters of a prompt in a summary
	maxStderr     = 20  // lines of stderr in a summary
	maxStderrLine = 500 // characters
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
	// Dir is the folder that the agent worked in.
	Dir string
	// Sandbox says what its commands were confined to, as SandboxText does.
	Sandbox string
	// NoTexts says that no text of the run is told.
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
	return "gh run download " + shellWord(u.Run) + " -n " + shellWord(u.Artifact)
}

// Rows name the artifact and what fetches it, nil where there is none.
func (u Upload) Rows() []term.Row {
	if u.Fetch() == "" {
		return nil
	}
	return []term.Row{{Name: "artifact", Value: u.Artifact}, {Name: "fetch it", Value: u.Fetch()}}
}

// rows are the facts by which runs differ.
func (a About) rows(s *schema.RunStarted) (rows []term.Row) {
	agent, model := who(s)
	for _, r := range []term.Row{
		{Name: "agent", Value: agent}, {Name: "model", Value: model}, {Name: "script", Value: a.Script},
		{Name: "command", Value: CommandLine(a.Command)}, {Name: "saved stream", Value: a.Stream},
		{Name: "working directory", Value: a.Dir}, {Name: "sandbox", Value: a.Sandbox},
	} {
		if r.Value != "" {
			rows = append(rows, r)
		}
	}
	if a.NoTexts {
		rows = append(rows, textsRow)
	}
	return rows
}

// textsRow says of a run of which no text is kept that this is so.
var textsRow = term.Row{Name: "texts", Value: "left out, as --evidence no-texts asks"}

// CommandLine returns words as a person would type them in a shell.
func CommandLine(words []string) string {
	typed := make([]string, len(words))
	for i, w := range words {
		typed[i] = shellWord(w)
	}
	return strings.Join(typed, " ")
}

// who names the agent and the model of a run as far as the stream does.
func who(s *schema.RunStarted) (agent, model string) {
	if s == nil {
		return "", ""
	}
	if s.Agent != nil {
		agent = strings.TrimSpace(s.Agent.Name + " " + s.Agent.Version)
	}
	model, _ = s.Model.Get()
	return agent, model
}

// Sign marks a verdict in a heading.
func Sign(v runner.Verdict) string {
	if v == runner.VerdictSuccess {
		return "✅"
	}
	return "❌"
}

// writeFenced writes a section of foreign text: its lines, cleaned, in a fence
// that nothing in them can close.
func writeFenced(b *strings.Builder, title string, lines []string) {
	text, fence := Fenced(strings.Join(lines, "\n"), maxSummaryText)
	if strings.TrimSpace(text) != "" {
		b.WriteString("### " + title + "\n\n" + fence + "text\n" + text + "\n" + fence + "\n\n")
	}
}

// promptHead returns the begin of a prompt.
func promptHead(prompt string) []string {
	head, cut := clip.Chars(strings.TrimSpace(strings.Join(term.Clean(prompt), "\n")), maxPrompt)
	if cut {
		head += "…"
	}
	return strings.Split(head, "\n")
}

// LastWords returns at most n lines of the end of an agent's stderr, redacted
// already, where that may say why e came to its verdict: the agent did not end
// its stream in a way that says so itself.
func LastWords(e *runner.Execution, stderr string, n int) []string {
	switch e.Verdict {
	case runner.VerdictCrash, runner.VerdictPreRunError, runner.VerdictTimeout:
	default:
		return nil
	}
	lines := term.Clean(strings.TrimRight(stderr, " \t\r\n"))
	lines = lines[max(len(lines)-n, 0):]
	for i, line := range lines {
		if head, cut := clip.Chars(line, maxStderrLine); cut {
			lines[i] = head + "…"
		}
	}
	return lines
}

// unfinished names what had begun and not ended when an agent was ended, empty
// when the stream does not say.
func unfinished(e *runner.Execution) string {
	if e.Finished() || len(e.Timeline) >= runner.MaxTimeline {
		return ""
	}
	for i := len(e.Timeline) - 1; i >= 0; i-- {
		switch s := e.Timeline[i]; {
		case !s.End.IsZero():
		case s.Tool:
			return fmt.Sprintf("step %d, tool %s", s.Step, s.Name)
		default:
			return s.Name
		}
	}
	return ""
}
