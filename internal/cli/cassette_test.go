package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/model/transport"
)

// scripted serves a script over HTTP; it can be closed to show that nobody is
// asked any more.
func scripted(t *testing.T, turns string) *httptest.Server {
	t.Helper()
	script, err := transport.LoadScript("s", []byte(turns))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(script)
	t.Cleanup(server.Close)
	return server
}

// taped is a place where a run is recorded and replayed.
type taped struct {
	t                   *testing.T
	workspace, cassette string
}

func newTaped(t *testing.T) *taped {
	t.Helper()
	c := &taped{t, t.TempDir(), filepath.Join(t.TempDir(), "new", "c.jsonl")}
	if err := os.WriteFile(filepath.Join(c.workspace, "a.txt"), []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return c
}

// run runs the agent with the cassette, a fixed id and a fixed clock.
func (c *taped) run(args ...string) outcome {
	c.t.Helper()
	line := []string{"run", "--output=json", "--run-id=r1", "--clock=fixed:2026-03-03T20:11:12Z", "--workspace=" + c.workspace,
		"--state-dir=" + c.t.TempDir(), "--cassette=" + c.cassette}
	return call(c.t, "", append(line, args...)...)
}

func (c *taped) record(server *httptest.Server, args ...string) outcome {
	c.t.Helper()
	return c.run(append([]string{"--cassette-mode=record", "--model=m", "--base-url=" + server.URL + "/v1"}, args...)...)
}

func (c *taped) text() string {
	c.t.Helper()
	text, err := os.ReadFile(c.cassette)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(text)
}

const readsAFile = `
- fault: {status: 429, retry_after: 0}
- text: I look at it, whatever it takes.
  tool_calls: [{tool: read_file, arguments: {path: a.txt}}, {tool: list_files}]
  usage: {input_tokens: 7, output_tokens: 3}
  fault: {cut_after_bytes: 600}
- tool_calls: [{tool: read_file, arguments: {path: a.txt}}, {tool: list_files}]
  usage: {input_tokens: 7, output_tokens: 3}
- fault: {body: ": busy\n\n"}
- text: It says one.
`

const readsOnce = `
- tool_calls: [{tool: read_file, arguments: {path: a.txt}}]
- text: It says one.
`

// onlyKnownByTheEndpoint is what a replay cannot tell as the recording did.
var onlyKnownByTheEndpoint = regexp.MustCompile(`"provider":"[^"]*"|"config_fingerprint":"[^"]*"`)

// The stream of a replay is that of the recording, faults and retries too,
// with no endpoint, no key and no name of a model.
func TestCassette_ReplayIsTheRecordedRun(t *testing.T) {
	t.Parallel()
	for _, api := range []string{"chat", "responses"} {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			replayRecorded(t, api)
		})
	}
}

func replayRecorded(t *testing.T, api string) {
	c, server := newTaped(t), scripted(t, readsAFile)
	recorded := c.record(server, "--api="+api, "what is in a.txt?")
	if recorded.status != StatusOK || strings.Count(recorded.out, `"provider_retry"`) != 3 {
		t.Fatalf("recording = %+v, want a run of three retries", recorded)
	}
	text := c.text()
	server.Close()
	if host := strings.TrimPrefix(server.URL, "http://"); strings.Contains(text, host) || strings.Contains(text, c.workspace) {
		t.Errorf("the cassette holds %s or %s:\n%s", host, c.workspace, text)
	}
	for _, args := range [][]string{{}, {"--model=m"}, {"--base-url=" + server.URL}, {"--model=m", "--cassette-mode=auto", "--api=" + api}} {
		replayed := c.run(append(args, "what is in a.txt?")...)
		if replayed.status != StatusOK || replayed.err != "" {
			t.Errorf("replay with %v = %d, %s%s", args, replayed.status, replayed.err, replayed.out)
		}
		want, got := onlyKnownByTheEndpoint.ReplaceAllString(recorded.out, ""), onlyKnownByTheEndpoint.ReplaceAllString(replayed.out, "")
		if got != want || !strings.Contains(replayed.out, `"provider":"cassette","model":"m"`) {
			t.Errorf("replay with %v:\n%s\nwant\n%s", args, got, want)
		}
	}
	if c.text() != text {
		t.Error("a replay changed the cassette")
	}
	again := scripted(t, readsAFile)
	if recorded := c.record(again, "--api="+api, "what is in a.txt?"); recorded.status != StatusOK || c.text() != text {
		t.Errorf("recorded anew = %d, the cassette is\n%s\nwant\n%s", recorded.status, c.text(), text)
	}
}

