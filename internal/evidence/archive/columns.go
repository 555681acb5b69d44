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
	for field := range row.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("parquet"), ",")
		kind, nullable := field.Type, field.Type.Kind() == reflect.Pointer
		if nullable {
			kind = kind.Elem()
		}
		list = append(list, Column{t.name, name, columnTypes[kind], nullable, field.Tag.Get("doc")})
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
