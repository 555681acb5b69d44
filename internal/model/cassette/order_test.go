package cassette

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// said is a request and what was answered to it.
type said struct{ path, body, answer string }

// recordedFrom returns a cassette of those exchanges, as an agent in folder had them.
func recordedFrom(t *testing.T, folder string, list ...said) *Cassette {
	t.Helper()
	out := header(&Agent{Name: "codex", Version: "1.0.0", Folder: folder})
	var before []part
	for i, s := range list {
		x := &exchange{method: http.MethodPost, path: s.path, body: bodyParts([]byte(s.body), nil), status: 200, answer: []piece{{Text: s.answer}}, end: endWhole}
		out = append(out, x.encode(i+1, before)...)
		before = x.body
	}
	c, err := Load("c.jsonl", out, redact.New(nil))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// answerOf returns what a request gets, or why it gets nothing.
func answerOf(t *testing.T, next http.RoundTripper, path, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://cassette.invalid"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := next.RoundTrip(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const chatPath = "/v1/chat/completions"

// withTools returns a request of a conversation.
func withTools(messages ...string) string {
	return `{"model":"m","messages":[` + strings.Join(messages, ",") + `],"tools":[{"type":"function","function":{"name":"f"}}]}`
}

func TestInOrder_CountsConversationAndOtherRequestsApart(t *testing.T) {
	title := `{"messages":[{"role":"system","content":"You are a title generator."},{"role":"user","content":"%s"}]}`
	c := recordedFrom(t, "",
		said{chatPath, withTools(`"one"`), "1"}, said{chatPath, fmt.Sprintf(title, "a"), "title"},
		said{chatPath, withTools(`"one"`, `"two"`), "2"}, said{"/v1/messages/count_tokens", "{}", "tokens"},
	)
	o := c.Lenient()
	for _, tt := range []struct{ path, body, want string }{
		{chatPath, fmt.Sprintf(title, "b"), "title"},
		{chatPath, withTools(`"uno"`), "1"},
		{"/v1/messages/count_tokens", `{"x":1}`, "tokens"},
		{"/v1/messages/count_tokens", `{"x":2}`, "tokens"},
		{chatPath, `{"messages":[{"role":"system","content":"Name it."}]}`, "title"},
		{chatPath, withTools(`"uno"`, `"due"`), "2"},
		{chatPath, withTools(`"uno"`, `"due"`, `"tre"`), "provider cassette: request 7 came, and each of the 2 recorded ones was answered; cassette c.jsonl"},
		{"/v1/embeddings", "{}", "provider cassette: request 8, POST /v1/embeddings, is like none that was recorded; cassette c.jsonl"},
	} {
		if got := answerOf(t, o, tt.path, tt.body); got != tt.want {
			t.Errorf("answer to %s %s is %q, want %q", tt.path, tt.body, got, tt.want)
		}
	}
	d := o.Drift()
	if d.Came != 8 || d.Missed != 2 || len(d.Unused) != 0 || c.Missed() == nil || !strings.Contains(c.Missed().Message, "request 7") {
		t.Errorf("drift is %+v, first missed %v, want 8 requests of which the last two got nothing", d, c.Missed())
	}
}

// Requests that overtake one another get what was answered to them.
func TestInOrder_PrefersTheSameRequest(t *testing.T) {
	c := recordedFrom(t, "", said{chatPath, withTools(`"a"`), "to a"}, said{chatPath, withTools(`"b"`), "to b"}, said{chatPath, withTools(`"c"`), "to c"})
	o := c.Lenient()
	var got []string
	for _, m := range []string{`"b"`, `"x"`, `"c"`} {
		got = append(got, answerOf(t, o, chatPath, withTools(m)))
	}
	if want := []string{"to b", "to a", "to c"}; !slices.Equal(got, want) {
		t.Errorf("answers are %q, want %q", got, want)
	}
}

// A client that never offers tools has a conversation too.
func TestInOrder_ConversationWithoutTools(t *testing.T) {
	c := recordedFrom(t, "", said{chatPath, `{"messages":["a"]}`, "1"}, said{chatPath, `{"messages":["a","b"]}`, "2"})
	o := c.Lenient()
	for i, want := range []string{"1", "2", "came, and each"} {
		if got := answerOf(t, o, chatPath, `{"messages":["z"]}`); !strings.Contains(got, want) {
			t.Errorf("answer %d is %q, want %q", i+1, got, want)
		}
	}
}

// What differs in each run of the same program is no drift.
func TestInOrder_WhatIsNoDrift(t *testing.T) {
	was := withTools(`"It is 2026-11-22T10:11:12.5Z, Sun Nov 22 2026, 11/22/2026, 10:11:12 AM, 1763800000123. In /home/a/repo/src, projects/-home-a-repo-x and /tmp/tmp.Ab1/x.txt,`+
		` RunnerTemp /home/runner/work/_temp/q1/y."`, `"../../openagent-ci-1/x /dev/shm/a/openagent-ci-386/x thread fco_01a1fa9c-ca5b-7953-8717-c67c99a8d075, msg_Ab12 at http://127.0.0.1:4711/v1 took 0.0512 seconds, pid 771, Chunk ID: a1b2c3, `+
		`run_shell_command_1763800000123_0 digest 0123456789abcdef"`)
	is := withTools(`"It is 2027-01-02T03:04:05.9Z, Sat Jan 2 2027, 1/2/2027, 3:04:05 PM, 1798900000456. In /srv/b/src, projects/-srv-b-x and /tmp/tmp.Zz9/x.txt,`+
		` RunnerTemp /home/runner/work/_temp/r2/y."`, `"../../openagent-ci-2/x /tmp/openagent-ci-22/x thread fco_02b2fa9c-ca5b-7953-8717-c67c99a8d075, msg_2 at http://127.0.0.1:4712/v1 took 1.2 seconds, pid 9, Chunk ID: ffeedd, `+
		`run_shell_command_1798900000456_1 digest fedcba9876543210"`)
	o := recordedFrom(t, "/home/a/repo", said{chatPath, was, "1"}).Lenient()
	o.SetAgent(Agent{Name: "codex", Version: "1.0.0", Folder: "/srv/b"})
	if got := answerOf(t, o, chatPath, is); got != "1" {
		t.Fatalf("answer is %q, want the first", got)
	}
	if d := o.Drift(); len(d.Requests) > 0 || d.Missed > 0 || d.otherVersion() {
		t.Errorf("drift is %+v, want none", d)
	}
}

// What is left of a request is JSON, so that its tools have names and its texts lines.
func TestScrubber_LeavesJSON(t *testing.T) {
	for _, value := range []string{
		`{"name":"f","maximum":9007199254740991,"at":1763800000123,"n":1763800000,"pid":123,"pgid":4567,"x":[20261123]}`,
		`"/a/b/openagent-ci-12/tmp/c \"/tmp/x\" 2026-11-22 10:11:12"`,
	} {
		if got := newScrubber("/a").text(value); !json.Valid([]byte(got)) {
			t.Errorf("%s becomes %s, want JSON", value, got)
		}
	}
}

// Drift is what a person would have to know: other tools, prompts, messages and
// versions, each said once.
func TestInOrder_Drift(t *testing.T) {
	tool := func(name, doc string) string { return fmt.Sprintf(`{"name":%q,"description":%q}`, name, doc) }
	ask := func(system, messages string, tools ...string) string {
		return fmt.Sprintf(`{"instructions":%q,"input":[%s],"tools":[%s],"n":1}`, system, messages, strings.Join(tools, ","))
	}
	c := recordedFrom(t, "",
		said{"/v1/responses", ask("Be kind.\nBe brief.", `"one"`, tool("a", "A"), tool("b", "B"), tool("c", "C")), "1"},
		said{"/v1/responses", ask("Be kind.\nBe brief.", `"one","two"`, tool("a", "A"), tool("b", "B"), tool("c", "C")), "2"},
		said{"/v1/responses", ask("Be kind.\nBe brief.", `"one","two","three"`, tool("a", "A")), "3"},
	)
	o := c.Lenient()
	o.SetAgent(Agent{Name: "codex", Version: "1.1.0"})
	for _, messages := range []string{`"one"`, `"one","TWO"`} {
		answerOf(t, o, "/v1/responses", ask("Be kind.\nBe bold.", messages, tool("new", ""), tool("a", "A"), tool("c", "C2")))
	}
	d := o.Drift()
	want := Drift{
		Schema: "openagent.drift.v1", Cassette: "c.jsonl", Recorded: Agent{"codex", "1.0.0", ""}, Replayed: Agent{"codex", "1.1.0", ""},
		Came: 2, Unused: []int{3}, Requests: []DriftRequest{
			{Request: 1, Recorded: 1, Line: 2, Differences: []Difference{
				{"instructions", `"Be kind.\nBe brief."`, `"Be kind.\nBe bold."`},
				{"tool b", tool2("b", "B"), ""}, {"tool c", tool2("c", "C"), tool2("c", "C2")}, {"tool new", "", tool2("new", "")},
			}},
			{Request: 2, Recorded: 2, Line: 13, Differences: []Difference{{"input/1", `"two"`, `"TWO"`}}},
		},
	}
	want.Requests[1].Line = d.Requests[1].Line
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("drift (-want +got):\n%s", diff)
	}
	text := d.String()
	for _, want := range []string{
		"drift: codex 1.0.0 was recorded, codex 1.1.0 runs\n",
		"drift: request 1, answered as request 1 of line 2: tool new is new\n",
		": tool b is missing\n", ": tool c is another\n    {\n  -   \"description\": \"C\",\n  +   \"description\": \"C2\",\n",
		"instructions\n    \"Be kind.\\n\n  -     | Be brief.\"\n  +     | Be bold.\"\n",
		": input/1\n  - \"two\"\n  + \"TWO\"\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("report is\n%s\nwant %q in it", text, want)
		}
	}
	if !strings.Contains(string(d.JSON()), `"schema":"openagent.drift.v1"`) {
		t.Errorf("JSON is %s, want its schema in it", d.JSON())
	}
}

