package archive

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// column describes a column of a table.
type column struct {
	table, name string
	// kind is string, int64, double, boolean or timestamp (microseconds, UTC).
	kind     string
	nullable bool
	doc      string
}

// form is the column as the list of columns holds it, without its description.
func (c column) form() string {
	null := ""
	if c.nullable {
		null = " null"
	}
	return fmt.Sprintf("%s.%s %s%s", c.table, c.name, c.kind, null)
}

// columnTypes names the types of columns.
var columnTypes = map[reflect.Type]string{
	reflect.TypeFor[string](): "string", reflect.TypeFor[int64](): "int64", reflect.TypeFor[float64](): "double",
	reflect.TypeFor[bool](): "boolean", reflect.TypeFor[time.Time](): "timestamp",
}

// columns returns the columns of a table.
func (t table) columns() (list []column) {
	row := reflect.TypeOf(t.row)
	for field := range row.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("parquet"), ",")
		kind, nullable := field.Type, field.Type.Kind() == reflect.Pointer
		if nullable {
			kind = kind.Elem()
		}
		list = append(list, column{t.name, name, columnTypes[kind], nullable, field.Tag.Get("doc")})
	}
	return list
}

// breaches says what keeps a list of columns from being a lawful successor of an older
// one, both in the form of column.form: what is there stays as it is, and what is new
// may be null, since older files do not have it.
func breaches(old, now []string) (list []string) {
	is, was := byName(now), byName(old)
	for _, form := range old {
		name, _, _ := strings.Cut(form, " ")
		switch got, ok := is[name]; {
		case !ok:
			list = append(list, fmt.Sprintf("%s is gone", name))
		case got != form:
			list = append(list, fmt.Sprintf("%q was %q", got, form))
		}
	}
	for _, form := range now {
		name, _, _ := strings.Cut(form, " ")
		if _, ok := was[name]; !ok && !strings.HasSuffix(form, " null") {
			list = append(list, fmt.Sprintf("%s is new and cannot be null", name))
		}
	}
	return list
}

func byName(forms []string) map[string]string {
	m := map[string]string{}
	for _, form := range forms {
		name, _, _ := strings.Cut(form, " ")
		m[name] = form
	}
	return m
}

var update = flag.Bool("update", false, "rewrite the tables in docs/archive.md and the columns of a revision that is not frozen")

// frozen is the file of a revision's columns. Once a release has it, it stays as it is,
// and what is new is another revision.
func frozen(revision int) string {
	return filepath.Join("testdata", fmt.Sprintf("%s.r%d.columns", Version, revision))
}

func forms() (list []string) {
	for _, c := range allColumns() {
		list = append(list, c.form())
	}
	return list
}

// Columns only grow: those of each revision are lawful successors of those before, and
// the newest revision is what this program writes.
func TestColumns_OnlyGrow(t *testing.T) {
	now := strings.Join(forms(), "\n") + "\n"
	if *update {
		if err := os.WriteFile(frozen(Revision), []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for revision := 1; revision <= Revision; revision++ {
		text, err := os.ReadFile(frozen(revision))
		if err != nil {
			t.Fatal(err)
		}
		old := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		for _, wrong := range breaches(old, forms()) {
			t.Errorf("revision %d: %s", revision, wrong)
		}
		if diff := cmp.Diff(string(text), now); revision == Revision && diff != "" {
			t.Errorf("the columns are not those of revision %d; a released one stays, and a column that is new makes the next (-frozen +now):\n%s", revision, diff)
		}
	}
}

func TestBreaches_NoticeEachKind(t *testing.T) {
	old := []string{"runs.a string", "runs.b int64 null"}
	for name, c := range map[string]struct {
		now  []string
		want int
	}{
		"the same":     {old, 0},
		"grown":        {append([]string{"runs.c double null"}, old...), 0},
		"gone":         {old[:1], 1},
		"renamed":      {[]string{"runs.a string", "runs.x int64 null"}, 1},
		"other type":   {[]string{"runs.a int64", "runs.b int64 null"}, 1},
		"null now":     {[]string{"runs.a string null", "runs.b int64 null"}, 1},
		"new, no null": {append([]string{"runs.c double"}, old...), 1},
	} {
		if got := breaches(old, c.now); len(got) != c.want {
			t.Errorf("%s: breaches = %v, want %d", name, got, c.want)
		}
	}
}

// Each column says what it means, and has a type.
func TestColumns_AreDescribed(t *testing.T) {
	for _, c := range allColumns() {
		if c.doc == "" || c.kind == "" || c.name == "" || strings.ContainsAny(c.doc, "|\n") {
			t.Errorf("column %+v, want name, type and one line of description", c)
		}
	}
}

const (
	docBegin = "<!-- begin: columns, written by go test ./internal/evidence/archive -update -->\n"
	docEnd   = "<!-- end: columns -->"
)

func TestDocs_TablesAreThoseOfTheProgram(t *testing.T) {
	path := filepath.Join("..", "..", "..", "docs", "archive.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), docBegin)
	got, after, closed := strings.Cut(rest, docEnd)
	want := "\n" + docTables() + "\n"
	switch {
	case !ok || !closed:
		t.Fatal("docs/archive.md has no part for columns between its marks")
	case got == want:
	case !*update:
		t.Error("docs/archive.md has other columns than the program; run go test ./internal/evidence/archive -update")
	default:
		if err := os.WriteFile(path, []byte(before+docBegin+want+docEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// allColumns returns the columns of all tables.
func allColumns() (list []column) {
	for _, t := range tables {
		list = append(list, t.columns()...)
	}
	return list
}

// docTables returns the tables as docs/archive.md has them.
func docTables() string {
	var b strings.Builder
	for _, t := range tables {
		fmt.Fprintf(&b, "### %s\n\n%s\n\n| column | type | null | meaning |\n| --- | --- | --- | --- |\n", t.name, t.doc)
		for _, c := range t.columns() {
			null := ""
			if c.nullable {
				null = "yes"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.name, c.kind, null, c.doc)
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
