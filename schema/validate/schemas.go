package validate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/schema"
)

// keywordRules are the rules that a line breaks by breaking a keyword of the schema in
// its envelope or in data. Where there is none, code checks the same more closely. A
// keyword that is not here breaks schema/envelope or schema/data.
var keywordRules = map[string]struct{ envelope, data string }{
	"type":                 {schemaEnvelope, schemaData},
	"required":             {schemaEnvelope, schemaData},
	"minimum":              {schemaEnvelope, schemaData},
	"maximum":              {}, // schema/number
	"const":                {}, // schema/version: another one may be asked for
	"additionalProperties": {}, // schema/envelope names the first in the line
	"enum":                 {schemaType, schemaData},
	"format":               {schemaEnvelope, schemaData},
	"pattern":              {schemaEnvelope, ""}, // size/string
	"minLength":            {},                   // run/outcome
	"maxLength":            {},                   // size/string counts bytes
	"maxItems":             {schemaEnvelope, sizeString},
	"maxProperties":        {schemaEnvelope, sizeString},
}

// choose chooses the first of the keywords that the part breaks by which it breaks a rule.
func (p *part) choose(broken []string) {
	for _, keyword := range broken {
		row, known := keywordRules[keyword]
		switch {
		case !known:
			row.envelope, row.data = schemaEnvelope, schemaData
		case keyword == "minimum" && p.is("integer"):
			row.data = "" // schema/number, size/truncation
		case p.name == "ts":
			row.envelope = schemaTimestamp
		}
		if p.keyword, p.rule = keyword, row.envelope; p.inData() {
			p.rule = row.data
		}
		if p.rule != "" {
			return
		}
	}
}

// check tries the rules of the schema stage on the event that is first of its run or
// not, and those of the size stage on one that matches the schema.
func (c *contract) check(r *report, e *event, version string, first bool) {
	errors := r.errors
	checkVersion(r, e, version, c.version)
	checkExtras(r, e)
	parts := c.parts(e)
	for _, p := range parts {
		broken := p.rule != "" && !strings.HasPrefix(p.rule, "size/")
		if broken && !(first && p.name == "sequence" && p.keyword == "minimum") { // stream/sequence-start speaks
			p.report(r)
		}
		switch {
		case broken && p.keyword != "minimum":
		case p.is("integer"):
			p.checkInteger(r)
		case p.is("number"):
			p.checkDecimal(r)
		}
	}
	if r.errors == errors {
		checkSize(r, e, parts)
	}
}

// report reports the keyword that the part breaks.
func (p part) report(r *report) {
	name, got, want := cmp.Or(p.name, "the envelope"), describe(p.value), "what "+strconv.Quote(p.keyword)+" of the schema asks for"
	switch {
	case p.rule == schemaTimestamp:
		want = "a UTC time like 2026-03-03T20:11:12.000Z"
	case p.rule == schemaType:
		want = "a type of the contract"
	case p.keyword == "type":
		got, want = kind(p.value), strings.Join(p.Types, " or ")
	case p.keyword == "minimum":
		want = "at least " + p.Minimum.RatString()
	case p.keyword == "maxItems":
		got, want = plural(len(p.value.([]any)), "item"), fmt.Sprintf("at most %d", p.MaxItems)
	case p.keyword == "maxProperties":
		got, want = plural(len(p.value.(map[string]any)), "name"), fmt.Sprintf("at most %d", p.MaxProperties)
	case p.keyword == "required":
		lacking := strings.Join(p.lacking(), ", ")
		r.addMessage(p.rule, 0, name+" lacks "+lacking, "no "+lacking, lacking)
		return
	}
	r.add(p.rule, 0, name, got, want)
}

// lacking returns the required members that an object lacks, in declared order.
func (p part) lacking() (names []string) {
	object, _ := p.value.(map[string]any)
	for _, name := range p.Required {
		if _, ok := object[name]; !ok {
			names = append(names, name)
		}
	}
	return names
}

// checkInteger tries schema/number on a member that is an integer.
func (p part) checkInteger(r *report) {
	number, isNumber := p.value.(json.Number)
	_, plain, ok := whole(p.value)
	switch {
	case !isNumber:
	case huge(number), ok && !plain:
		r.add(schemaNumber, 0, p.name, describe(number), "an integer written with digits alone")
	case !ok:
		r.add(schemaNumber, 0, p.name, describe(number), "an integer within 2^53")
	}
}

// checkDecimal tries schema/number on a member that need not be an integer.
func (p part) checkDecimal(r *report) {
	if number, isNumber := p.value.(json.Number); isNumber && !decimal(number) {
		r.add(schemaNumber, 0, p.name, describe(number),
			fmt.Sprintf("a number within 2^53 of at most %d decimals, without an exponent", schema.MaxDecimals))
	}
}