func tool2(name, doc string) string { return fmt.Sprintf(`{"description":%q,"name":%q}`, doc, name) }

// Whatever comes, the report stays short.
func TestInOrder_DriftIsBounded(t *testing.T) {
	var list []said
	for i := range maxDriftDifferences / 2 {
		list = append(list, said{chatPath, withTools(fmt.Sprintf(`"w%d"`, i)), "x"})
	}
	o := recordedFrom(t, "", list...).Lenient()
	long := strings.Repeat("line\\n", 400)
	for i := range list {
		answerOf(t, o, chatPath, withTools(fmt.Sprintf(`"%s%d"`, long, i), fmt.Sprintf(`"%s"`, strings.Repeat(fmt.Sprint("q", i), 30)), fmt.Sprint(i)))
	}
	d := o.Drift()
	text, count := d.String(), 0
	for _, r := range d.Requests {
		count += len(r.Differences)
	}
	if count != maxDriftDifferences || d.More != len(list)*3-count || len(text) > 2*maxDifference+100 {
		t.Errorf("%d differences and %d more in %d bytes, want %d and the rest in about %d", count, d.More, len(text), maxDriftDifferences, 2*maxDifference)
	}
}

// Tools of Google's API stand in lists of their own.
func TestNameTools_Declarations(t *testing.T) {
	body := bodyParts([]byte(`{"tools":[{"functionDeclarations":[{"name":"a"},{"name":"b"}]},{"googleSearch":{}},{"type":"web_search"},{"name":"a"}]}`), nil)
	var got []string
	for _, p := range nameTools(&exchange{body: body}) {
		got = append(got, p.key)
	}
	if want := []string{"request", "tool a", "tool b", "tools/1", "tool web_search", "tools/3"}; !slices.Equal(got, want) {
		t.Errorf("parts are %q, want %q", got, want)
	}
}

