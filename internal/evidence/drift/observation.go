package drift

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/schema/observe"
	"github.com/openagent-ci/openagent/schema/validate"
)

// maxDrift bounds a difference printed for people, in characters.
const maxDrift = 400

// observationVersion names the form of the JSON of an observation.
const observationVersion = "openagent.schema_observation.v1"

// Observation is what streams carry and how that differs from the published schemas
// and from a baseline.
type Observation struct {
	observe.Result
	// Baseline is the file that was compared with, empty for none.
	Baseline string
	// Updated tells a baseline that was written, Added what it had not held before.
	Updated bool
	Added   []observe.Drift
	// Skipped counts the files of folders that are no streams.
	Skipped int
}

// Write writes the observation as json, one object, or else for people: by agent and
// type of line the keys that may be absent, or with all of them every key, then the
// drift.
func (o Observation) Write(w io.Writer, format string, all bool) error {
	if format != "json" {
		return o.writeHuman(w, all)
	}
	var baseline *string
	if o.Baseline != "" {
		baseline = &o.Baseline
	}
	return jsontext.WriteIndented(w, struct {
		Schema   string          `json:"schema"`
		Baseline *string         `json:"baseline"`
		Updated  bool            `json:"updated"`
		Added    []observe.Drift `json:"added"`
		observe.Result
		Skipped int `json:"skipped"`
	}{observationVersion, baseline, o.Updated, append([]observe.Drift{}, o.Added...), o.Result, o.Skipped})
}

// Findings returns the drift as what annotations are made of, and how much more of it
// there is.
func (o Observation) Findings() (findings []validate.Finding, more int) {
	for _, d := range o.Drift {
		findings = append(findings, validate.Finding{
			File: cmp.Or(d.File, d.Format), Line: d.Line, Rule: d.Rule, Severity: validate.SeverityError, Message: d.Subject() + ": " + d.Message,
		})
	}
	return findings, o.Drifts - len(o.Drift)
}

func (o Observation) writeHuman(w io.Writer, all bool) error {
	var b strings.Builder
	for _, s := range o.Streams {
		writeStream(&b, s, all)
	}
	if strings.Contains(b.String(), nearly) {
		b.WriteString("! at nine tenths of its bound, or more\n")
	}
	for _, d := range o.Added {
		b.WriteString("added: " + driftLine(d) + "\n")
	}
	for _, d := range o.Drift {
		b.WriteString(driftLine(d) + "\n")
	}
	if more := o.Drifts - len(o.Drift); more > 0 {
		fmt.Fprintf(&b, "and %d more\n", more)
	}
	b.WriteString(o.sum())
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

// sum says what it all comes to.
func (o Observation) sum() string {
	var b strings.Builder
	if o.Skipped > 0 {
		fmt.Fprintf(&b, "skipped: %s without a stream\n", term.Counted(o.Skipped, "file"))
	}
	if m := o.Omitted; m != nil {
		fmt.Fprintf(&b, "not told apart, for want of room: %d streams, %d types, %d keys\n", m.Streams, m.Types, m.Keys)
	}
	if o.Updated {
		fmt.Fprintf(&b, "wrote %s, added: %d\n", term.OneLine(o.Baseline, maxDrift), len(o.Added))
	}
	with := "no baseline to compare with"
	if o.Baseline != "" {
		with = "baseline " + term.OneLine(o.Baseline, maxDrift)
	}
	if o.Drifts == 0 {
		return b.String() + "no drift; " + with + "\n"
	}
	return b.String() + fmt.Sprintf("drift: %d; %s\n", o.Drifts, with)
}

// Widths of the columns for people: with them and the indent a line has 80 characters.
const (
	maxKeyWidth  = 38
	maxMoreWidth = 31
)

func writeStream(b *strings.Builder, s observe.Stream, all bool) {
	fmt.Fprintf(b, "%s %s, %s: %s, %s", s.Agent, s.Version, s.Format, term.Counted(s.Files, "file"), term.Counted(s.Lines, "line"))
	if s.Unread > 0 {
		fmt.Fprintf(b, ", %d not read", s.Unread)
	}
	b.WriteString("\n\n")
	width := 0
	for _, t := range s.Types {
		width = max(width, len(t.Name))
		for _, k := range shown(s, t, all) {
			width = max(width, utf8.RuneCountInString(k.Path)+2)
		}
	}
	width = min(width, maxKeyWidth)
	for _, t := range s.Types {
		keys := shown(s, t, all)
		if t.Name == "envelope" && s.Format != observe.Native && len(keys) == 0 {
			continue
		}
		more := term.Counted(len(t.Keys), "key")
		if t.Bytes > 0 {
			more += fmt.Sprintf(", longest line %d", t.Bytes)
		}
		fmt.Fprintf(b, "  %-*s %6d  %s\n", width, tail(t.Name, width), t.Lines, more)
		for _, k := range keys {
			fmt.Fprintf(b, "    %-*s %6s  %s\n", width-2, tail(k.Path, width-2), share(k.Count, k.Of), about(k))
		}
	}
	b.WriteString("\n")
}

// shown returns the keys that are listed: of the contract those that may be absent,
// but for the values of arrays, of other streams none, unless all are wanted.
func shown(s observe.Stream, t observe.Type, all bool) []observe.Key {
	if all {
		return t.Keys
	}
	return slices.DeleteFunc(slices.Clone(t.Keys), func(k observe.Key) bool {
		return k.Standing == "" || k.Standing == observe.Declared || strings.HasSuffix(k.Path, "[]")
	})
}

// tail returns the end of a path that fits in width.
func tail(path string, width int) string {
	if runes := []rune(path); len(runes) > width {
		return "…" + string(runes[len(runes)-width+1:])
	}
	return path
}

// share returns how many of a number some are, rounded away from none and from all.
func share(n, of int) string {
	switch percent := n * 100 / max(of, 1); {
	case n >= of:
		return "100%"
	case percent == 0:
		return "<1%"
	default:
		return fmt.Sprintf("%d%%", percent)
	}
}

// near is the part of a bound, in percent, from which it is nearly reached, and nearly
// the mark of that.
const (
	near   = 90
	nearly = "!"
)

// about says of a key what its values are.
func about(k observe.Key) string {
	text := ""
	if k.Standing == observe.Unknown {
		text = "unknown, "
	}
	text += strings.Join(k.KindNames(), ", ")
	if len(k.Values) > 0 {
		return term.OneLine(text+": "+strings.Join(slices.Sorted(maps.Keys(k.Values)), " "), maxMoreWidth)
	}
	for _, s := range k.Sizes {
		text += fmt.Sprintf(", %d", s.Most)
		if s.Bound > 0 {
			text += fmt.Sprintf(" of %d", s.Bound)
		}
		text += " " + s.Unit
		if s.Bound > 0 && s.Most*100 >= s.Bound*near {
			text += nearly
		}
	}
	switch {
	case k.Most == nil:
	case *k.Least == *k.Most:
		text += fmt.Sprintf(", %d", *k.Most)
	default:
		text += fmt.Sprintf(", %d to %d", *k.Least, *k.Most)
	}
	return term.OneLine(text, maxMoreWidth)
}