func TestCassette_MissIsLoud(t *testing.T) {
	t.Parallel()
	c := newTaped(t)
	if recorded := c.record(scripted(t, readsOnce), "what is in a.txt?"); recorded.status != StatusOK {
		t.Fatal(recorded)
	}
	if err := os.WriteFile(filepath.Join(c.workspace, "a.txt"), []byte("two sk-test-0123456789\nAPI_TOKEN=abcdef0123456789\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := c.run("--redact=sk-test-0123456789", "what is in a.txt?")
	message := "request 2 is not the recorded one: messages/3 is another; cassette "
	if got.status != StatusFailed || !strings.Contains(got.out, `"type":"provider_error","data":{"kind":"cassette","status":null,"retryable":false,"message_short":"`+message) {
		t.Errorf("replay in another workspace = %d, %s, want a provider_error of kind cassette", got.status, got.out)
	}
	for _, want := range []string{
		"--- request 2 as recorded (" + c.cassette + ":", "+++ request 2 as it came\n@@ messages/3\n", "\n-   \"content\": \"one\\n\",\n+   \"content\": \"two [redacted]\\n\n+     | API_TOKEN=[redacted]",
		"openagent: hint: record it anew by --cassette-mode record\n",
	} {
		if !strings.Contains(got.err, want) {
			t.Errorf("stderr of a miss is\n%s\nwant in it %s", got.err, want)
		}
	}
	if got := c.run("--api=responses", "what is in a.txt?"); got.status != StatusFailed || !strings.Contains(got.out, "request 1 is not the recorded one: request is another") {
		t.Errorf("replay over another API = %+v, want a miss", got)
	}
	if got := c.run("--model=other", "what is in a.txt?"); got.status != StatusFailed || !strings.Contains(got.out, "request 1 is not the recorded one: model is another") {
		t.Errorf("replay with another model = %+v, want a miss", got)
	}
}

func TestCassette_ExchangesLeftOver(t *testing.T) {
	c := newTaped(t)
	if recorded := c.record(scripted(t, readsOnce), "what is in a.txt?"); recorded.status != StatusOK {
		t.Fatal(recorded)
	}
	got := c.run("--max-steps=1", "what is in a.txt?")
	if got.status != StatusFailed || !strings.Contains(got.err, `msg="exchanges of the cassette were not asked for" cassette=`) ||
		!strings.Contains(got.err, "unused=1 recorded=2") {
		t.Errorf("a run that ends early = %+v, want a warning of 1 exchange of 2", got)
	}
	text := c.text()
	short := text[:strings.LastIndex(text, `{"request":2`)]
	if err := os.WriteFile(c.cassette, []byte(short), 0o600); err != nil {
		t.Fatal(err)
	}
	got = c.run("what is in a.txt?")
	if got.status != StatusFailed || !strings.Contains(got.out, "request 2 came, want at most 1 (no exchange is left)") {
		t.Errorf("a run longer than its cassette = %+v, want it told", got)
	}
}

func TestCassette_AutoRecordsOnceAndNotInCI(t *testing.T) {
	c := newTaped(t)
	auto := func(server *httptest.Server) outcome {
		return c.run("--cassette-mode=auto", "--model=m", "--base-url="+server.URL+"/v1", "say hello")
	}
	for _, ci := range []string{"true", "1", "yes"} {
		t.Setenv("CI", ci)
		got := auto(scripted(t, "- text: hello\n"))
		if got.status != StatusFailed || !strings.Contains(got.out, `"error_code":"cassette_invalid"`) || !strings.Contains(got.out, "read cassette: ") {
			t.Errorf("auto with CI=%s and no cassette = %+v, want it refused", ci, got)
		}
	}
	t.Setenv("CI", "false")
	if got := auto(scripted(t, "- text: hello\n")); got.status != StatusOK || !strings.Contains(c.text(), "hello") {
		t.Errorf("auto without a cassette = %+v, want it recorded", got)
	}
	text := c.text()
	if got := auto(scripted(t, "- text: otherwise\n")); got.status != StatusOK || !strings.Contains(got.out, "hello") || c.text() != text {
		t.Errorf("auto with a cassette = %+v, want it replayed", got)
	}
	if got := c.run("--cassette-mode=auto", "--model=m", "say goodbye"); got.status != StatusFailed || !strings.Contains(got.out, "request 1 is not the recorded one") {
		t.Errorf("auto with a cassette of another run = %+v, want a miss", got)
	}
	t.Setenv("CI", "true")
	if got := c.record(scripted(t, "- text: anew\n"), "say hello"); got.status != StatusOK || !strings.Contains(c.text(), "anew") {
		t.Errorf("record with CI=true = %+v, want it recorded: it was asked for", got)
	}
}

// A recording that was interrupted is not taken for a cassette by auto, and a
// good one stays.
func TestCassette_OnlyARunThatEndsWellReplaces(t *testing.T) {
	t.Parallel()
	c := newTaped(t)
	if got := c.record(scripted(t, "- text: hello\n"), "say hello"); got.status != StatusOK {
		t.Fatal(got)
	}
	text := c.text()
	refused := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	defer refused.Close()
	got := c.record(refused, "say hello")
	if got.status != StatusFailed || c.text() != text || !strings.Contains(got.err, "recording="+c.cassette+".partial") {
		t.Errorf("recording of a refusal = %+v with the cassette %s, want it told and the file as it was", got, c.text())
	}
	if err := os.Remove(c.cassette); err != nil {
		t.Fatal(err)
	}
	got = c.record(scripted(t, readsOnce), "--max-steps=1", "what is in a.txt?")
	if _, err := os.Stat(c.cassette); got.status != StatusFailed || !os.IsNotExist(err) {
		t.Errorf("recording of a run that is cut short = %+v and %v, want no cassette", got, err)
	}
	got = c.run("--cassette-mode=auto", "--model=m", "--base-url="+scripted(t, readsOnce).URL+"/v1", "what is in a.txt?")
	if _, err := os.Stat(c.cassette + ".partial"); got.status != StatusOK || !strings.Contains(c.text(), `"request":2`) || !os.IsNotExist(err) {
		t.Errorf("auto beside a partial recording = %+v, %v, want it recorded anew in its place", got, err)
	}
}

// A recording that cannot be saved is no success.
func TestCassette_UnsavedRecordingFailsTheRun(t *testing.T) {
	c := newTaped(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		// The folder goes while the run is under way.
		if err := os.RemoveAll(filepath.Dir(c.cassette)); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"choices":[{"message":{"content":"done"},"finish_reason":"stop"}]}`)
	}))
	defer server.Close()
	got := c.record(server, "say hello")
	if got.status != StatusFailed || !strings.Contains(got.out, `"exit_reason":"internal_error"`) || !strings.Contains(got.out, "record cassette") {
		t.Errorf("a run whose cassette cannot be written = %+v, want internal_error", got)
	}
}

func TestCassette_PreRunErrors(t *testing.T) {
	c := newTaped(t)
	if got := c.run("p"); got.status != StatusFailed || !strings.Contains(got.out, `"error_code":"cassette_invalid"`) {
		t.Errorf("replay without a file = %+v, want cassette_invalid", got)
	}
	if err := os.MkdirAll(c.cassette, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"replay", "record", "auto"} {
		if got := c.run("--cassette-mode="+mode, "--model=m", "--base-url=http://127.0.0.1:1/v1", "p"); !strings.Contains(got.out, `"error_code":"cassette_invalid"`) {
			t.Errorf("%s of a folder = %+v, want cassette_invalid", mode, got)
		}
	}
	c.cassette = filepath.Join(c.workspace, "torn.jsonl")
	if err := os.WriteFile(c.cassette, []byte("{\"schema\":\"openagent.cassette.v1\"}\n{\"requ"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := c.run("p"); !strings.Contains(got.out, "torn.jsonl:2: the file ends inside this line") {
		t.Errorf("replay of a torn file = %+v, want its name and line", got)
	}
	c.cassette = filepath.Join(c.workspace, "new.jsonl")
	if got := c.run("--cassette-mode=record", "--model=m", "p"); !strings.Contains(got.out, `"error_code":"key_missing"`) {
		t.Errorf("recording without a key = %+v, want key_missing", got)
	}
}
