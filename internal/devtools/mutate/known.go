package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
)

// entry is a line of the list of known mutants.
type entry struct {
	verdict verdict
	reason  string
}

func readKnown(name string) (map[string]entry, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseKnown(string(text))
}

func parseKnown(text string) (map[string]entry, error) {
	known := map[string]entry{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		id, reason, _ := strings.Cut(rest, "  # ")
		e := entry{verdict(word), reason}
		switch {
		case e.verdict == equal && reason == "":
			return nil, fmt.Errorf("%s: %q has no reason", list, line)
		case !slices.Contains([]verdict{killed, survived, equal}, e.verdict):
			return nil, fmt.Errorf("%s: %q begins with none of killed, survived, equal", list, line)
		}
		known[id] = e
	}
	return known, nil
}

// writeKnown adds the results to the list. A reason stays.
func writeKnown(name string, results []result, known map[string]entry) error {
	all := maps.Clone(known)
	if all == nil {
		all = map[string]entry{}
	}
	for _, r := range results {
		if all[r.id()].verdict != equal {
			all[r.id()] = entry{verdict: r.verdict}
		}
	}
	var b strings.Builder
	b.WriteString("# Mutants that were tried, written by go run -C internal/devtools ./mutate -update.\n")
	for _, id := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "%s %s", all[id].verdict, id)
		if reason := all[id].reason; reason != "" {
			b.WriteString("  # " + reason)
		}
		b.WriteByte('\n')
	}
	return os.WriteFile(name, []byte(b.String()), 0o644)
}

// report prints the figures by room and returns an error if the tests got weaker.
func report(out io.Writer, results []result, known map[string]entry) error {
	type figures struct{ tried, killed, equal int }
	rooms := map[string]*figures{}
	var worse, open []string
	for _, r := range results {
		f := rooms[room(r.File)]
		if f == nil {
			f = &figures{}
			rooms[room(r.File)] = f
		}
		f.tried++
		switch {
		case r.verdict == killed:
			f.killed++
		case r.verdict == equal:
			f.equal++
		case known[r.id()].verdict == killed:
			worse = append(worse, r.id())
		default:
			open = append(open, r.id())
		}
	}
	fmt.Fprintf(out, "\n%-12s %6s %6s %6s %8s\n", "room", "tried", "killed", "equal", "survived")
	for _, name := range slices.Sorted(maps.Keys(rooms)) {
		f := rooms[name]
		fmt.Fprintf(out, "%-12s %6d %6d %6d %8d\n", name, f.tried, f.killed, f.equal, f.tried-f.killed-f.equal)
	}
	switch {
	case len(worse) > 0:
		return fmt.Errorf("%d mutants that tests noticed before survive now:\n  %s", len(worse), strings.Join(worse, "\n  "))
	case len(open) > mostSurvivors:
		return fmt.Errorf("%d mutants survive without a reason, at most %d may:\n  %s", len(open), mostSurvivors, strings.Join(open, "\n  "))
	}
	return nil
}

// room returns the room of a file: its folder below internal, else its first folder.
func room(file string) string {
	parts := strings.Split(file, "/")
	switch {
	case len(parts) == 1:
		return "."
	case parts[0] == "internal":
		return parts[1]
	}
	return parts[0]
}
