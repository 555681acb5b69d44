package tool

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// Bounds of the texts in a result, in characters.
const (
	MaxSummary = 200
	MaxMessage = 1000
)

// kindRow is the row of an error kind.
type kindRow struct {
	hint  string
	class FailureClass
	// retryable reports that the same call, unchanged, may succeed later.
	retryable bool
}

// errorTable has one row for each listed kind.
var errorTable = map[ErrorKind]kindRow{
	KindInvalidInput:         {"Correct the arguments as the message says and call the tool again.", ClassSchema, false},
	KindUnknownTool:          {"Call one of the tools on offer.", ClassSchema, false},
	KindPathOutsideWorkspace: {"Use a path relative to the workspace root that stays inside it.", ClassPolicy, false},
	KindProtectedPath:        {"The repository's own data is not written by tools; use git_commit for commits.", ClassPolicy, false},
	KindNotFound:             {"Use list_files to see what is there.", ClassOther, false},
	KindNotRegularFile:       {"Name a regular file; use list_files for a folder.", ClassOther, false},
	KindAlreadyExists:        {"Choose another path.", ClassNonIdempotent, false},
	KindTooLarge:             {"Ask for less at once.", ClassOther, false},
	KindIO:                   {"Check the path with list_files, then try again.", ClassOther, true},
	KindCommandSpawnFailed:   {"Check the command and its workdir.", ClassOther, false},
	KindCommandTimedOut:      {"Run a shorter command, or give a larger timeout_ms if the limit allows it.", ClassTimeoutTransient, true},
	KindGitFailed:            {"Look at the repository with execute_command and git status.", ClassNonIdempotent, false},
	KindNothingToCommit:      {"Change a file first, or go on without a commit.", ClassNonIdempotent, false},
	KindCallIncomplete:       {"Nothing was done. Send the whole call again.", ClassSchema, true},
	KindCallMalformed:        {"Nothing was done. Send the call as one valid JSON object.", ClassSchema, true},
	KindUnknownTask:          {"Use the id of a task that execute_command returned in this run.", ClassOther, false},
	KindPolicyDenied:         {"Reach the goal without this call.", ClassPolicy, false},
	KindRepeatedCall:         {"Change the call; the same call fails the same way.", ClassPolicy, false},
	KindLimitReached:         {"Finish with what there is.", ClassPolicy, false},
	KindCancelled:            {"The run is ending; nothing more can be done.", ClassOther, false},
	KindInterrupted:          {"Look at what there is before you do it again.", ClassOther, false},
	KindToolPanicked:         {"This is a defect of the tool; go on without it.", ClassOther, false},
	KindServerTool:           {"Read what the tool says, and change the call.", ClassOther, false},
	KindServerRefused:        {"Change the call, or go on without this tool.", ClassOther, false},
	KindServerGone:           {"The server does not come back in this run; go on without its tools.", ClassOther, false},
	KindServerTimedOut:       {"The call may have been done or not; look before you call again, and ask for less.", ClassTimeoutTransient, true},
}

// Class returns the failure class that tool_retry events give for k;
// ClassOther for a kind that is not listed.
func (k ErrorKind) Class() FailureClass {
	return cmp.Or(errorTable[k].class, ClassOther)
}

// Detail is one member of an error's details.
type Detail struct {
	Name  string
	Value any
}

// NewError returns an error of a listed kind with the kind's own hint and
// retryable flag. The message is cut to MaxMessage characters; the details
// keep their order. An unlisted kind or a detail that has no JSON form is a
// programmer's error and panics.
func NewError(kind ErrorKind, message string, details ...Detail) *Error {
	row, ok := errorTable[kind]
	if !ok {
		panic(fmt.Sprintf("tool: error kind %q is not listed", kind))
	}
	message, _ = clip.Chars(clip.UTF8(message), MaxMessage)
	return &Error{Kind: kind, Message: message, Details: encodeDetails(details), RecoveryHint: &row.hint, Retryable: row.retryable}
}

// WithHint returns e with another recovery hint, for a place that knows a
// better way out than the kind's default.
func (e *Error) WithHint(hint string) *Error {
	other := *e
	other.RecoveryHint = &hint
	return &other
}

// Done returns the output of a call that did what was asked.
func Done[C Complete[P], P Payload](out C) Output {
	return Output{Summary: clip.UTF8(out.Summary()), Project: func() Payload { return out.Project() }}
}

// Failed returns the output of a call that did not: its summary is the first
// part of the error's message.
func Failed(err *Error) Output {
	return Output{Summary: err.Message, Err: err}
}

func encodeDetails(details []Detail) json.RawMessage {
	if len(details) == 0 {
		return nil
	}
	var b bytes.Buffer
	for i, d := range details {
		b.WriteByte("{,"[min(i, 1)])
		b.Write(jsontext.MustMarshal(d.Name))
		b.WriteByte(':')
		b.Write(jsontext.MustMarshal(d.Value))
	}
	b.WriteByte('}')
	return b.Bytes()
}
