package toolcall

import (
	_ "embed"
	"strings"
	"sync"
)

// family is one form in which models write calls: a row of families.txt, which
// explains its parts.
type family struct {
	source, call, argument, end string

	around   [][2]string
	examples []string

	trigger      int    // where in call the scanner stops
	prefix       string // what a call always begins with
	named        bool   // the name of the tool is in call
	open, closer string // the marks of an argument before and after its value
}

//go:embed families.txt
var familyTable string

// families returns the rows of the table.
var families = sync.OnceValue(func() (rows []*family) {
	for block := range strings.SplitSeq(familyTable, "\n\n") {
		f := &family{}
		for line := range strings.Lines(block) {
			part, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			switch part {
			case "source":
				f.source, rows = text, append(rows, f)
			case "call":
				f.call, f.trigger, f.named = text, strings.IndexAny(text, triggers), strings.Contains(text, "NAME")
				f.prefix = text[:strings.IndexAny(text, `N"… ｜▁>]=`)]
			case "argument":
				f.argument = text
				f.open, f.closer, _ = strings.Cut(text, "VALUE")
			case "end":
				f.end = text
			case "around":
				for marks := strings.Fields(text); len(marks) > 1; marks = marks[2:] {
					f.around = append(f.around, [2]string{marks[0], strings.TrimPrefix(marks[1], "-")})
				}
			case "example":
				f.examples = append(f.examples, strings.ReplaceAll(text, `\n`, "\n"))
			}
		}
	}
	return rows
})
