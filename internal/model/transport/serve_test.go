package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestScript_Routes(t *testing.T) {
	server := httptest.NewServer(load(t, "[{text: one}, {text: two}, {text: three}]"))
	defer server.Close()
	for _, tt := range []struct {
		method, path string
		status       int
		body         string
	}{
		{"POST", "/v1/chat/completions", 200, "one"},
		{"POST", "/v1/responses?api-version=1&x=/models", 200, "two"},
		{"GET", "/v1/chat/completions", 405, "want POST"},
		{"DELETE", "/v1/responses", 405, "want POST"},
		{"GET", "/v1/models", 200, `"id":"script"`},
		{"POST", "/v1/models", 405, "want GET"},
		{"GET", "/v1/models/a/b:c", 200, `{"created":0,"id":"a/b:c"`},
		{"POST", "/v1/messages/count_tokens", 200, `{"input_tokens":1}`},
		{"GET", "/v1/messages", 405, "want POST"},
		{"GET", "/", 404, "nothing is at /: want /v1/chat/completions, /v1/responses, /v1/messages, /v1beta/models/MODEL:generateContent or /v1/models"},
		{"POST", "/v1/embeddings", 404, "nothing is at /v1/embeddings"},
		{"POST", "/v1/responses/r1/cancel", 404, "nothing is at /v1/responses/r1/cancel"},
		// Nothing before took a turn but the replies.
		{"POST", "/chat/completions/", 200, "three"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, server.URL+tt.path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		resp, body, err := ask(t, http.DefaultTransport, req)
		if err != nil || resp.StatusCode != tt.status || !strings.Contains(body, tt.body) {
			t.Errorf("%s %s: answer is %d %s, %v, want %d with %q", tt.method, tt.path, resp.StatusCode, body, err, tt.status, tt.body)
		}
		if tt.status != 200 && !json.Valid([]byte(body)) {
			t.Errorf("%s %s: body is %q, want JSON", tt.method, tt.path, body)
		}
	}
}

// Who asks for no stream gets one value of the API's own shape.
func TestScript_ServesWholeReplies(t *testing.T) {
	const turn = "[{text: a, tool_calls: [{tool: f, arguments: {x: 1}}], usage: {input_tokens: 7, output_tokens: 1}}]"
	for path, want := range map[string]string{
		"/chat/completions": `{"id":"chatcmpl-script-1","object":"chat.completion","created":0,"model":"script","choices":[{"index":0,` +
			`"message":{"role":"assistant","content":"a","tool_calls":[{"id":"call_1_0","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}}]},` +
			`"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":7,"completion_tokens":1,"total_tokens":8}}`,
		"/responses": `{"id":"resp_script_1","object":"response","created_at":0,"status":"completed","error":null,"incomplete_details":null,` +
			`"model":"script","output":[{"type":"message","id":"msg_1","status":"completed","role":"assistant",` +
			`"content":[{"type":"output_text","text":"a","annotations":[]}]},` +
			`{"type":"function_call","id":"fc_1_0","status":"completed","call_id":"call_1_0","name":"f","arguments":"{\"x\":1}"}],` +
			`"parallel_tool_calls":true,"tool_choice":"auto","tools":[],"usage":{"input_tokens":7,"output_tokens":1,"total_tokens":8}}`,
	} {
		offer := `"tools":[{"name":"f","function":{"name":"f"}}]`
		for _, body := range []string{`{` + offer + `}`, `{"model":"m","stream":false,"messages":[],` + offer + `}`} {
			server := httptest.NewServer(load(t, turn))
			resp, got, err := ask(t, redirectTo{server.URL}, requestTo(t, path, body))
			if diff := cmp.Diff(want, got); diff != "" || err != nil || resp.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%s %s: answer is %v, %v (-want +got):\n%s", path, body, resp.Header, err, diff)
			}
			server.Close()
		}
	}
}

func TestScript_MemoryAnswersUnknownPaths(t *testing.T) {
	s := load(t, "- text: one")
	if resp, body, err := ask(t, s, requestTo(t, "/embeddings", "{}")); resp.StatusCode != http.StatusNotFound || err != nil {
		t.Errorf("answer is %d %s, %v, want 404", resp.StatusCode, body, err)
	}
	if _, body, err := ask(t, s, request(t, "{}")); !strings.Contains(body, "one") || err != nil {
		t.Errorf("next answer is %s, %v, want the first turn", body, err)
	}
}

