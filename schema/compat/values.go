package compat

import (
	"encoding/json"
	"math/big"
	"reflect"
	"slices"
)

// types returns the JSON types that a schema allows. A number is an integer
// too.
func types(node map[string]any) (names []string, ok bool) {
	names, ok = list(node, "type")
	if slices.Contains(names, `"number"`) {
		names = append(names, `"integer"`)
	}
	return names, ok
}

// gainedTypes returns the types that only the next schema allows, where both say it.
func gainedTypes(p pair) []string {
	old, hadType := types(p.old)
	next, hasType := types(p.next)
	if !hadType || !hasType {
		return nil
	}
	return only(next, old)
}

// appears returns a detail for each keyword that only with has.
func appears(without, with map[string]any, message string, keywords ...string) (found []detail) {
	for _, keyword := range keywords {
		_, before := without[keyword]
		if _, after := with[keyword]; after && !before {
			found = append(found, detail{"/" + keyword, message})
		}
	}
	return found
}

// values are the keywords that name all values of a member.
var values = []string{"enum", "const"}

// gainedValues returns a detail for each value that only the next schema has, and one
// where only the old one names any.
func gainedValues(p pair, value, unnamed string) (found []detail) {
	for _, keyword := range values {
		_, had := p.old[keyword]
		if _, has := p.next[keyword]; had && has {
			found = append(found, each("/"+keyword, gained(p, keyword), value)...)
		}
	}
	return append(found, appears(p.next, p.old, unnamed, values...)...)
}

// bounds are the keywords that bound a value, with the sign of the direction
// that leaves more room.
var bounds = []struct {
	keyword string
	room    int
}{
	{"maxLength", 1}, {"maxItems", 1}, {"maxProperties", 1}, {"maximum", 1}, {"exclusiveMaximum", 1},
	{"minLength", -1}, {"minItems", -1}, {"minProperties", -1}, {"minimum", -1}, {"exclusiveMinimum", -1},
}

// narrower returns the bounds that leave less room in b than in a.
func narrower(a, b map[string]any, message string) (found []detail) {
	for _, bound := range bounds {
		wide, isWide := number(a[bound.keyword])
		narrow, isNarrow := number(b[bound.keyword])
		if isNarrow && (!isWide || wide.Cmp(narrow)*bound.room > 0) {
			found = append(found, detail{"/" + bound.keyword, message + show(a[bound.keyword]) + " and " + show(b[bound.keyword])})
		}
	}
	return found
}

// number reads a bound, however it is written.
func number(v any) (*big.Float, bool) {
	text, ok := v.(json.Number)
	if !ok {
		return nil, false
	}
	n, _, err := big.ParseFloat(string(text), 10, 200, big.ToNearestEven)
	return n, err == nil
}

// forms are the keywords that give a text a form.
var forms = []string{"pattern", "format"}

// formRequired takes another form for a narrower one: some texts of the old
// form may not have it.
func formRequired(p pair) (found []detail) {
	for _, keyword := range forms {
		next, has := p.next[keyword]
		if has && !reflect.DeepEqual(p.old[keyword], next) {
			found = append(found, detail{"/" + keyword, "a form that texts need not have had: " + show(next)})
		}
	}
	return found
}
