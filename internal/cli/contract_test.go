package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/testkit/testenv"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// parserVariable makes the test binary play a parser for golden verify, or what
// else has to be a process of its own.
const parserVariable = "CLI_TEST_PARSER"

func TestMain(m *testing.M) {
	switch os.Getenv(parserVariable) {
	case "check":
		testenv.Exit((&program{Process: process.Process{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}}).main([]string{"check"}))
	case "json":
		testenv.Exit(onlyJSON())
	case "early signal":
		testenv.Exit(playEarlySignal())
	}
	testenv.Clean()
	testenv.Wait()
	os.Exit(m.Run())
}

// onlyJSON is a parser that asks of a line no more than to be JSON.
func onlyJSON() int {
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 && !json.Valid(line) {
			return 1
		}
		if err != nil {
			return 0
		}
	}
}

// runLine runs a command line and returns its status and what it printed.
func runLine(in string, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	p := &program{Process: process.Process{In: strings.NewReader(in), Out: &out, Err: &errs}}
	status = p.main(args)
	return status, out.String(), errs.String()
}

// That our check passes the whole kit is shown by the example of the README.
func TestGoldenVerify_OurCheckPasses(t *testing.T) {
	t.Setenv(parserVariable, "check")
	t.Setenv("OPENAGENT_STRICT", "1") // of the caller, not for the command
	status, out, errs := runLine("", "golden", "verify", "--run", "^stream-", "--timeout", "5m", "--jobs", "4", "--", os.Args[0])
	if status != StatusOK || errs != "" {
		t.Errorf("golden verify = %d, want 0:\n%s%s", status, out, errs)
	}
}

func TestGoldenVerify_NamesWhatAParserOfJSONMisses(t *testing.T) {
	t.Setenv(parserVariable, "json")
	status, out, errs := runLine("", "golden", "verify", "--timeout", "5m", "--jobs", "4", "--", os.Args[0])
	if status != StatusFailed || errs != "" {
		t.Fatalf("golden verify = %d, want 1:\n%s%s", status, out, errs)
	}
	for _, want := range []string{
		"invalid/stream-sequence-gap-of-one.jsonl: accepted, want it refused: ", " [stream/sequence-gap at line ",
		"invalid/schema-data-declared-type.jsonl: accepted", " (strict) [",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("golden verify does not say %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "refused, want it accepted") || strings.Contains(out, "line-json-prose") {
		t.Errorf("golden verify blames the parser for what it does right:\n%s", out)
	}
}

// The command comes to exactly the findings that the kit expects.
func TestCheck_FindsWhatTheKitExpects(t *testing.T) {
	for _, v := range golden.Vectors() {
		args := []string{"check", "--format", "json"}
		if v.Strict {
			args = append(args, "--strict")
		}
		status, out, errs := runLine(string(v.Stream), args...)
		var got struct {
			Files []struct {
				Valid    bool
				Findings []validate.Finding
			}
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.Files) != 1 {
			t.Fatalf("%s: check printed %v\n%s%s", v.Name, err, out, errs)
		}
		found := []golden.Expect{}
		for _, f := range got.Files[0].Findings {
			found = append(found, golden.Expect{Rule: f.Rule, Line: f.Line})
		}
		if diff := cmp.Diff(slices.Concat(v.Findings), slices.Concat(found)); diff != "" {
			t.Errorf("%s: check (-want +got):\n%s", v.Name, diff)
		}
		want := StatusFailed
		if v.Valid {
			want = StatusOK
		}
		if status != want || got.Files[0].Valid != v.Valid {
			t.Errorf("%s: check = %d, valid %v, want %d, %v", v.Name, status, got.Files[0].Valid, want, v.Valid)
		}
	}
}

func TestCommands_HelpNamesTheirStatuses(t *testing.T) {
	for _, args := range []string{
		"check", "convert", "doctor", "golden export", "golden verify", "golden diff", "schema list", "schema show",
		"schema path", "schema diff", "schema lock", "schema verify", "schema observe",
	} {
		status, out, _ := runLine("", append(strings.Fields(args), "--help")...)
		if status != StatusOK || !strings.Contains(out, "Exit status: 0 ") {
			t.Errorf("%s --help = %d, want its exit statuses:\n%s", args, status, out)
		}
	}
}

// FuzzProject: whatever a log holds, each line that is printed keeps the
// contract of a single line.
func FuzzProject(f *testing.F) {
	line := func(kind event.Kind, data string) string {
		return `{"ts":"2026-03-03T20:11:12Z","run_id":"r","step":1,"kind":"` + string(kind) + `","data":` + data + "}\n"
	}
	for _, p := range event.Payloads() {
		f.Add(line(p.Kind(), `{"content":"é","ok":1,"reason":null,"usage":{"input_tokens":1e3}}`))
	}
	f.Add(line("tool_exec_end", `{"id":"x","content":"`+strings.Repeat(`\u0000`, 9000)+`"}`))
	f.Add(line("run_start", "{}") + line("run_end", "{}") + line("step_started", "{}"))
	f.Add(`{"ts":"0000-01-01T00:00:00+23:59","run_id":"","step":9007199254740993,"kind":"run_end","data":{"steps":-1}}`)
	f.Fuzz(func(t *testing.T, log string) {
		status, out, errs := runLine(log, "convert", "--from", "openagent-log")
		if status != StatusOK && (status != StatusFailed || errs == "") {
			t.Errorf("convert --from openagent-log = %d, %s", status, errs)
		}
		for line := range strings.Lines(out) {
			if len(line) >= schema.MaxLineBytes {
				t.Errorf("line of %d bytes", len(line))
			}
			for _, finding := range validate.NewStream(validate.Options{}).Line([]byte(line)) {
				if !strings.HasPrefix(finding.Rule, "stream/") && !strings.HasPrefix(finding.Rule, "flow/") {
					t.Errorf("%s\n%s", finding, line)
				}
			}
		}
	})
}
