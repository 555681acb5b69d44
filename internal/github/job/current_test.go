package job

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/schema"
)

func TestCurrent(t *testing.T) {
	env := map[string]string{
		"GITHUB_RUN_ID": "12", "GITHUB_JOB": "agent", "GITHUB_RUN_ATTEMPT": "2",
		"OPENAGENT_MATRIX": "{\n  \"os\": \"linux\",\n  \"node\": 22\n}",
	}
	getenv := func(name string) string { return env[name] }
	if got := Current(getenv); got != nil {
		t.Errorf("Current outside of a job = %v, want nil", got)
	}
	env["GITHUB_ACTIONS"] = "true"
	want := &schema.ManifestJob{RunID: "12", Job: "agent", Attempt: "2", Matrix: "node=22, os=linux"}
	if diff := cmp.Diff(want, Current(getenv)); diff != "" {
		t.Errorf("Current (-want +got):\n%s", diff)
	}
}

func TestMatrix(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "null": "", "{}": "", "{\n}": "", `{"a":null}`: "a=",
		`{"b":{ "x": [1, "é"] },"a":true}`: `a=true, b={"x":[1,"é"]}`, `{"n":1e400,"m":""}`: "m=, n=1e400",
		" second \n": "second", `["a"]`: `["a"]`, "{": "{",
	} {
		if got := matrix(text); got != want {
			t.Errorf("matrix(%s) = %s, want %s", text, got, want)
		}
	}
}
