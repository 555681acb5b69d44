package tool

import "time"

// EntryType says what a listed path is.
type EntryType string

// The types of listed paths.
const (
	EntryFile    EntryType = "file"
	EntryDir     EntryType = "dir"
	EntrySymlink EntryType = "symlink"
	EntryOther   EntryType = "other"
)

// Entry is one path of a listing, relative to the workspace root.
type Entry struct {
	Path string    `json:"path"`
	Type EntryType `json:"type"`
	// Bytes is the size of a file; other types have none.
	Bytes *int64 `json:"bytes,omitempty"`
}

// FileList is the payload of list_files, complete and canonical alike.
type FileList struct {
	Path    string  `json:"path"`
	Entries []Entry `json:"entries"`
	// Truncated reports that Entries holds fewer than Total.
	Truncated bool  `json:"truncated"`
	Total     int64 `json:"total"`
}

// FileText is what read_file found: the head of the lines that were asked for,
// at least as much as any result shows.
type FileText struct {
	Path string
	// Bytes and Lines measure the whole file.
	Bytes, Lines int64
	// FirstLine is the number of the line that Text begins with, from 1.
	FirstLine int64
	Text      string
	// More reports that lines follow those in Text.
	More   bool
	Binary bool
	// SHA256 is the digest of the whole file in hex, nil for a large one.
	SHA256 *string
}

// FilePreview is the canonical payload of read_file.
type FilePreview struct {
	Path           string `json:"path"`
	Bytes          int64  `json:"bytes"`
	Lines          int64  `json:"lines"`
	ContentPreview string `json:"content_preview"`
	// Truncated reports that lines follow those in the preview, or that its
	// last line was cut.
	Truncated bool `json:"truncated"`
	// NextOffsetLine is where to go on, nil when no line follows.
	NextOffsetLine *int64  `json:"next_offset_line"`
	Binary         bool    `json:"binary"`
	SHA256         *string `json:"sha256"`
}

// FileWritten is the payload of write_file, complete and canonical alike.
type FileWritten struct {
	Path    string `json:"path"`
	Bytes   int64  `json:"bytes"`
	Created bool   `json:"created"`
	SHA256  string `json:"sha256"`
}

// FolderCreated is the payload of create_directory, complete and canonical
// alike.
type FolderCreated struct {
	Path string `json:"path"`
	// Created is false for a folder that was there already.
	Created bool `json:"created"`
}

// FileDeleted is the payload of delete_file, complete and canonical alike.
type FileDeleted struct {
	Path string `json:"path"`
	// Bytes is the size that the file had.
	Bytes int64 `json:"bytes"`
}

// HistoryLine is one line of an earlier talk, as much of it as is shown.
type HistoryLine struct {
	TS      string `json:"ts"`
	Role    string `json:"role"`
	Content string `json:"content"`
}

// HistoryMatch is a line that a search found, with its neighbours in the same
// session; nil where it has none.
type HistoryMatch struct {
	Session string       `json:"session"`
	TS      string       `json:"ts"`
	Role    string       `json:"role"`
	Content string       `json:"content"`
	Before  *HistoryLine `json:"before"`
	After   *HistoryLine `json:"after"`
}

// HistoryPlace is where a line of a session begins, in bytes.
type HistoryPlace struct {
	Session string `json:"session"`
	Offset  int64  `json:"offset"`
}

// HistoryMatches is the payload of search_history, complete and canonical
// alike: the matches, newest first.
type HistoryMatches struct {
	Query   string         `json:"query"`
	Matches []HistoryMatch `json:"matches"`
	// Truncated reports that Matches holds fewer than Total, which were found
	// within the number that was asked for.
	Truncated bool  `json:"truncated"`
	Total     int64 `json:"total"`
	// SkippedLines counts lines that are no records; Skipped has the first.
	SkippedLines int64          `json:"skipped_lines"`
	Skipped      []HistoryPlace `json:"skipped"`
}

// Disposition says how a command ended.
type Disposition string

// The ends of a command. A command that timed out or was cancelled is an
// error, with the same payload as its details.
const (
	CommandCompleted Disposition = "completed"
	CommandSignaled  Disposition = "signaled"
	CommandTimedOut  Disposition = "timed_out"
	CommandCancelled Disposition = "cancelled"
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
	Artifact *Artifact
}

// CommandOutput is what a command left: complete, before any bound.
type CommandOutput struct {
	Disposition Disposition
	// ExitStatus is nil unless the command completed.
	ExitStatus *int64
	// Signal is the name of the signal that ended it, "" for none.
	Signal         string
	Duration       time.Duration
	Stdout, Stderr Stream
}

// CommandResult is the canonical payload of a command.
type CommandResult struct {
	Disposition Disposition `json:"disposition"`
	ExitStatus  *int64      `json:"exit_status"`
	Signal      *string     `json:"signal"`
	DurationMS  int64       `json:"duration_ms"`
	// StdoutPreview and StderrPreview are nil if the stream had no byte.
	StdoutPreview   *string    `json:"stdout_preview"`
	StderrPreview   *string    `json:"stderr_preview"`
	StdoutTruncated bool       `json:"stdout_truncated"`
	StderrTruncated bool       `json:"stderr_truncated"`
	Truncated       bool       `json:"truncated"`
	StdoutBytes     int64      `json:"stdout_bytes"`
	StderrBytes     int64      `json:"stderr_bytes"`
	Artifacts       []Artifact `json:"artifacts"`
	// StdoutArtifact and StderrArtifact are indexes in Artifacts.
	StdoutArtifact *int `json:"stdout_artifact"`
	StderrArtifact *int `json:"stderr_artifact"`
}
