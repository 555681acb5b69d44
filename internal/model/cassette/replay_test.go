package cassette

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/model/transport"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// goldenCassette returns the recorded cassette in testdata.
func goldenCassette(t testing.TB) (string, *Cassette) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "cassette.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := Load("c.jsonl", text, redact.New([]string{testKey}))
	if err != nil {
		t.Fatal(err)
	}
	return string(text), c
}

func TestCassette_ReplaysInOrder(t *testing.T) {
	_, c := goldenCassette(t)
	if unused, all := c.Unused(); unused != 5 || all != 5 {
		t.Errorf("Unused() at first = %d of %d, want 5 of 5", unused, all)
	}
	got := converse(t, transport.Client(c, transport.Options{}), "http://cassette.invalid")
	event := func(rest string) string {
		return `data: {"id":"chatcmpl-1","created":0,"system_fingerprint":"","obfuscation":"","choices":[{"index":0,"delta":` + rest + "}]}\n\n"
	}
	want := []string{
		"429 <nil>",
		"200 " + event(`{"content":"Your key is [redacted], [redacted]."}`) + event(`{"content":""}`) + event(`{"content":""}`) +
			event(`{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"f","arguments":"{}"}}]}`) +
			event(`{},"finish_reason":"tool_calls"`) + "data: [DONE]\n\n<nil>",
		"200 " + event(`{"content":"It"}`) + `data: {"id":"id","created":0,"choices":[{"index":0,"delta":{"content":"isunexpected EOF`,
		`200 {"id":"chatcmpl-1","created":0,"choices":[{"message":{"content":"done"},"finish_reason":"stop"}],"usage":null}<nil>`,
		"200 <html>\n\n: no comment\n\xff</html><nil>",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	if unused, _ := c.Unused(); unused != 0 || c.Difference() != "" {
		t.Errorf("after all: %d unused, difference %q, want none", unused, c.Difference())
	}
	resp, body, err := exchangeOnce(t, transport.Client(c, transport.Options{}), "http://cassette.invalid/v1", "{}")
	wantMiss(t, err, "request 6 came, want at most 5 (no exchange is left); cassette c.jsonl")
	if resp != nil || body != "" || c.Difference() != "" {
		t.Errorf("one request more gets %v, %q, want nothing", resp, body)
	}
}

func wantMiss(t *testing.T, err error, message string) {
	t.Helper()
	var f *chat.Failure
	if !errors.As(err, &f) || f.Kind != chat.FailCassette || f.Retryable || f.Message != message {
		t.Errorf("error is %v, want a final failure of kind cassette: %s", err, message)
	}
}

func TestCassette_HeadersComeBack(t *testing.T) {
	_, c := goldenCassette(t)
	client := transport.Client(c, transport.Options{})
	var got []string
	for _, turn := range conversation[:2] {
		resp, _, err := exchangeOnce(t, client, "http://x.invalid/v1/chat/completions?turn="+turn.turn, turn.body)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, resp.Status+" "+resp.Header.Get("Retry-After")+resp.Header.Get("Content-Type"))
	}
	if diff := cmp.Diff([]string{"429 Too Many Requests 0text/plain", "200 OK text/event-stream"}, got); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
}

const twoRequests = `{"schema":"openagent.cassette.v1"}
{"request":1,"method":"POST","path":"/v1/chat/completions"}
{"part":"messages/0","value":{"content":"Be brief.\nBe exact.\nBe kind.","role":"system"}}
{"part":"messages/1","value":{"content":"list","role":"user"}}
{"part":"model","value":"m"}
{"status":500}
{"end":"whole"}
{"request":2,"method":"POST","path":"/v1/chat/completions"}
{"part":"messages/2","value":{"content":"a\nb","role":"tool"}}
{"status":500}
{"end":"whole"}
`

const (
	firstBody  = `{"messages":[{"role":"system","content":"Be brief.\nBe exact.\nBe kind."},{"role":"user","content":"list"}],"model":"m"}`
	secondBody = `{"model":"m","messages":[{"role":"system","content":"Be brief.\nBe exact.\nBe kind."},{"role":"user","content":"list"},{"role":"tool","content":"a\nb"}]}`
)