func TestScript_ServesNoMoreThanItsTurns(t *testing.T) {
	server := httptest.NewServer(load(t, "- text: one"))
	defer server.Close()
	for i, want := range []int{200, 400, 400} {
		resp, body, _ := ask(t, redirectTo{server.URL}, requestTo(t, "/responses", "{}"))
		if resp.StatusCode != want || want == 400 && !strings.Contains(body, "no turn is left") {
			t.Errorf("request %d: answer is %d %s, want %d", i+1, resp.StatusCode, body, want)
		}
	}
}

// zeros is a body without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestScript_RequestsAreBounded(t *testing.T) {
	for _, turn := range []string{"- text: one", "- {text: one, expect: x}"} {
		req := httptest.NewRequest(http.MethodPost, "/v1/responses", io.LimitReader(zeros{}, maxRequest+1))
		w := httptest.NewRecorder()
		load(t, turn).ServeHTTP(w, req)
		if w.Code != http.StatusRequestEntityTooLarge || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: answer is %d %s, want 413 and JSON", turn, w.Code, w.Body)
		}
	}
}

// serve runs Serve until the test ends it, and returns its address, an end and
// what it returned.
func serve(t *testing.T, turns string) (address string, end context.CancelFunc, result <-chan error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, l, load(t, turns)) }()
	t.Cleanup(cancel)
	return l.Addr().String(), cancel, ended
}

// A browser that a page sends here by a name of its own gets nothing, and what
// is no request takes no turn.
func TestServe_RefusesOtherNamesAndWhatIsNoJSON(t *testing.T) {
	address, _, _ := serve(t, "- text: one")
	_, port, _ := net.SplitHostPort(address)
	for _, tt := range []struct {
		host, body string
		status     int
	}{
		{"evil.test:" + port, "{}", 403}, {"127.0.0.1.evil.test:" + port, "{}", 403}, {"127.0.0.1", "{}", 403}, {"127.0.0.1:1", "{}", 403},
		{"10.0.0.1:" + port, "{}", 403}, {"", "{}", 403}, {address, "no JSON", 400}, {address, "", 400}, {address, "{} {}", 400},
		{address, "null", 400}, {address, "[]", 400}, {address, "7", 400}, {address, "{\"a\":\"\xff\"}", 400},
		{"LOCALHOST:" + port, "{}", 200},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/v1/responses", strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		if req.Host = tt.host; tt.host == "" {
			req.Host = "-"
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != tt.status || !json.Valid(body) {
			t.Errorf("answer to host %q and body %q is %d %s, want %d and JSON", tt.host, tt.body, res.StatusCode, body, tt.status)
		}
	}
}

// A page elsewhere can send a request that it cannot read the answer of; it takes no
// turn. A program names no page, and a page of this machine may ask.
func TestServe_RefusesPagesOfOtherHosts(t *testing.T) {
	address, _, _ := serve(t, "- text: one\n- text: two\n- text: three\n- text: four")
	for _, tt := range []struct {
		header, value string
		status        int
		says          string
	}{
		{"Origin", "https://evil.test", 403, "page"}, {"Origin", "http://127.0.0.1.evil.test", 403, "page"}, {"Origin", "null", 403, "page"},
		{"Origin", "http://%zz", 403, "page"}, {"Sec-Fetch-Site", "cross-site", 403, "page"},
		{"Origin", "http://localhost:3000", 200, "one"}, {"Origin", "http://127.0.0.1", 200, "two"},
		{"Sec-Fetch-Site", "none", 200, "three"}, {"Sec-Fetch-Mode", "cors", 200, "four"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/v1/responses", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(tt.header, tt.value)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != tt.status || !strings.Contains(string(body), tt.says) {
			t.Errorf("answer with %s %q is %d %s, want %d and %q", tt.header, tt.value, res.StatusCode, body, tt.status, tt.says)
		}
	}
}

