package result

import (
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/tool"
)

// Stream is one output of a command: the whole of it, or its two ends with
// the whole in an artifact.
type Stream struct {
	// Bytes and Lines (newline characters) count what the command wrote.
	Bytes, Lines int64
	// Head holds the first bytes; all of them if len(Head) is Bytes. Tail
	// holds the last bytes of a longer stream and may overlap Head.
	Head, Tail []byte
	// Artifact is set if the stream is already in the run folder.
	Artifact *tool.Artifact

	// save makes the artifact of a stream that is whole in Head; nil for one
	// that may go on, in whose way it would stand.
	save func(whole []byte) *tool.Artifact
}

// Preview is what a result shows of a stream.
type Preview struct {
	// Text is nil for a stream without a byte.
	Text *string
	// Cut reports that the stream has more than Text.
	Cut      bool
	artifact *tool.Artifact
}

// Preview bounds s to max bytes. What is cut and in no artifact yet goes to one.
func (s Stream) Preview(max int) Preview {
	if s.Bytes == 0 {
		return Preview{}
	}
	if whole(s) {
		if text := clip.UTF8(string(s.Head)); len(text) <= max {
			return Preview{Text: &text}
		}
	}
	if s.Artifact == nil && s.save != nil && whole(s) {
		s.Artifact = s.save(s.Head)
	}
	text := headTail(s, max, reference(s))
	return Preview{Text: &text, Cut: true, artifact: s.Artifact}
}

// Previews bounds two streams that share max bytes.
func Previews(max int, a, b Stream) (forA, forB Preview) {
	roomA, roomB := share(max, textSize(a), textSize(b))
	return a.Preview(roomA), b.Preview(roomB)
}

// reference says where the cut part of a stream is.
func reference(s Stream) string {
	switch {
	case s.Artifact == nil:
		return ""
	case s.Bytes > ArtifactHead+ArtifactTail:
		return "begin and end: " + s.Artifact.Path
	}
	return "whole output: " + s.Artifact.Path
}

// Refer adds the artifact to the list and returns its index there, nil if there
// is none.
func (p Preview) Refer(artifacts *[]tool.Artifact) *int {
	if p.artifact == nil {
		return nil
	}
	index := len(*artifacts)
	*artifacts = append(*artifacts, *p.artifact)
	return &index
}

// Section renders a preview under its heading, and nothing for a stream that
// shows nothing.
func Section(heading string, text *string) string {
	if text == nil || strings.TrimSpace(*text) == "" {
		return ""
	}
	return "\n" + heading + ":\n" + strings.TrimSuffix(*text, "\n") + "\n"
}

// References renders the list of artifacts, each with its note.
func References(artifacts []tool.Artifact, note func(index int) string) string {
	if len(artifacts) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nArtifacts:\n")
	for i, a := range artifacts {
		b.WriteString(a.Path + note(i) + "\n")
	}
	return b.String()
}

// SizeNote is the note on an artifact that holds a stream of so many bytes; of
// a very large one it says which parts.
func SizeNote(bytes int64) string {
	if bytes > ArtifactHead+ArtifactTail {
		return fmt.Sprintf(" (%d bytes; the file holds the first %d and the last %d)", bytes, ArtifactHead, ArtifactTail)
	}
	return fmt.Sprintf(" (%d bytes)", bytes)
}
