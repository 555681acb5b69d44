package provider

import (
	"testing"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

func TestParseEdit(t *testing.T) {
	for _, text := range []string{`/a=1`, `/a~0b/c~1d=null`, `/a~01="x"`, `/a={"x":{"y":1},"y":[{"x":1},{"x":2}]}`, `/a/=1`} {
		if e, err := ParseEdit(text); err != nil || e.String() != text {
			t.Errorf("ParseEdit(%s) = %v, %v, want it taken", text, e, err)
		}
	}
	for _, text := range []string{"", "/a", "/=1", "a=1", "/a=", "/a=1 2", "/a~2=1", "/a~=1", "/~~0=1", `/a={"x":1,"x":2}`, `/a=[{"b":{"x":1,"\u0078":2}}]`} {
		if e, err := ParseEdit(text); err == nil {
			t.Errorf("ParseEdit(%s) = %v, want an error", text, e)
		}
	}
}

func TestEdit_Apply(t *testing.T) {
	const body = `{"a":{"b":[1,{"c":"x"}],"d/e":2},"f":null}`
	for edit, want := range map[string]string{
		`/a={"new":1}`:    `{"a":{"new":1},"f":null}`,
		`/a/b/0="y"`:      `{"a":{"b":["y",{"c":"x"}],"d/e":2},"f":null}`,
		`/a/b/1/c=null`:   `{"a":{"b":[1,{}],"d/e":2},"f":null}`,
		`/a/b/0=null`:     `{"a":{"b":[{"c":"x"}],"d/e":2},"f":null}`,
		`/a/b/2=3`:        `{"a":{"b":[1,{"c":"x"},3],"d/e":2},"f":null}`,
		`/a/b/-/g=3`:      `{"a":{"b":[1,{"c":"x"},{"g":3}],"d/e":2},"f":null}`,
		`/a/d~1e=3`:       `{"a":{"b":[1,{"c":"x"}],"d/e":3},"f":null}`,
		`/a.b/0/g~1*=3`:   `{"a":{"b":[1,{"c":"x"}],"d/e":2},"f":null,"a.b":{"0":{"g/*":3}}}`,
		`/a/no/such=null`: body,
		`/a/b/-=null`:     body,
		`/f=null`:         `{"a":{"b":[1,{"c":"x"}],"d/e":2}}`,
		`/a/b/3=1`:        `set /a/b/3 in the request: "3" is no place in a list of 2`,
		`/a/b/c=null`:     `set /a/b/c in the request: "c" is no place in a list of 2`,
		`/f/x=1`:          `set /f/x in the request: "x" is below a value that has no members`,
		`/a/b/0/x=null`:   `set /a/b/0/x in the request: "x" is below a value that has no members`,
	} {
		e, err := ParseEdit(edit)
		if err != nil {
			t.Fatal(err)
		}
		got, err := New(Config{Edits: Edits{e}}).edited([]byte(body))
		if err != nil {
			got = []byte(err.(*chat.Failure).Message)
		}
		if string(got) != want {
			t.Errorf("edit %s gives\n%s, want\n%s", edit, got, want)
		}
	}
}