func two(t testing.TB) *Cassette {
	t.Helper()
	c, err := Load("two.jsonl", []byte(twoRequests), redact.New(nil))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCassette_Misses(t *testing.T) {
	const path = "/v1/chat/completions"
	for name, tt := range map[string]struct {
		method, path, body, message, difference string
	}{
		"another text": {"POST", path, strings.Replace(firstBody, "exact", "precise", 1),
			"request 1 is not the recorded one: messages/0 is another; cassette two.jsonl",
			`--- request 1 as recorded (two.jsonl:2)
+++ request 1 as it came
@@ messages/0
    "content": "Be brief.\n
-     | Be exact.\n
+     | Be precise.\n
      | Be kind.",
`},
		"more": {"POST", path, strings.Replace(firstBody, `}]`, `}],"stop":["x",2.50]`, 1),
			"request 1 is not the recorded one: stop/0 is new; cassette two.jsonl",
			"--- request 1 as recorded (two.jsonl:2)\n+++ request 1 as it came\n@@ stop/0\n+ \"x\"\n@@ stop/1\n+ 2.50\n"},
		"less": {"POST", path, `{"messages":[{"role":"system","content":"Be brief.\nBe exact.\nBe kind."}],"model":"m"}`,
			"request 1 is not the recorded one: messages/1 is missing; cassette two.jsonl",
			"--- request 1 as recorded (two.jsonl:2)\n+++ request 1 as it came\n@@ messages/1\n- {\n-   \"content\": \"list\",\n-   \"role\": \"user\"\n- }\n"},
		"out of order": {"POST", path, secondBody,
			"request 1 is not the recorded one: it comes out of order; cassette two.jsonl",
			"--- request 2 as recorded (two.jsonl:8)\n+++ request 1 as it came\n"},
		"another path": {"POST", "/v1/responses", firstBody,
			"request 1 is not the recorded one: request is another; cassette two.jsonl",
			"--- request 1 as recorded (two.jsonl:2)\n+++ request 1 as it came\n@@ request\n- POST /v1/chat/completions\n+ POST /v1/responses\n"},
		"another method": {"PUT", path, firstBody,
			"request 1 is not the recorded one: request is another; cassette two.jsonl",
			"--- request 1 as recorded (two.jsonl:2)\n+++ request 1 as it came\n@@ request\n- POST /v1/chat/completions\n+ PUT /v1/chat/completions\n"},
	} {
		c := two(t)
		req := httptest.NewRequest(tt.method, "http://x.invalid"+tt.path, strings.NewReader(tt.body))
		_, err := c.RoundTrip(req)
		wantMiss(t, err, tt.message)
		if diff := cmp.Diff(tt.difference, c.Difference()); diff != "" {
			t.Errorf("%s: Difference() (-want +got):\n%s", name, diff)
		}
	}
}

// A difference of any size is shown within its bound, and says that there is
// more.
func TestCassette_DifferenceIsBounded(t *testing.T) {
	for _, text := range []string{strings.Repeat("x", 1<<20), strings.Repeat(`line\n`, 1<<16), strings.Repeat(`\u0000\n`, 300)} {
		c := two(t)
		_, err := c.RoundTrip(request(t, strings.Replace(firstBody, "exact", text, 1)))
		wantMiss(t, err, "request 1 is not the recorded one: messages/0 is another; cassette two.jsonl")
		got := c.Difference()
		if len(got) > maxDifference+40 || !strings.Contains(got, "@@ messages/0") {
			t.Errorf("a difference of %d bytes is shown in %d:\n%s", len(text), len(got), got)
		}
		for line := range strings.Lines(got) {
			if len(line) > maxDifferenceLine+len("...\n") {
				t.Errorf("a line of %d bytes is shown, want at most %d", len(line), maxDifferenceLine)
			}
		}
		if !strings.Contains(got, "+     | Be "+text[:2]) {
			t.Errorf("the line that differs is not shown:\n%s", got)
		}
		if strings.Count(text, `\n`) > 100 && !strings.Contains(got, " more lines\n") {
			t.Errorf("the difference does not tell of more lines:\n%s", got)
		}
	}
}

// Bodies that mean the same are the same request.
func TestCassette_CanonicalBody(t *testing.T) {
	base := `{"a":[1.0,{"x":"é<","y":null}],"b":{},"c":[]}`
	for body, same := range map[string]bool{
		base: true,
		"{ \"c\" : [ ],\n\"b\":{ },\"a\":[1.0,{\"y\":null,\"x\":\"\\u00e9\\u003c\"}]}": true,
		`{"a":[1,{"x":"é<","y":null}],"b":{},"c":[]}`:                                  false,
		`{"a":[1.0,{"x":"é<"}],"b":{},"c":[]}`:                                         false,
		`{"a":[1.0,{"x":"é<","y":null}],"b":{},"c":{}}`:                                false,
		`{"a":[{"x":"é<","y":null},1.0],"b":{},"c":[]}`:                                false,
		`{"a":[1.0,{"x":"é<","y":null}],"b":{}}`:                                       false,
		`{"a":[1.0,{"x":"é<","y":null}],"b":{},"c":[[]]}`:                              false,
		base + " {}": false, `"x"`: false, `null`: false, ``: false,
	} {
		got := cmp.Equal(bodyParts([]byte(body), nil), bodyParts([]byte(base), nil), cmp.AllowUnexported(part{}))
		if got != same {
			t.Errorf("%s is the same as %s: %v, want %v", body, base, got, same)
		}
	}
	if a, b := bodyParts([]byte(`{"a/0":1}`), nil), bodyParts([]byte(`{"a":[1]}`), nil); a[0] == b[0] {
		t.Errorf("a member a/0 has the key of an item: %v", a)
	}
}

func TestCassette_ModelAndPath(t *testing.T) {
	for path, want := range map[string][2]string{
		"/v1/chat/completions": {"/v1", "/chat/completions"}, "/chat/completions": {"", "/chat/completions"},
		"/openai/v1/responses?x=y": {"/openai/v1", "/responses"}, "/else": {},
	} {
		c := two(t)
		c.exchanges[0].path = path
		if base, last := c.Path(); base != want[0] || last != want[1] {
			t.Errorf("Path() with %s = %q, %q, want %q", path, base, last, want)
		}
	}
	c := two(t)
	if got := c.Model(); got != "m" {
		t.Errorf("Model() = %q, want m", got)
	}
	c.exchanges[0].body = []part{{"model", "7"}}
	if got := c.Model(); got != "" {
		t.Errorf("Model() of a number = %q, want none", got)
	}
}

// What broke is broken again, in the way the client would see it.
func TestCassette_BrokenExchanges(t *testing.T) {
	for name, tt := range map[string]struct {
		lines string
		kind  chat.FailureKind
		cut   bool
	}{
		"lost":    {`{"end":"cut"}`, chat.FailConnection, false},
		"silent":  {`{"end":"timeout"}`, chat.FailTimeout, false},
		"cut":     {"{\"status\":200}\n{\"text\":\"data: x\"}\n" + `{"end":"cut"}`, "", true},
		"stalled": {"{\"status\":200}\n{\"text\":\"data: x\"}\n" + `{"end":"timeout"}`, chat.FailTimeout, false},
		"left":    {"{\"status\":200}\n{\"text\":\"data: x\"}\n" + `{"end":"left"}`, "", false},
	} {
		c, err := Load("c", []byte("{\"schema\":\"openagent.cassette.v1\"}\n{\"request\":1,\"method\":\"POST\",\"path\":\"/v1/chat/completions\"}\n"+tt.lines+"\n"), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		resp, body, err := exchangeOnce(t, transport.Client(c, transport.Options{}), "http://x.invalid/v1/chat/completions", "{}")
		var f *chat.Failure
		switch {
		case (resp != nil) != strings.Contains(tt.lines, "status"):
			t.Errorf("%s: the answer is %v, want one where there was one", name, resp)
		case tt.kind != "" && (!errors.As(err, &f) || f.Kind != tt.kind || !f.Retryable):
			t.Errorf("%s: error is %v, want a failure of kind %s that may pass", name, err, tt.kind)
		case tt.kind == "" && errors.Is(err, io.ErrUnexpectedEOF) != tt.cut:
			t.Errorf("%s: error is %v, want the body cut: %v", name, err, tt.cut)
		case strings.Contains(tt.lines, "status") && body != "data: x":
			t.Errorf("%s: body is %q, want what came", name, body)
		}
	}
}

// Redirects within the origin are followed as they were, to the same host that
// there is not.
func TestCassette_Redirects(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		switch req.URL.Path {
		case "/v1/old":
			http.Redirect(w, req, "http://"+req.Host+"/v1/new?k=1", http.StatusTemporaryRedirect)
		case "/v1/away":
			http.Redirect(w, req, "http://elsewhere.invalid/", http.StatusTemporaryRedirect)
		default:
			_, _ = io.WriteString(w, "here")
		}
	}))
	defer server.Close()
	tape, path := recorder(t)
	walk := func(c *http.Client, base string) (got []string) {
		for _, path := range []string{"/v1/old", "/v1/away"} {
			resp, body, err := exchangeOnce(t, c, base+path, "{}")
			if err != nil {
				t.Fatal(err)
			}
			if resp.StatusCode != http.StatusOK {
				body = ""
			}
			got = append(got, resp.Status+" "+body)
		}
		return got
	}
	want := []string{"200 OK here", "307 Temporary Redirect "}
	if diff := cmp.Diff(want, walk(transport.Network(transport.Options{Record: tape.Tape}), server.URL)); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(text), "invalid") || strings.Contains(string(text), "127.0.0.1") {
		t.Errorf("the cassette is %s, %v, want no host in it", text, err)
	}
	c, err := Load("c", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, walk(transport.Client(c, transport.Options{}), "http://cassette.invalid")); diff != "" {
		t.Errorf("replayed (-want +got):\n%s", diff)
	}
}

func TestCassette_BodyCap(t *testing.T) {
	tape, path := recorder(t)
	const most = 1000
	c := transport.Client(&answers{[]int{200}, func() io.ReadCloser { return io.NopCloser(strings.NewReader(strings.Repeat("x", 5000))) }},
		transport.Options{MaxBody: most, Record: tape.Tape})
	for _, when := range []string{"recorded", "replayed"} {
		_, body, err := exchangeOnce(t, c, "http://x.invalid/v1", "{}")
		var f *chat.Failure
		if !errors.As(err, &f) || f.Kind != chat.FailPayloadTooLarge || len(body) != most {
			t.Errorf("%s: read %d bytes, %v, want %d and payload_too_large", when, len(body), err, most)
		}
		c = transport.Client(loaded(t, path), transport.Options{MaxBody: most})
	}
}
