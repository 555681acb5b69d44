package provider

import "testing"

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
