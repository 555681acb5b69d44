package toolresult

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/internal/tool"
)

// projectCommand bounds both streams by the command budget.
func projectCommand(call tool.Call, out tool.CommandOutput, opts Options) tool.CommandResult {
	res := tool.CommandResult{
		Disposition: out.Disposition,
		ExitStatus:  out.ExitStatus,
		DurationMS:  out.Duration.Milliseconds(),
		StdoutBytes: out.Stdout.Bytes,
		StderrBytes: out.Stderr.Bytes,
		Artifacts:   []tool.Artifact{},
	}
	if out.Signal != "" {
		res.Signal = &out.Signal
	}
	forOut, forErr := share(opts.commandBudget(), textSize(out.Stdout), textSize(out.Stderr))
	stdout := projectStream(call, "stdout", out.Stdout, forOut, opts)
	stderr := projectStream(call, "stderr", out.Stderr, forErr, opts)
	res.StdoutPreview, res.StdoutTruncated = stdout.text, stdout.cut
	res.StderrPreview, res.StderrTruncated = stderr.text, stderr.cut
	res.Truncated = stdout.cut || stderr.cut
	res.StdoutArtifact = stdout.refer(&res.Artifacts)
	res.StderrArtifact = stderr.refer(&res.Artifacts)
	return res
}

// preview is what a result shows of a stream.
type preview struct {
	text     *string
	cut      bool
	artifact *tool.Artifact
}

func projectStream(call tool.Call, role string, s tool.Stream, max int, opts Options) preview {
	if s.Bytes == 0 {
		return preview{}
	}
	if whole(s) {
		if text := clip.UTF8(string(s.Head)); len(text) <= max {
			return preview{text: &text}
		}
	}
	if s.Artifact == nil && whole(s) {
		s.Artifact = opts.Artifacts.save(call, role, s.Head)
	}
	text := headTail(s, max, reference(s))
	return preview{text: &text, cut: true, artifact: s.Artifact}
}

// reference says where the cut part of a stream is.
func reference(s tool.Stream) string {
	switch {
	case s.Artifact == nil:
		return ""
	case s.Bytes > ArtifactHead+ArtifactTail:
		return "begin and end: " + s.Artifact.Path
	}
	return "whole output: " + s.Artifact.Path
}

// refer adds the artifact to the list and returns its index there.
func (p preview) refer(artifacts *[]tool.Artifact) *int {
	if p.artifact == nil {
		return nil
	}
	index := len(*artifacts)
	*artifacts = append(*artifacts, *p.artifact)
	return &index
}

// earlyEnds are the ends of a command that make its result an error.
var earlyEnds = map[tool.Disposition]tool.ErrorKind{
	tool.CommandTimedOut:  tool.KindCommandTimedOut,
	tool.CommandCancelled: tool.KindCancelled,
}

// endedEarly turns the payload of a command that was ended early into an error
// with that payload as its details.
func endedEarly(payload any, summary string, raw json.RawMessage) (tool.Output, bool) {
	res, ok := payload.(tool.CommandResult)
	if !ok {
		return tool.Output{}, false
	}
	kind, ok := earlyEnds[res.Disposition]
	if !ok {
		return tool.Output{}, false
	}
	err := tool.NewError(kind, summary)
	err.Details = raw
	return tool.Failed(err), true
}

func renderCommand(res tool.CommandResult) string {
	return strings.TrimSuffix(commandOutcome(res)+commandStreams(res), "\n")
}

func commandOutcome(res tool.CommandResult) string {
	switch {
	case res.Signal != nil:
		return "Process killed by signal " + *res.Signal + "\n"
	case res.ExitStatus != nil:
		return fmt.Sprintf("Process exited with code %d\n", *res.ExitStatus)
	}
	return "Process ended without an exit code\n"
}

// commandStreams renders what a command printed and where the rest of it is.
func commandStreams(res tool.CommandResult) string {
	var b strings.Builder
	section(&b, "stdout", res.StdoutPreview)
	section(&b, "stderr", res.StderrPreview)
	if len(res.Artifacts) > 0 {
		b.WriteString("\nArtifacts:\n")
	}
	for i, a := range res.Artifacts {
		fmt.Fprintf(&b, "%s%s\n", a.Path, artifactSize(res, i))
	}
	return b.String()
}

// section leaves out a stream that shows nothing.
func section(b *strings.Builder, name string, text *string) {
	if text == nil || strings.TrimSpace(*text) == "" {
		return
	}
	fmt.Fprintf(b, "\n%s:\n%s", name, *text)
	if !strings.HasSuffix(*text, "\n") {
		b.WriteByte('\n')
	}
}

// artifactSize tells the size of the stream that an artifact holds, and what
// of a very large one it holds.
func artifactSize(res tool.CommandResult, index int) string {
	var size int64
	switch {
	case res.StdoutArtifact != nil && *res.StdoutArtifact == index:
		size = res.StdoutBytes
	case res.StderrArtifact != nil && *res.StderrArtifact == index:
		size = res.StderrBytes
	default:
		return ""
	}
	if size > ArtifactHead+ArtifactTail {
		return fmt.Sprintf(" (%d bytes; the file holds the first %d and the last %d)", size, ArtifactHead, ArtifactTail)
	}
	return fmt.Sprintf(" (%d bytes)", size)
}