func TestModel_OfEachAPI(t *testing.T) {
	for _, tt := range []struct{ path, body, want string }{
		{"/v1/messages", `{"model":"m1","tools":[{"name":"a"}]}`, "m1"},
		{"/v1beta/models/m2:streamGenerateContent?alt=sse", `{"tools":[{"functionDeclarations":[{"name":"a"}]}]}`, "m2"},
		{"/v1/messages/count_tokens", `{}`, "side"},
	} {
		c := recordedFrom(t, "", said{chatPath, `{"model":"side"}`, "x"}, said{tt.path, tt.body, "x"})
		if got := c.Model(); got != tt.want {
			t.Errorf("model of %s is %q, want %q", tt.path, got, tt.want)
		}
	}
}

// No key gets into the file by the address.
func TestRecorder_MasksKeysInAddresses(t *testing.T) {
	r, path := recorder(t, testKey)
	next := roundTrip(func(req *http.Request) (*http.Response, error) {
		return transport.Response(req, 200, http.Header{"Content-Type": {"text/plain"}}, []byte("x"), nil), nil
	})
	for _, query := range []string{"alt=sse&key=abc&n=1", "%6bey=abc", "api_key=abc&x-Access-Token=abc&monkey=1&apikey=abc", "q=" + testKey} {
		req := request(t, "{}")
		req.URL.RawQuery = query
		resp, err := r.Tape(next).RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(written)
	for _, want := range []string{`?alt=sse&key=[redacted]&n=1"`, `?%6bey=[redacted]"`, `?api_key=[redacted]&x-Access-Token=[redacted]&monkey=1&apikey=[redacted]"`, `?q=[redacted]"`} {
		if !strings.Contains(text, want) {
			t.Errorf("cassette is\n%s\nwant %s in it", text, want)
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// An answer in which no secret can be found is handed on and not recorded.
func TestRecorder_RefusesWhatIsCompressed(t *testing.T) {
	r, path := recorder(t)
	next := roundTrip(func(req *http.Request) (*http.Response, error) {
		return transport.Response(req, 200, http.Header{"Content-Encoding": {"br"}}, []byte("packed"), nil), nil
	})
	if got := answerOf(t, r.Tape(next), chatPath, "{}"); got != "packed" {
		t.Errorf("answer is %q, want what came", got)
	}
	if err := r.Err(); err == nil || !strings.HasSuffix(err.Error(), `an answer came compressed by "br", in which no secret can be found`) {
		t.Errorf("Err() = %v, want why nothing is recorded in %s", err, path)
	}
}

// Nor is an exchange whose request is compressed.
func TestRecorder_RefusesACompressedRequest(t *testing.T) {
	r, path := recorder(t)
	sent := ""
	next := roundTrip(func(req *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(req.Body)
		sent = string(body)
		return transport.Response(req, 200, http.Header{}, []byte("{}"), nil), err
	})
	req, err := http.NewRequest(http.MethodPost, "http://model.invalid"+chatPath, strings.NewReader("packed"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Encoding", "gzip")
	resp, err := r.Tape(next).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(resp.Body); string(body) != "{}" || err != nil || sent != "packed" {
		t.Errorf("%q, %v came to %q, want both as they were sent", body, err, sent)
	}
	resp.Body.Close()
	if err := r.Err(); err == nil || !strings.HasSuffix(err.Error(), `a request came compressed by "gzip", in which no secret can be found`) {
		t.Errorf("Err() = %v, want why nothing is recorded in %s", err, path)
	}
	if partial, err := r.Close(false); partial != "" || err != nil {
		t.Errorf("Close returns %q, %v, want nothing recorded", partial, err)
	}
}

// The last piece of an answer is there before the file is written.
func TestTape_LastPieceDoesNotWait(t *testing.T) {
	r, path := recorder(t)
	next := roundTrip(func(req *http.Request) (*http.Response, error) {
		resp := transport.Response(req, 200, http.Header{"Content-Type": {"text/plain"}}, nil, nil)
		resp.Body = io.NopCloser(iotest.DataErrReader(strings.NewReader("all of it"))) // the end comes with it
		return resp, nil
	})
	resp, err := r.Tape(next).RoundTrip(request(t, "{}"))
	if err != nil {
		t.Fatal(err)
	}
	n, err := resp.Body.Read(make([]byte, 100))
	if _, missing := os.Stat(path); n != len("all of it") || err != nil || missing == nil {
		t.Errorf("Read() = %d, %v with the file there %v, want all of it and no file", n, err, missing == nil)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), `{"end":"whole"}`) {
		t.Errorf("recorded is\n%s, %v, want a whole answer", text, err)
	}
}

// Ids of answers to another program are no other answer's: it may take two with one
// id for one.
func TestRecorder_IdsOfAnotherAgentAreOfOneAnswer(t *testing.T) {
	r, path := recorder(t)
	r.SetAgent(Agent{Name: "claude", Version: "1.0.0"})
	next := roundTrip(func(req *http.Request) (*http.Response, error) {
		return transport.Response(req, 200, http.Header{"Content-Type": {"application/json"}}, []byte(`{"id":"msg_x","type":"message"}`), nil), nil
	})
	for range 2 {
		answerOf(t, r.Tape(next), "/v1/messages", "{}")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`{"schema":"openagent.cassette.v2","agent":{"name":"claude","version":"1.0.0"}}`, `"msg_1_1"`, `"msg_2_1"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("cassette is\n%s\nwant %s in it", text, want)
		}
	}
}

// The folder of a recording is in it where a request names it, and only there: the same
// exchanges give the same bytes.
func TestRecorder_FolderThatRequestsName(t *testing.T) {
	next := roundTrip(func(req *http.Request) (*http.Response, error) {
		return transport.Response(req, 200, http.Header{"Content-Type": {"application/json"}}, []byte(`{"type":"message"}`), nil), nil
	})
	for body, want := range map[string]string{
		`{"system":"Look around."}`:              `{"schema":"openagent.cassette.v2","agent":{"name":"claude"}}` + "\n",
		`{"system":"You are in /work/a/notes."}`: `{"schema":"openagent.cassette.v2","agent":{"name":"claude","folder":"/work/a"}}` + "\n",
	} {
		r, path := recorder(t)
		r.SetAgent(Agent{Name: "claude", Folder: "/work/a"})
		answerOf(t, r.Tape(next), "/v1/messages", "{}")
		answerOf(t, r.Tape(next), "/v1/messages", body)
		if _, err := r.Close(true); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(strings.TrimSuffix(path, PartialSuffix))
		if err != nil || !strings.HasPrefix(string(text), want) {
			t.Errorf("cassette of %s is\n%s, %v, want it to begin %s", body, text, err, want)
		}
		if _, err := Load(strings.TrimSuffix(path, PartialSuffix), text, redact.New(nil)); err != nil {
			t.Errorf("cassette of %s: %v", body, err)
		}
	}
}

// The name of a tool may begin as ids do.
func TestInOrder_DriftOfToolNames(t *testing.T) {
	offer := func(name string) string {
		return `{"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"` + name + `"}}]}`
	}
	o := recordedFrom(t, "", said{chatPath, offer("run_shell_command"), "1"}).Lenient()
	if got := answerOf(t, o, chatPath, offer("run_any_command")); got != "1" {
		t.Fatalf("answer is %q, want the first", got)
	}
	d := o.Drift()
	if got := d.String(); !strings.Contains(got, "run_shell_command") || !strings.Contains(got, "run_any_command") {
		t.Errorf("drift is %q, want it to name both tools", got)
	}
}

// A client cannot read what another API answers.
func TestInOrder_AnotherAPI(t *testing.T) {
	o := recordedFrom(t, "", said{chatPath, withTools(`"a"`, `"b"`), "1"}).Lenient()
	want := "request 1, /v1/messages, came over another API than request 1 of the cassette, /v1/chat/completions"
	if got := answerOf(t, o, "/v1/messages", `{"model":"m","messages":["a","b"],"tools":[{"name":"f"}]}`); !strings.Contains(got, want) {
		t.Errorf("answer is %q, want an error with %q", got, want)
	}
	if o.c.Missed() == nil {
		t.Error("Missed() = nil, want the reason")
	}
	if got := answerOf(t, o, chatPath, withTools(`"a"`, `"b"`)); got != "1" {
		t.Errorf("the next answer is %q, want the first", got)
	}
}
