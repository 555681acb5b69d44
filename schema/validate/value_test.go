package validate

import (
	"strings"
	"testing"
)

// A line that holds one object and something else is told from one that holds
// a second value or none.
func TestLineFault_AffixOrJSON(t *testing.T) {
	for _, tt := range []struct {
		line, rule string
		column     int
	}{
		{`INFO {}`, lineAffix, 1},
		{`2026-03-03T20:11:12Z {}`, lineAffix, 1},
		{`[agent] {}`, lineAffix, 1},
		{`{agent} {"a":1}`, lineAffix, 1},
		{` {}`, lineAffix, 1},
		{`{} `, lineAffix, 3},
		{`{};`, lineAffix, 3},
		{`{}]`, lineAffix, 3},
		{`{"a":"}"},`, lineAffix, 10},
		{`x {} y`, lineAffix, 1},
		{`{} {}`, lineJSON, 4},
		{`{}[]`, lineJSON, 3},
		{`{} null`, lineJSON, 4},
		{`"text" {}`, lineJSON, 8},
		{`[1] {}`, lineJSON, 5},
		{`1 {}`, lineJSON, 3},
		{`{} and {"a":1}`, lineJSON, 4},
		{`{"a":{"b":1}`, lineJSON, 13},
		{`{ "a":{} x`, lineJSON, 10},
		{`{{}`, lineAffix, 1},
		{`no object`, lineJSON, 1},
		{`tru`, lineJSON, 1},
		{`1.`, lineJSON, 3},
		{`"a`, lineJSON, 3},
	} {
		f := lineFault([]byte(tt.line), 1<<20)
		if f == nil || f.rule != tt.rule || f.column != tt.column {
			t.Errorf("lineFault(%s) = %+v, want %s at column %d", tt.line, f, tt.rule, tt.column)
		}
	}
}

// The rules are tried in their order: a line that breaks two is told by the
// first.
func TestLineFault_FirstRuleOfTheTable(t *testing.T) {
	for _, tt := range []struct{ line, rule string }{
		{strings.Repeat("\xff", 21), lineTooLong},
		{"\ufeff\xff", lineUTF8},
		{"\ufeff   \t", lineBOM},
		{"  \t", lineControl},
		{"{\t", lineControl},
		{"\t{} x", lineControl},
		{`"\ud800" "`, lineJSON},
		{`"\ud800"`, lineSurrogate},
		{`["\ud800"]`, lineSurrogate},
		{`[{"a":1,"a":1}]`, lineNotObject},
		{`{"a":"\ud800","a":1}`, lineSurrogate},
		{`{"a":1,"a":1} x`, lineAffix},
	} {
		if f := lineFault([]byte(tt.line), 20); f == nil || f.rule != tt.rule {
			t.Errorf("lineFault(%q) = %+v, want %s", tt.line, f, tt.rule)
		}
	}
	for _, line := range []string{`{}`, `{ "a" : [ ] }`, `{"a":"é\ud83d\ude00"}`} {
		if f := lineFault([]byte(line), 50); f != nil {
			t.Errorf("lineFault(%s) = %+v, want none", line, f)
		}
	}
}
