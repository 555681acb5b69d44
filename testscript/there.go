package testscript

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/term"
)

// What a failed assertion shows of a stream is bounded: so many events, each in
// so many characters.
const (
	maxShown      = 10
	maxShownChars = 300
)

// there describes what a stream holds of the type: its events, or when
// it has none of it, how many of which others.
func there(file, typ string, events []streamEvent) string {
	var list []string
	for _, e := range events {
		if e.typ == typ {
			list = append(list, e.String())
		}
	}
	if len(list) > 0 {
		return fmt.Sprintf("%s has %d of %s:\n%s", file, len(list), typ, bounded(list))
	}
	return fmt.Sprintf("%s has no %s; it has %s", file, typ, census(events))
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
	if len(types) == 0 {
		return "no event"
	}
	more := max(len(types)-2*maxShown, 0)
	for i, typ := range types[:len(types)-more] {
		types[i] = fmt.Sprintf("%d %s", counts[typ], term.OneLine(typ, maxShownChars))
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
		word = term.OneLine(word, maxShownChars)
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

// String returns the event's place and data as one line.
func (e streamEvent) String() string {
	data, err := json.Marshal(e.data)
	if err != nil { // it came from JSON
		return err.Error()
	}
	return fmt.Sprintf("sequence %s: %s", e.sequence, term.OneLine(string(data), maxShownChars))
}
