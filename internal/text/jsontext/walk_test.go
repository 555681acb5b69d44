package jsontext_test

import (
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

func TestParts(t *testing.T) {
	for text, want := range map[string]string{
		`{ "a\\" : [ ] , "\u0062\"":{ },"c":[1 ,["]",{"}":-1.5e3}]]}`: `a\=[ ] b"={ } c=[1 ,["]",{"}":-1.5e3}]]`,
		`[[[]],{},"\\",0,"a,b:c"]`:                                    `=[[]] ={} ="\\" =0 ="a,b:c"`,
		`{"a":1,"b":tru`:                                              `a=1`, `{"a":1 2}`: `a=1`, `"text"`: ``, ``: ``, `[1,`: `=1`,
	} {
		var got, items []string
		for name, value := range jsontext.Parts([]byte(text)) {
			got = append(got, string(name)+"="+string(value))
		}
		for item := range jsontext.Items([]byte(text)) {
			items = append(items, "="+string(item))
		}
		if s := strings.Join(got, " "); s != want || strings.HasPrefix(text, "[") && strings.Join(items, " ") != want {
			t.Errorf("parts of %s are %s, items %s, want %s", text, s, items, want)
		}
	}
}
