package testscript

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// What a failed assertion shows is bounded: so many lines from each end of a list,
// and so many characters of a line and of a value.
const (
	maxShown = 8
	maxLine  = 74
	maxValue = 60
)

// shown returns a value as JSON in one line, cut.
func shown(v any, there bool) string {
	if !there {
		return "nothing"
	}
	text, err := jsontext.Marshal(v)
	if err != nil { // it came from JSON
		return err.Error()
	}
	return term.OneLine(string(text), maxValue)
}

// there describes what a stream has of the type: the asked members of its events, or
// when it has none of it, how many of which others.
func there(file, typ string, events []streamEvent, conditions []comparison) string {
	var list []string
	for _, e := range events {
		if e.typ == typ {
			list = append(list, e.shown(conditions))
		}
	}
	if len(list) > 0 {
		return fmt.Sprintf("%s has %d of %s:\n%s", file, len(list), typ, bounded(list))
	}
	return fmt.Sprintf("%s has no %s; it has %s", file, typ, census(events))
}

// shown returns the event's place and its members that are asked about, or where none
// is, as much of all its members as has room in a line.
func (e streamEvent) shown(conditions []comparison) string {
	line := fmt.Sprintf("sequence %s:", e.sequence)
	if len(conditions) == 0 {
		for _, name := range slices.Sorted(maps.Keys(e.data)) {
			line += fmt.Sprintf(" /%s=%s", jsontext.Pointer.Replace(name), shown(e.data[name], true))
		}
		return term.OneLine(line, maxLine)
	}
	for _, c := range conditions {
		got, ok := e.member(c.member)
		line += fmt.Sprintf(" %s=%s", c.member, shown(got, ok))
	}
	return term.OneLine(line, 2*maxLine)
}

// census counts the events by type, in the order in which the types came.
func census(events []streamEvent) string {
	var types []string
	counts := map[string]int{}
	for _, e := range events {
		if counts[e.typ]++; counts[e.typ] == 1 {
			types = append(types, e.typ)
		}
	}
	more := max(len(types)-2*maxShown, 0)
	for i, typ := range types[:len(types)-more] {
		types[i] = fmt.Sprintf("%d %s", counts[typ], term.OneLine(typ, maxValue))
	}
	text := strings.Join(types[:len(types)-more], ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more types", more)
	}
	return text
}

// sequence lists the types of a stream in order, with the tool where one is
// named, as stream-order wants them.
func sequence(events []streamEvent) string {
	var list []string
	for _, e := range events {
		word := e.typ
		if tool, ok := e.data["tool"].(string); ok {
			word += ":" + tool
		}
		word = term.OneLine(word, maxLine)
		if n := len(list); n > 0 && list[n-1] == word {
			continue
		}
		list = append(list, word)
	}
	return bounded(list)
}

// bounded joins lines; of many it returns the first and the last ones.
func bounded(lines []string) string {
	if n := len(lines); n > 2*maxShown {
		lines = slices.Concat(lines[:maxShown], []string{fmt.Sprintf("... %d more", n-2*maxShown)}, lines[n-maxShown:])
	}
	return strings.Join(lines, "\n")
}
