package tool

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

const successLine = `{"tool_name":"execute_command","status":"success","summary_text":"command exited with status 0","result":{},"error":null}`

const errorLine = `{"tool_name":"execute_command","status":"error","summary_text":"workdir is outside the workspace","result":null,` +
	`"error":{"kind":"path_outside_workspace","message":"no","details":{"workdir":"../x"},"recovery_hint":"stay","retryable":false}}`

// load reads a result and validates it.
func load(line []byte) (r Result, err error) {
	if err := json.Unmarshal(line, &r); err != nil {
		return r, err
	}
	return r, r.Validate()
}

func TestValidate_RoundTrip(t *testing.T) {
	for _, line := range []string{successLine, errorLine} {
		r, err := load([]byte(line))
		if err != nil {
			t.Fatalf("Validate of %s = %v, want no error", line, err)
		}
		got, err := jsontext.Marshal(r)
		if err != nil || string(got) != line {
			t.Errorf("jsontext.Marshal(%+v) = %s, %v, want %s", r, got, err, line)
		}
	}
}

func TestValidate_Accepted(t *testing.T) {
	for name, line := range map[string]string{
		"details and hint absent": `{"tool_name":"t","status":"error","summary_text":"s","result":null,"error":{"kind":"other_kind","message":"m","retryable":true}}`,
		"null details":            `{"tool_name":"t","status":"error","summary_text":"s","result":null,"error":{"kind":"x","message":"m","details":null,"recovery_hint":null,"retryable":true}}`,
		"one artifact, no role":   `{"tool_name":"t","status":"success","summary_text":"s","result":{"artifacts":[{"path":"a"}]},"error":null}`,
		"null role":               `{"tool_name":"t","status":"success","summary_text":"s","result":{"artifacts":[],"stdout_artifact":null},"error":null}`,
		"two roles":               `{"tool_name":"t","status":"success","summary_text":"s","result":{"artifacts":[{"path":"a"},{"path":"b"}],"x_artifact":1,"y_artifact":0},"error":null}`,
		"200 characters":          `{"tool_name":"t","status":"success","summary_text":"` + strings.Repeat("ä", 200) + `","result":{},"error":null}`,
	} {
		if _, err := load([]byte(line)); err != nil {
			t.Errorf("Validate(%s) = %v, want no error", name, err)
		}
	}
}

func TestValidate_Refused(t *testing.T) {
	success := func(result string) string {
		return `{"tool_name":"t","status":"success","summary_text":"s","result":` + result + `,"error":null}`
	}
	failure := func(err string) string {
		return `{"tool_name":"t","status":"error","summary_text":"s","result":null,"error":` + err + `}`
	}
	for _, test := range []struct{ name, line, want string }{
		{"empty name", strings.Replace(successLine, "execute_command", "", 1), "tool_name is empty"},
		{"empty summary", strings.Replace(successLine, "command exited with status 0", " ", 1), "summary_text is empty"},
		{"long summary", strings.Replace(successLine, "command exited with status 0", strings.Repeat("ä", 201), 1), "201 characters"},
		{"status", strings.Replace(successLine, `"success"`, `"ok"`, 1), `status is "ok"`},
		{"success without result", success("null"), "result must be an object"},
		{"success with list", success("[]"), "result must be an object"},
		{"success with error", strings.Replace(success("{}"), `"error":null`, `"error":{"kind":"x","message":"m","retryable":false}`, 1), "error must be null"},
		{"error without error", failure("null"), "error must be an object"},
		{"error with result", strings.Replace(failure(`{"kind":"x","message":"m","retryable":false}`), `"result":null`, `"result":{}`, 1), "result must be null"},
		{"error without kind", failure(`{"kind":"","message":"m","retryable":false}`), "kind is empty"},
		{"error without message", failure(`{"kind":"x","message":"","retryable":false}`), "message is empty"},
		{"long message", failure(`{"kind":"x","message":"` + strings.Repeat("m", 1001) + `","retryable":false}`), "1000 characters"},
		{"artifact key", success(`{"artifacts":[{"path":"a","bytes":1}]}`), "no other"},
		{"artifact without path", success(`{"artifacts":[{"name":"a"}]}`), "no other"},
		{"artifact list", success(`{"artifacts":"a"}`), "list of objects"},
		{"artifact outside", success(`{"artifacts":[{"path":"../a"}]}`), "not inside"},
		{"role outside", success(`{"artifacts":[{"path":"a"}],"stdout_artifact":1}`), "want an index of 1"},
		{"role without artifacts", success(`{"stdout_artifact":0}`), "want an index of 0"},
		{"negative role", success(`{"artifacts":[{"path":"a"}],"stdout_artifact":-1}`), "want an index"},
		{"role of other type", success(`{"artifacts":[{"path":"a"}],"stdout_artifact":"0"}`), "want an index"},
		{"two artifacts, one role", success(`{"artifacts":[{"path":"a"},{"path":"b"}],"stdout_artifact":0}`), "only 1 have a role"},
		{"role outside in details", failure(`{"kind":"command_timed_out","message":"m","retryable":true,"details":{"stdout_artifact":0}}`), "want an index"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := load([]byte(test.line))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Validate(%s) = %v, want an error with %q", test.line, err, test.want)
			}
		})
	}
}

