package archive

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Column describes a column of a table.
type Column struct {
	Table, Name string
	// Type is string, int64, double, boolean or timestamp (microseconds, UTC).
	Type     string
	Nullable bool
	Doc      string
}

// form is the column as the list of columns holds it, without its description.
func (c Column) form() string {
	null := ""
	if c.Nullable {
		null = " null"
	}
	return fmt.Sprintf("%s.%s %s%s", c.Table, c.Name, c.Type, null)
}

// columnTypes names the types of columns.
var columnTypes = map[reflect.Type]string{
	reflect.TypeFor[string](): "string", reflect.TypeFor[int64](): "int64", reflect.TypeFor[float64](): "double",
	reflect.TypeFor[bool](): "boolean", reflect.TypeFor[time.Time](): "timestamp",
}

// columns returns the columns of a table.
func (t table) columns() (list []Column) {
	row := reflect.TypeOf(t.row)
	for i := range row.NumField() {
		field := row.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("parquet"), ",")
		kind, nullable := field.Type, field.Type.Kind() == reflect.Pointer
		if nullable {
			kind = kind.Elem()
		}
		list = append(list, Column{t.name, name, columnTypes[kind], nullable, field.Tag.Get("doc")})
	}
	return list
}

// Columns returns the columns of all tables.
func Columns() (list []Column) {
	for _, t := range tables {
		list = append(list, t.columns()...)
	}
	return list
}

// breaches says what keeps a list of columns from being a lawful successor of an older
// one, both in the form of Column.form: what is there stays as it is, and what is new
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

// docTables returns the tables as docs/archive.md has them.
func docTables() string {
	var b strings.Builder
	for _, t := range tables {
		fmt.Fprintf(&b, "### %s\n\n%s\n\n| column | type | null | meaning |\n| --- | --- | --- | --- |\n", t.name, t.doc)
		for _, c := range t.columns() {
			null := ""
			if c.Nullable {
				null = "yes"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.Name, c.Type, null, c.Doc)
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
