package cli

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

var update = flag.Bool("update", false, "rewrite the tables of flags in the documentation")

// flagTables are the tables of flags in docs: file, name of the part, and what
// registers the flags.
var flagTables = []struct {
	file, part string
	flags      func(p *program) *pflag.FlagSet
}{
	{"agent.md", "flags of run", func(p *program) *pflag.FlagSet { return p.runCommand().Flags() }},
	{"harness.md", "flags of ci", func(*program) *pflag.FlagSet {
		fs := pflag.NewFlagSet("ci", pflag.ContinueOnError)
		fs.SortFlags = false
		newHarnessFlags().register(fs)
		return fs
	}},
}

// flagTable returns the flags as a table: name and kind of value, default,
// meaning.
func flagTable(fs *pflag.FlagSet) string {
	var b strings.Builder
	b.WriteString("| flag | default | meaning |\n| --- | --- | --- |\n")
	fs.VisitAll(func(f *pflag.Flag) {
		value, meaning := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if value != "" {
			name += " " + value
		}
		initial := f.DefValue
		if initial == "false" || strings.Contains(meaning, "(default") {
			initial = ""
		}
		if initial != "" {
			initial = "`" + initial + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", strings.ReplaceAll(name, "|", `\|`), initial, meaning)
	})
	return b.String()
}

func TestDocs_FlagsAreThoseOfTheCommand(t *testing.T) {
	for _, table := range flagTables {
		path := filepath.Join("..", "..", "docs", table.file)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		begin := "<!-- begin: " + table.part + ", written by go test ./internal/cli -update -->\n"
		end := "<!-- end: " + table.part + " -->"
		before, rest, ok := strings.Cut(string(text), begin)
		got, after, closed := strings.Cut(rest, end)
		if !ok || !closed {
			t.Fatalf("docs/%s: no part %q between its marks", table.file, table.part)
		}
		want := "\n" + flagTable(table.flags(&program{})) + "\n"
		if got == want {
			continue
		}
		if !*update {
			t.Errorf("docs/%s: the part %q differs from the command; run go test ./internal/cli -update", table.file, table.part)
			continue
		}
		if err := os.WriteFile(path, []byte(before+begin+want+end+after), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// The index of the documentation names every page.
func TestDocs_IndexIsWhole(t *testing.T) {
	folder := filepath.Join("..", "..", "docs")
	index, err := os.ReadFile(filepath.Join(folder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(folder, "*.md"))
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages found, %v, want all", len(pages), err)
	}
	for _, page := range pages {
		name := filepath.Base(page)
		if name != "README.md" && !strings.Contains(string(index), "]("+name+")") {
			t.Errorf("docs/README.md does not name %s", name)
		}
	}
}
