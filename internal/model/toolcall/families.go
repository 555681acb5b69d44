package toolcall

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// family is one form in which models write calls: a row of families.txt, which
// explains its parts.
type family struct {
	source, call, end string
	open, closer      string // the marks of an argument before and after its value
	lines             bool   // a value stands on lines of its own
	around            [][2]string
	examples          []string

	trigger int    // where in call the scanner stops
	prefix  string // what a call always begins with
	named   bool   // the name of the tool is in call
}

//go:embed families.txt
var familyTable string

// isFamily reports whether a source is that of a row.
func isFamily(source string) bool {
	return slices.ContainsFunc(families(), func(f *family) bool { return f.source == source })
}

// families returns the rows of the table.
var families = sync.OnceValue(func() (rows []*family) {
	for block := range strings.SplitSeq(familyTable, "\n\n") {
		f, parts := &family{}, map[string]string{}
		for line := range strings.Lines(block) {
			part, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			if parts[part] = text; part == "example" {
				f.examples = append(f.examples, strings.ReplaceAll(text, `\n`, "\n"))
			}
		}
		f.source, f.call, f.end = parts["source"], parts["call"], parts["end"]
		f.open, f.closer, _ = strings.Cut(strings.ReplaceAll(parts["argument"], `\n`, ""), "VALUE")
		f.lines = strings.Contains(parts["argument"], `\nVALUE`)
		for marks := strings.Fields(parts["around"]); len(marks) > 1; marks = marks[2:] {
			f.around = append(f.around, [2]string{marks[0], strings.TrimPrefix(marks[1], "-")})
		}
		if f.source != "" {
			f.trigger, f.named = strings.IndexAny(f.call, triggers), strings.Contains(f.call, "NAME")
			f.prefix = f.call[:strings.IndexAny(f.call, `N"… ｜▁>]=`)]
			rows = append(rows, f)
		}
	}
	return rows
})
