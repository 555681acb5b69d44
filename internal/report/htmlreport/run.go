package htmlreport

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/report/diff"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// Run is one run of a page.
type Run struct {
	// Name is what the run is called, Base leads from the page to its folder: empty
	// for the same one, else with a final slash.
	Name, Base string
	// Manifest is as far as it is known, its verdict empty where that is nothing.
	Manifest schema.Manifest
	// Findings stand in the order of reports; the manifest counts them all. Unchecked
	// says that they are not known.
	Findings  []validate.Finding
	Unchecked bool
	// Flagged are the lines with findings as far as Findings do not name them.
	Flagged runner.Flagged
	// Command is what was started, as people would type it, that of the manifest where
	// it is nil.
	Command []string
	// Final is the agent's last text, Stderr the end of its stderr. Prompt is what it
	// was asked and WayOut what to do about the verdict, where that is known.
	Final, Stderr, Prompt, WayOut string
	// Changes are those since the run that this one was compared with, nil for none.
	Changes *diff.Diff
	// Notes say each in a sentence why the page does not show what the run was.
	// Doubted says that one of them refutes what the manifest tells.
	Notes   []string
	Doubted bool
	// Stream holds the lines of the run, nil for none.
	Stream io.Reader
	// Mask takes secrets out of JSON, nil where that was done. The lines of the
	// stream have none.
	Mask func([]byte) []byte
}

// data is a run as the script of the page reads it, but for its lines, which stand
// behind all else.
type data struct {
	Name     string            `json:"name"`
	Base     string            `json:"base"`
	Notes    []string          `json:"notes"`
	Manifest json.RawMessage   `json:"manifest"`
	Files    []json.RawMessage `json:"files"`
	LeftOut  []json.RawMessage `json:"left_out"`
	Command  []json.RawMessage `json:"command"`
	Findings []json.RawMessage `json:"findings"`
	// Unchecked says that the findings are not known.
	Unchecked bool     `json:"unchecked"`
	Doubted   bool     `json:"doubted"`
	Changes   *changes `json:"changes"`
	Final     text     `json:"final"`
	Stderr    text     `json:"stderr"`
	Prompt    text     `json:"prompt"`
	WayOut    text     `json:"way_out"`
	// Of all of these there may be more than the page has.
	TotalFiles    int `json:"total_files"`
	TotalLeftOut  int `json:"total_left_out"`
	TotalCommand  int `json:"total_command"`
	TotalFindings int `json:"total_findings"`
}

// changes are a diff with as many of its calls as there is room for.
type changes struct {
	diff.Diff
	Calls []json.RawMessage `json:"calls"`
	More  int               `json:"more_calls"`
}

func cutChanges(d *diff.Diff, room int) (*changes, error) {
	if d == nil {
		return nil, nil
	}
	calls, err := fit(d.Calls, room)
	return &changes{*d, calls, d.More + len(d.Calls) - len(calls)}, err
}

// text is one that may have been cut, of Bytes in all.
type text struct {
	Text  string `json:"text"`
	Bytes int    `json:"bytes"`
}

const (
	maxText  = 64 << 10 // bytes of one text
	maxName  = 1024
	maxNotes = 50
	// textParts is the part of the room that one text has before it is encoded, which
	// can make six bytes of each.
	textParts = 64
	// minManifest is the room for a manifest without its lists, however many runs
	// there are.
	minManifest = 4 << 10
)

// cut returns the run without its lines, of about room bytes at most: a text is cut
// before it is encoded.
func (r Run) cut(room int) (data, error) {
	m := r.Manifest
	d := data{
		Name: cut(r.Name, maxName).Text, Base: r.Base, Unchecked: r.Unchecked, Doubted: r.Doubted, Notes: append([]string{}, r.Notes[:min(len(r.Notes), maxNotes)]...),
		Final: cut(r.Final, room/textParts), Stderr: cut(r.Stderr, room/textParts),
		Prompt: cut(r.Prompt, room/textParts), WayOut: cut(r.WayOut, room/textParts),
		TotalFiles: len(m.Files), TotalLeftOut: len(m.LeftOut), TotalFindings: total(r),
	}
	var err error
	if d.Files, err = fit(m.Files, room/8); err != nil {
		return d, err
	}
	if d.LeftOut, err = fit(m.LeftOut, room/16); err != nil {
		return d, err
	}
	if d.Findings, err = fit(r.Findings, room/8); err != nil {
		return d, err
	}
	if d.Changes, err = cutChanges(r.Changes, room/8); err != nil {
		return d, err
	}
	words := r.Command
	if words == nil {
		words = m.Command
	}
	if d.Command, err = fit(words, room/16); err != nil {
		return d, err
	}
	d.TotalCommand = len(words)
	m.Files, m.LeftOut, m.Command = nil, nil, nil
	if d.Manifest, err = json.Marshal(m); err != nil {
		return d, fmt.Errorf("encode manifest for the page: %w", err)
	}
	if len(d.Manifest) > max(room/4, minManifest) {
		d.Notes = append(d.Notes, "the manifest is too large to be shown")
		short := schema.Manifest{Schema: m.Schema, Verdict: cut(m.Verdict, 100).Text, Counts: schema.ManifestCounts{Events: m.Counts.Events}}
		d.Manifest, _ = json.Marshal(short) // as the long one, without what can fail
	}
	return d, nil
}

// encode returns the run without its lines as JSON, redacted.
func (r Run) encode(room int) ([]byte, error) {
	d, err := r.cut(room)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("encode run for the page: %w", err)
	}
	if r.Mask != nil {
		text = r.Mask(text)
	}
	return harmless(text), nil
}

// fit encodes the beginning of a list that takes no more than room bytes.
func fit[T any](list []T, room int) ([]json.RawMessage, error) {
	encoded := []json.RawMessage{}
	for _, item := range list {
		text, err := json.Marshal(item)
		if err != nil {
			return nil, fmt.Errorf("encode list for the page: %w", err)
		}
		if room -= len(text) + 1; room < 0 {
			break
		}
		encoded = append(encoded, text)
	}
	return encoded, nil
}

// cut returns the beginning of a text.
func cut(s string, room int) text {
	head, _ := clip.Prefix(s, min(room, maxText))
	return text{Text: head, Bytes: len(s)}
}

// total counts the findings of a run.
func total(r Run) (n int) {
	for _, count := range r.Manifest.Counts.FindingsByRule {
		n += count
	}
	return max(n, len(r.Findings))
}

// marks returns the lines of the stream that have findings, which do not speak of the
// stream where they speak of what it was made of.
func (r Run) marks() runner.Flagged {
	m := runner.Flagged{Errors: slices.Clone(r.Flagged.Errors), Others: slices.Clone(r.Flagged.Others)}
	for _, f := range r.Findings {
		switch {
		case f.Line == 0 || f.File == evidence.SourceFile:
		case f.Severity == validate.SeverityError:
			m.Errors = append(m.Errors, f.Line)
		default:
			m.Others = append(m.Others, f.Line)
		}
	}
	slices.Sort(m.Errors)
	m.Errors = slices.Compact(m.Errors)
	m.Others = slices.DeleteFunc(m.Others, func(n int) bool {
		_, is := slices.BinarySearch(m.Errors, n)
		return is
	})
	slices.Sort(m.Others)
	m.Others = slices.Compact(m.Others)
	m.Total = max(r.Flagged.Total, len(m.Errors)+len(m.Others))
	return m
}
