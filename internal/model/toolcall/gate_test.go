package toolcall

import "testing"

func TestNative_ArgumentsAreOneWholeObject(t *testing.T) {
	for _, tt := range []struct {
		arguments, finish, use string
		want                   Status
	}{
		{`{"a":1}`, "tool_calls", `{"a":1}`, Complete}, {` {"a":1} ` + "\n", "length", `{"a":1}`, Complete},
		{``, "stop", `{}`, Complete}, {" \t\n", "tool_calls", `{}`, Complete}, {`null`, "stop", `{}`, Complete},
		{``, "length", ``, Incomplete}, {``, "", ``, Incomplete}, {` `, "content_filter", ``, Incomplete},
		{`{"a":`, "stop", ``, Incomplete}, {`{"a":"b`, "length", ``, Incomplete}, {`{"a":1`, "stop", ``, Incomplete}, {`[1`, "stop", ``, Incomplete},
		{`{"a":"\u00`, "stop", ``, Incomplete}, {`{"a":tr`, "stop", ``, Incomplete}, {`{"a":-`, "stop", ``, Incomplete},
		{`{"a":1}}`, "stop", ``, Malformed}, {`{} {}`, "stop", ``, Malformed}, {`{}x`, "stop", ``, Malformed}, {`a=1`, "stop", ``, Malformed},
		{`{'a':1}`, "stop", ``, Malformed}, {`{"a":1,}`, "stop", ``, Malformed}, {`{"a":01}`, "stop", ``, Malformed},
		{`[]`, "stop", ``, Malformed}, {`"x"`, "stop", ``, Malformed}, {`7`, "stop", ``, Malformed}, {`true`, "stop", ``, Malformed},
	} {
		use, got, problem := Native(tt.arguments, tt.finish)
		if got != tt.want || string(use) != tt.use || (problem == "") != (got == Complete) {
			t.Errorf("Native(%q, %q) = %s, %s, %q, want %s, %s and why unless complete", tt.arguments, tt.finish, use, got, problem, tt.use, tt.want)
		}
	}
}