func TestResult_Facts(t *testing.T) {
	loaded := func(status, result, err string) Result {
		r, loadErr := load([]byte(`{"tool_name":"t","status":"` + status + `","summary_text":"s","result":` + result + `,"error":` + err + `}`))
		if loadErr != nil {
			t.Fatalf("load: %v", loadErr)
		}
		return r
	}
	command := `{"disposition":"completed","exit_status":%s,"signal":%s,"truncated":true,"stdout_bytes":7,"stderr_bytes":3,"artifacts":[{"path":"artifacts/a"}],"stdout_artifact":0}`
	fill := func(status, signal string) string {
		return strings.Replace(strings.Replace(command, "%s", status, 1), "%s", signal, 1)
	}
	ran := Facts{OK: true, ExitStatus: ptr[int64](0), OutputTruncated: true, OutputBytes: ptr[int64](10), Artifacts: []Artifact{{"artifacts/a"}}}
	failed := ran
	failed.OK, failed.ExitStatus = false, ptr[int64](2)
	killed := ran
	killed.OK, killed.ExitStatus = false, nil
	late := killed
	late.ErrorKind = KindCommandTimedOut
	for _, test := range []struct {
		name string
		give Result
		want Facts
	}{
		{"status 0", loaded("success", fill("0", "null"), "null"), ran},
		{"status 2", loaded("success", fill("2", "null"), "null"), failed},
		{"signal", loaded("success", fill("null", `"SIGSEGV"`), "null"), killed},
		{"timed out", loaded("error", "null", `{"kind":"command_timed_out","message":"m","retryable":true,"details":`+fill("null", `null`)+`}`), late},
		{"other error", loaded("error", "null", `{"kind":"not_found","message":"m","retryable":true,"details":{"bytes":1}}`), Facts{ErrorKind: KindNotFound}},
		{"file", loaded("success", `{"path":"a","bytes":5,"content_preview":"x","truncated":true}`, "null"), Facts{OK: true, OutputTruncated: true, OutputBytes: ptr[int64](5)}},
		{"written", loaded("success", `{"path":"a","bytes":5}`, "null"), Facts{OK: true}},
		{"foreign", loaded("success", `{"truncated":"yes"}`, "null"), Facts{OK: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.give.Facts()); diff != "" {
				t.Errorf("Facts() (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzValidate(f *testing.F) {
	f.Add([]byte(successLine))
	f.Add([]byte(errorLine))
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := load(line)
		if err != nil {
			return
		}
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatalf("Marshal(%q) = %v, want no error", line, err)
		}
		if _, err := load(b); err != nil {
			t.Fatalf("Validate(%s) of a valid result = %v, want no error", b, err)
		}
	})
}
