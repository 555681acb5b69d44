package drift

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/schema/validate"
)

// Bounds of what is printed for people, in characters: a difference, and the columns of
// names and of kinds and words, so that a line has 80.
const maxDrift, maxWidth, maxSeen = 400, 42, 27

// Findings returns the drift and the notes for annotations, and how much more drift there is.
func (o Observation) Findings() (findings []validate.Finding, more int) {
	for i, d := range slices.Concat(o.Drift, o.Notes) {
		severity := validate.SeverityError
		if i >= len(o.Drift) {
			severity = validate.SeverityInfo
		}
		findings = append(findings, validate.Finding{
			File: cmp.Or(d.File, d.Format), Line: d.Line, Rule: d.Rule, Severity: severity, Message: d.sentence(),
		})
	}
	return findings, o.Drifts - len(o.Drift)
}

// Write writes the observation as json, or else for people: by agent and type of line the
// keys that may be absent, or all, and then the drift.
func (o Observation) Write(w io.Writer, format string, all bool) error {
	if format == "json" {
		return jsontext.WriteIndented(w, o)
	}
	var b strings.Builder
	for _, s := range o.Streams {
		writeStream(&b, s, all)
	}
	say := func(shown bool, format string, args ...any) {
		if shown {
			fmt.Fprintf(&b, format+"\n", args...)
		}
	}
	for _, list := range []struct {
		head string
		of   []Drift
	}{{"added: ", o.Added}, {"note: ", o.Notes}, {"", o.Drift}} {
		for _, d := range list.of {
			say(true, "%s%s", list.head, driftLine(d))
		}
	}
	file, with := term.OneLine(o.Baseline, maxDrift), "no baseline to compare with"
	if file != "" {
		with = "baseline " + file
	}
	say(o.Drifts > len(o.Drift), "and %d more", o.Drifts-len(o.Drift))
	say(o.Skipped > 0, "skipped: %s without a stream", term.Counted(o.Skipped, "file"))
	say(o.Unread > 0, "not read: %s that are no event", term.Counted(o.Unread, "line"))
	say(o.Omitted > 0, "keys and types not told apart, for want of room: %d", o.Omitted)
	say(o.Updated, "wrote %s, added: %d", file, len(o.Added))
	say(o.Drifts == 0, "no drift; %s", with)
	say(o.Drifts > 0, "drift: %d; %s", o.Drifts, with)
	_, err := io.WriteString(w, b.String())
	return err
}

// driftLine returns a difference as a line that begins with its place.
func driftLine(d Drift) string {
	line := d.String()
	if d.File != "" {
		line = fmt.Sprintf("%s:%d: %s", d.File, d.Line, line)
	}
	return term.OneLine(line, maxDrift)
}

func writeStream(b *strings.Builder, s Stream, all bool) {
	fmt.Fprintf(b, "%s %s, %s: %s, %s\n\n", s.Agent, s.Version, s.Format, term.Counted(s.Files, "file"), term.Counted(s.Lines, "line"))
	for _, k := range s.Keys {
		if k.Path == "" {
			fmt.Fprintf(b, "  %-*s %6d\n", maxWidth, tail(k.Type, maxWidth), k.Count)
			continue
		}
		// Of the contract only what a producer may leave out, unless all is wanted.
		if !all && (k.Standing == "" || k.Standing == declared || strings.HasSuffix(k.Path, "[]")) {
			continue
		}
		seen := strings.Join(k.Seen, " ")
		if k.Standing == reserved {
			seen += " unknown"
		}
		fmt.Fprintf(b, "    %-*s %5d%%  %s\n", maxWidth-2, tail(k.Path, maxWidth-2), max(k.Count*100/k.Of, 1), term.OneLine(seen, maxSeen))
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