// pipes is a listener whose connections are made in memory.
type pipes struct {
	waiting chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

func newPipes() *pipes { return &pipes{waiting: make(chan net.Conn, 1), closed: make(chan struct{})} }

func (p *pipes) dial() net.Conn {
	mine, theirs := net.Pipe()
	p.waiting <- theirs
	return mine
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.waiting:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// What waits when the server ends gets no answer, least of all an empty one,
// and is not waited for.
func TestServe_EndBreaksOffWhatWaits(t *testing.T) {
	for _, turn := range []string{"- fault: {hang: true}", "- {text: a, fault: {delay: 1h}}"} {
		synctest.Test(t, func(t *testing.T) {
			ctx, end := context.WithCancel(t.Context())
			l := newPipes()
			ended := make(chan error, 1)
			go func() { ended <- Serve(ctx, l, load(t, turn)) }()
			c := l.dial()
			fmt.Fprint(c, "POST /v1/responses HTTP/1.1\r\nHost: localhost:0\r\nContent-Length: 2\r\n\r\n{}")
			synctest.Wait()
			start := time.Now()
			end()
			if rest, err := io.ReadAll(c); len(rest) > 0 || err != nil {
				t.Errorf("%s: answer is %q, %v, want none", turn, rest, err)
			}
			if err := <-ended; err != nil || time.Since(start) >= serveGrace {
				t.Errorf("%s: Serve() = %v after %s, want nil at once", turn, err, time.Since(start))
			}
		})
	}
}

// A client that takes no more of its answer does not hold up the end; nothing is
// left of its connection.
func TestServe_EndLeavesWhoDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		l := newPipes()
		ended := make(chan error, 1)
		go func() { ended <- Serve(ctx, l, load(t, "- text: a")) }()
		c := l.dial()
		fmt.Fprint(c, "POST /v1/responses HTTP/1.1\r\nHost: localhost:0\r\nContent-Length: 2\r\n\r\n{}")
		synctest.Wait()
		end()
		if err := <-ended; err != nil {
			t.Errorf("Serve() = %v, want nil", err)
		}
	})
}

func TestServe_ListenerThatFails(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	if err := Serve(t.Context(), l, load(t, "- text: a")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Serve() = %v, want the listener's error", err)
	}
}

// A server of Listen answers after the end of its context, until it is stopped.
func TestListen(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	origin, stop, err := Listen(ctx, load(t, "- text: one"))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	resp, body, err := ask(t, redirectTo{origin}, requestTo(t, "/v1/responses", "{}"))
	if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(body, "one") {
		t.Errorf("answer is %s, %v, want the first turn", body, err)
	}
	if err := stop(); err != nil {
		t.Errorf("stop() = %v, want nil", err)
	}
	if c, err := net.Dial("tcp", strings.TrimPrefix(origin, "http://")); err == nil {
		c.Close()
		t.Error("the port is open after stop()")
	}
}

// Outcome tells of the first refusal since it was asked, and of turns that are left.
func TestScript_Outcome(t *testing.T) {
	s := load(t, "[{text: one}, {text: two, expect: x}, {text: three}]")
	for i, want := range []struct {
		left    int
		refused string
	}{{3, ""}, {2, ""}, {1, "s.yaml:1: turn 2"}, {0, ""}, {0, "request 4 came"}} {
		left, refused := s.Outcome()
		if left != want.left || refused == nil != (want.refused == "") || refused != nil && !strings.Contains(refused.Message, want.refused) {
			t.Errorf("after %d requests Outcome() = %d, %v, want %d and %q", i, left, refused, want.left, want.refused)
		}
		s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/v1/responses", strings.NewReader(`{"input":"y"}`)))
	}
}

// Clients that say by a header what they speak are answered in its form, and a
// model that is asked by its name there has that name.
func TestScript_ServesMessages(t *testing.T) {
	server := httptest.NewServer(load(t, "[{text: a}, {text: b}, {fault: {status: 529}}, {tool_calls: [{tool: f, arguments: '{'}]}]"))
	defer server.Close()
	for _, tt := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/v1/models", "", 200, `"first_id":"script"`},
		{"GET", "/v1/models/claude-x", "", 200, `"display_name":"claude-x"`},
		{"POST", "/v1/messages/count_tokens", `{"messages":[], "x": "0123456789"}`, 200, `{"input_tokens":9}`},
		{"POST", "/v1/models", "", 405, `"type":"invalid_request_error"`},
		{"POST", "/v1/messages?beta=true", `{"model":"claude-x"}`, 200, `"model":"claude-x","content":[{"type":"text","text":"a"}]`},
		{"POST", "/v1/messages", `{"stream":true}`, 200, `"model":"script","content":[],`},
		{"POST", "/v1/messages", `{}`, 529, `"type":"overloaded_error","message":"scripted fault"`},
		{"POST", "/v1/messages", `{"tools":[{"name":"f"}]}`, 400, `s.yaml:1: turn 4: call 1: want a JSON object`},
	} {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, server.URL+tt.path, strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Anthropic-Version", "2023-06-01")
		resp, body, err := ask(t, http.DefaultTransport, req)
		if err != nil || resp.StatusCode != tt.status || !strings.Contains(body, tt.want) {
			t.Errorf("%s %s: answer is %d %s, %v, want %d with %q", tt.method, tt.path, resp.StatusCode, body, err, tt.status, tt.want)
		}
	}
}
