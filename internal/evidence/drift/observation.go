package drift

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/schema/observe"
	"github.com/openagent-ci/openagent/schema/validate"
)

// maxDrift bounds a difference printed for people, in characters.
const maxDrift = 400

// observationVersion is the value of schema in every observation.
const observationVersion = "openagent.schema_observation.v2"

// Observation is what streams carry and how that differs from the published schemas
// and from a baseline.
type Observation struct {
	Schema string `json:"schema"`
	// Baseline is the file that was compared with, empty for none.
	Baseline string `json:"baseline,omitempty"`
	// Updated tells a baseline that was written, Added what it had not held before.
	Updated bool            `json:"updated"`
	Added   []observe.Drift `json:"added"`
	observe.Result
	// Skipped counts the files of folders that are no streams.
	Skipped int `json:"skipped"`
}

// Findings returns the drift and the notes as what annotations are made of, and how much
// more drift there is.
func (o Observation) Findings() (findings []validate.Finding, more int) {
	for i, d := range slices.Concat(o.Drift, o.Notes) {
		severity := validate.SeverityError
		if i >= len(o.Drift) {
			severity = validate.SeverityInfo
		}
		findings = append(findings, validate.Finding{
			File: cmp.Or(d.File, d.Format), Line: d.Line, Rule: d.Rule, Severity: severity, Message: d.Subject() + ": " + d.Message,
		})
	}
	return findings, o.Drifts - len(o.Drift)
}

// Write writes the observation as json, one object, or else for people: by agent and
// type of line the keys that may be absent, or with all of them every key, then the
// drift.
func (o Observation) Write(w io.Writer, format string, all bool) error {
	if format == "json" {
		return jsontext.WriteIndented(w, o)
	}
	var b strings.Builder
	for _, s := range o.Streams {
		writeStream(&b, s, all)
	}
	for _, d := range o.Added {
		b.WriteString("added: " + driftLine(d) + "\n")
	}
	for _, d := range o.Notes {
		b.WriteString("note: " + driftLine(d) + "\n")
	}
	for _, d := range o.Drift {
		b.WriteString(driftLine(d) + "\n")
	}
	file, with := term.OneLine(o.Baseline, maxDrift), "no baseline to compare with"
	if file != "" {
		with = "baseline " + file
	}
	for _, note := range []struct {
		shown bool
		text  string
	}{
		{o.Drifts > len(o.Drift), fmt.Sprintf("and %d more", o.Drifts-len(o.Drift))},
		{o.Skipped > 0, fmt.Sprintf("skipped: %s without a stream", term.Counted(o.Skipped, "file"))},
		{o.Unread > 0, fmt.Sprintf("not read: %s that are no event", term.Counted(o.Unread, "line"))},
		{o.Omitted > 0, fmt.Sprintf("keys and types not told apart, for want of room: %d", o.Omitted)},
		{o.Updated, fmt.Sprintf("wrote %s, added: %d", file, len(o.Added))},
		{o.Drifts == 0, "no drift; " + with},
		{o.Drifts > 0, fmt.Sprintf("drift: %d; %s", o.Drifts, with)},
	} {
		if note.shown {
			b.WriteString(note.text + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// driftLine returns a difference as a line that begins with its place.
func driftLine(d observe.Drift) string {
	line := d.String()
	if d.File != "" {
		line = fmt.Sprintf("%s:%d: %s", d.File, d.Line, line)
	}
	return term.OneLine(line, maxDrift)
}

// maxWidth bounds the column of names, maxSeen that of kinds and words, so that a line
// has 80 characters.
const (
	maxWidth = 42
	maxSeen  = 27
)

func writeStream(b *strings.Builder, s observe.Stream, all bool) {
	fmt.Fprintf(b, "%s %s, %s: %s, %s\n\n", s.Agent, s.Version, s.Format, term.Counted(s.Files, "file"), term.Counted(s.Lines, "line"))
	for _, k := range s.Keys {
		if k.Path == "" {
			fmt.Fprintf(b, "  %-*s %6d\n", maxWidth, tail(k.Type, maxWidth), k.Count)
			continue
		}
		// Of the contract only what a producer may leave out, unless all is wanted.
		if !all && (k.Standing == "" || k.Standing == observe.Declared || strings.HasSuffix(k.Path, "[]")) {
			continue
		}
		seen := strings.Join(k.Seen, " ")
		if k.Standing == observe.Unknown {
			seen += " unknown"
		}
		fmt.Fprintf(b, "    %-*s %5d%%  %s\n", maxWidth-2, tail(k.Path, maxWidth-2), share(k.Count, k.Of), term.OneLine(seen, maxSeen))
	}
	b.WriteString("\n")
}

// tail returns the end of a path that fits in width.
func tail(path string, width int) string {
	if len(path) > width {
		return "…" + path[len(path)-width+1:]
	}
	return path
}

// share returns how many of a number some are in percent, none and all only if so.
func share(n, of int) int {
	if n >= of {
		return 100
	}
	return max(n*100/of, min(n, 1))
}
