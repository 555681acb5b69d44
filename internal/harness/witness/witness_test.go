package witness

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/model/prices"
	"github.com/openagent-ci/openagent/internal/model/transport"
)

// agent is a small agent over Chat Completions that talks to a model behind a witness.
type agent struct {
	t   *testing.T
	url string
	*Witness
}

// begin serves the replies, each the calls of one answer of 100 tokens, by their ids; a
// reply that is "" has no calls, and "cut" breaks off.
func begin(t *testing.T, b Budget, replies ...string) agent {
	w, n := New(b), 0
	server := httptest.NewServer(w.Handler(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		reply := replies[min(n, len(replies)-1)]
		n++
		ids, cut := strings.CutPrefix(reply, "cut")
		var calls []string
		for i, id := range strings.Fields(ids) {
			calls = append(calls, fmt.Sprintf(`{"index":%d,"id":%q,"function":{"name":"run","arguments":"{\"n\":%d}"}}`, i, id, n))
		}
		fmt.Fprintf(rw, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[%s]}}]}\n\n", strings.Join(calls, ","))
		if cut {
			_ = http.NewResponseController(rw).Flush()
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(rw, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":60,\"completion_tokens\":40}}\n\n")
	})))
	t.Cleanup(server.Close)
	return agent{t, server.URL, w}
}

const tools = `"model":"m","tools":[{"function":{"name":"run"}}],"messages":`

// say sends a conversation: what the user says first, and the results that follow.
func (a agent) say(first string, results ...string) int {
	a.t.Helper()
	messages := []string{fmt.Sprintf(`{"role":"user","content":%q}`, first)}
	for _, id := range results {
		if id == "reply" {
			messages = append(messages, `{"role":"assistant","content":"x"}`)
			continue
		}
		messages = append(messages, fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":"1"}`, id))
	}
	return a.post(http.Header{}, []byte("{"+tools+"["+strings.Join(messages, ",")+"]}"))
}

func (a agent) post(h http.Header, body []byte) int {
	a.t.Helper()
	req, err := http.NewRequestWithContext(a.t.Context(), http.MethodPost, a.url+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	req.Header = h
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body) // a cut is part of the test
	return resp.StatusCode
}

// check compares the calls, each as its id and when it was answered.
func (a agent) check(unread string, want ...string) {
	a.t.Helper()
	seen, got := a.Seen(), []string(nil)
	for _, c := range seen.Calls {
		got = append(got, fmt.Sprint(c.ID, " ", c.Answered))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		a.t.Errorf("calls (-want +got):\n%s", diff)
	}
	if seen.Unread != unread {
		a.t.Errorf("unread is %q, want %q", seen.Unread, unread)
	}
}

// Calls count as answered in the order in which their results come, each once however
// often a request is sent; one whose agent dies before is not.
func TestWitness_Answered(t *testing.T) {
	a := begin(t, Budget{}, "a b", "c", "d")
	a.say("hi")
	a.say("hi", "reply", "b", "a")
	a.say("hi", "reply", "b", "a", "reply", "c")
	a.check("", "a 2", "b 1", "c 3", "d 0")
}

func TestWitness_SameRequestTwice(t *testing.T) {
	a := begin(t, Budget{}, "a", "a", "")
	a.say("hi")
	a.say("hi")
	a.say("hi", "reply", "a")
	a.say("hi", "reply", "a")
	a.check("", "a 1")
}

// A model may give each call the same id: a result counts for one of them.
func TestWitness_SameIDAgain(t *testing.T) {
	a := begin(t, Budget{}, "x", "x", "")
	a.say("hi")
	a.say("hi", "reply", "x")
	a.check("", "x 1", "x 0")
	a.say("hi", "reply", "x", "reply", "x")
	a.check("", "x 1", "x 2")
}

// A call of a reply that broke off is known, and asked for again it is the same.
func TestWitness_CutReply(t *testing.T) {
	a := begin(t, Budget{}, "cut a", "a", "cut b", "")
	a.say("hi")
	a.say("hi")
	a.say("hi", "reply", "a")
	a.check("", "a 1", "b 0")
	if !a.Seen().Partly {
		t.Error("the usage of a reply that broke off counts as known")
	}
}

// An agent that hangs up during a reply, at the tool call or at the finish reason, does not
// get around a budget: the reply is read to its end. Where the end never comes, a budget of
// tokens cannot hold.
func TestWitness_HangsUp(t *testing.T) {
	const (
		call   = `data: {"choices":[{"delta":{"tool_calls":[{"id":"a"}]}}]}` + "\n\n"
		finish = `data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}` + "\n\n"
		usage  = `data: {"choices":[],"usage":{"prompt_tokens":60,"completion_tokens":40}}` + "\n\n"
	)
	for _, tt := range []struct {
		budget     Budget
		read, rest string
		spent      string
	}{
		{Budget{Tokens: 100}, call, finish + usage, "the budget of 100 tokens is spent: 100 were used"},
		{Budget{Tokens: 100}, call + finish, usage, "the budget of 100 tokens is spent: 100 were used"},
		{Budget{Steps: 1}, call, finish + usage, "the budget of 1 steps is spent"},
		{Budget{Steps: 1}, call + finish, "cut", "the budget of 1 steps is spent"},
		{Budget{Tokens: 100}, call, "cut", "the budget cannot hold: the agent hung up on a reply before its usage was known"},
	} {
		w, gone := New(tt.budget), make(chan struct{})
		upstream := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
			_, _ = io.Copy(io.Discard, req.Body)
			_, _ = io.WriteString(rw, tt.read)
			_ = http.NewResponseController(rw).Flush()
			<-gone
			if tt.rest == "cut" {
				panic(http.ErrAbortHandler)
			}
			_, _ = io.WriteString(rw, tt.rest)
		}))
		defer upstream.Close()
		at, err := url.Parse(upstream.URL)
		if err != nil {
			t.Fatal(err)
		}
		h := w.Handler(transport.Relay(at, transport.Upstream(), nil))
		server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
			context.AfterFunc(req.Context(), func() { close(gone) })
			h.ServeHTTP(rw, req)
		}))
		resp, err := http.Post(server.URL+"/v1/chat/completions", "application/json", strings.NewReader("{"+tools+"[]}"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.ReadFull(resp.Body, make([]byte, len(tt.read)))
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		<-gone
		if tt.read == call {
			server.Close() // waits for the exchange, which a request at once may not
		}
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader("{}")))
		server.Close()
		if seen := w.Seen(); rec.Code != http.StatusBadRequest || seen.Spent != tt.spent || len(seen.Calls) != 1 || seen.Partly {
			t.Errorf("%+v after %q: status %d, %+v, want 400 and %q", tt.budget, tt.read, rec.Code, seen, tt.spent)
		}
	}
}

// A request that was answered in an API that is not known may be for a reply: not all was
// seen then, and a budget cannot hold.
func TestWitness_UnknownAPI(t *testing.T) {
	for _, tt := range []struct {
		path   string
		status int
		unread string
	}{
		{"/v1/completions", 200, "POST /v1/completions asks in an API that is not known"},
		{"/v1/completions", 404, ""},
		{"/v1/messages/count_tokens", 200, ""},
	} {
		w := New(Budget{Steps: 9})
		h := w.Handler(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
			rw.WriteHeader(tt.status)
			_, _ = io.WriteString(rw, "{}")
		}))
		var last int
		for _, path := range []string{"/v1/chat/completions", tt.path, tt.path} {
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, path, strings.NewReader("{}")))
			last = rec.Code
		}
		refused := last == http.StatusBadRequest
		if seen := w.Seen(); seen.Unread != tt.unread || refused != (tt.unread != "") || seen.Requests != 1 {
			t.Errorf("%s with status %d: %d requests, unread %q, then status %d, want 1, %q", tt.path, tt.status, seen.Requests, seen.Unread, last, tt.unread)
		}
	}
}

// Conversations at once have calls of the same ids; the calls of the first that offers
// tools are those of the main loop.
func TestWitness_TwoConversations(t *testing.T) {
	a := begin(t, Budget{}, "x", "x", "", "")
	a.say("main")
	a.say("sub")
	a.say("sub", "reply", "x")
	a.check("", "x 0", "x 1")
	a.say("main", "reply", "x")
	a.check("", "x 2", "x 1")
	if calls := a.Seen().Calls; !calls[0].Main || calls[1].Main {
		t.Errorf("main loop: %t and %t, want true and false", calls[0].Main, calls[1].Main)
	}
}

// A conversation that was compacted shows results under another first message, or none.
func TestWitness_Compacted(t *testing.T) {
	a := begin(t, Budget{}, "a", "b", "c", "")
	a.say("hi")
	a.say("hi", "reply", "a")
	a.say("summary of it all", "reply", "b")
	a.say("summary of it all", "reply", "c")
	a.check("", "a 1", "b 2", "c 3")
	if last := a.Seen().Calls[2]; !last.Main {
		t.Error("a call after the summary is not of the main loop")
	}
}

// A sub-agent may begin with the messages of the main loop; its requests name another thread.
func TestWitness_Forked(t *testing.T) {
	w := New(Budget{})
	h := w.Handler(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		_, _ = io.WriteString(rw, `{"status":"completed","output":[{"type":"function_call","call_id":"a","name":"run","arguments":"{}"}]}`)
	}))
	for _, thread := range []string{"1", "2"} {
		body := `{"input":"hi","tools":[{}],"client_metadata":{"thread_id":"` + thread + `"}}`
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/v1/responses", strings.NewReader(body)))
	}
	if calls := w.Seen().Calls; len(calls) != 2 || !calls[0].Main || calls[1].Main {
		t.Errorf("%+v, want one call of the main loop and one of another", calls)
	}
}

// An agent that follows a redirect asks where nothing is seen.
func TestWitness_Redirect(t *testing.T) {
	w := New(Budget{Steps: 9})
	h := w.Handler(http.RedirectHandler("https://example.com/v1/chat/completions", http.StatusPermanentRedirect))
	var statuses []int
	for range 2 {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader("{}")))
		statuses = append(statuses, rec.Code)
	}
	if diff := cmp.Diff([]int{http.StatusPermanentRedirect, http.StatusBadRequest}, statuses); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
	if got := w.Seen().Unread; got != "the endpoint redirects requests, and the agent may follow" {
		t.Errorf("unread is %q", got)
	}
}

// Results with ids that the agent chose itself are those of the last reply with calls, by
// their place.
func TestWitness_RewrittenIDs(t *testing.T) {
	a := begin(t, Budget{}, "a b", "", "c", "")
	a.say("hi")
	a.say("hi") // such as for a title
	a.say("hi", "reply", "own-1", "own-2")
	a.say("hi", "reply", "own-1", "own-2", "reply", "own-3")
	a.check("", "a 1", "b 2", "c 3")
}

func TestWitness_Compressed(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte("{" + tools + `[{"role":"user","content":"hi"},{"role":"assistant"},{"role":"tool","tool_call_id":"a"}]}`))
	_ = z.Close()
	a := begin(t, Budget{}, "a", "")
	a.say("hi")
	a.post(http.Header{"Content-Encoding": {"gzip"}}, packed.Bytes())
	a.check("", "a 1")
	a.post(http.Header{"Content-Encoding": {"zstd"}}, []byte("x"))
	a.check("a request was compressed by zstd", "a 1")

	a = begin(t, Budget{Tokens: 1000}, "")
	for _, want := range []int{http.StatusOK, http.StatusBadRequest} {
		if got := a.post(http.Header{"Content-Encoding": {"zstd"}}, []byte("x")); got != want {
			t.Errorf("a request that cannot be read, with a budget, got status %d, want %d", got, want)
		}
	}
	if got := a.Seen().Spent; got != "the budget cannot hold: a request was compressed by zstd" {
		t.Errorf("spent is %q", got)
	}
}

// A WebSocket is refused; an agent that asks over HTTP then is seen whole.
func TestWitness_WebSocket(t *testing.T) {
	a := begin(t, Budget{}, "a")
	a.check("no request was seen")
	if status := a.post(http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}}, nil); status != http.StatusUpgradeRequired {
		t.Errorf("an upgrade got status %d, want 426", status)
	}
	a.check("the agent insists on a WebSocket")
	a.say("hi")
	a.check("", "a 0")
}

// A request above the budget is refused in words of its API, and nothing is asked then.
func TestWitness_Budget(t *testing.T) {
	table, err := prices.Load("p.yaml", []byte("m: {input: 1000, output: 1000}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		budget Budget
		spent  string
	}{
		{Budget{Tokens: 150}, "the budget of 150 tokens is spent: 200 were used"},
		{Budget{Steps: 2}, "the budget of 2 steps is spent"},
		{Budget{Cost: 0.15, Prices: table}, "the budget of $0.15 is spent: $0.2 were used"},
	} {
		a := begin(t, tt.budget, "a", "b", "c")
		for i, want := range []int{200, 200, 400, 400} {
			select {
			case <-a.Refused():
				if i < 3 {
					t.Errorf("%+v: refused before request %d", tt.budget, i+1)
				}
			default:
			}
			if got := a.say("hi"); got != want {
				t.Errorf("%+v: request %d got status %d, want %d", tt.budget, i+1, got, want)
			}
		}
		seen := a.Seen()
		if seen.Spent != tt.spent || seen.Requests != 4 || len(seen.Calls) != 2 {
			t.Errorf("%+v: %q after %d requests with %d calls, want %q, 4 and 2", tt.budget, seen.Spent, seen.Requests, len(seen.Calls), tt.spent)
		}
	}
}

// Where the tokens or the price of a reply are not known a budget cannot hold.
func TestWitness_BudgetUnknown(t *testing.T) {
	script, err := transport.LoadScript("s", []byte("- text: one\n- text: two\n"))
	if err != nil {
		t.Fatal(err)
	}
	w := New(Budget{Tokens: 1000})
	server := httptest.NewServer(w.Handler(script))
	defer server.Close()
	a := agent{t, server.URL, w}
	a.say("hi")
	if got := a.say("hi"); got != http.StatusBadRequest || w.Seen().Spent != "the budget cannot hold: a reply does not say how many tokens it used" {
		t.Errorf("status %d, %q", got, w.Seen().Spent)
	}
	for _, budget := range []Budget{{}, {Steps: 9}, {Tokens: 1000}, {Cost: 9}} {
		c := begin(t, budget, "cut", "")
		c.say("hi")
		want, spent := http.StatusOK, ""
		if budget.Tokens > 0 || budget.Cost > 0 {
			want, spent = http.StatusBadRequest, "the budget cannot hold: a reply broke off before its usage was known"
		}
		if got := c.say("hi"); got != want || c.Seen().Spent != spent || c.Seen().Unread != "" {
			t.Errorf("%+v after a reply that broke off: status %d, %+v, want %d and %q", budget, got, c.Seen(), want, spent)
		}
	}
	table, err := prices.Load("p.yaml", []byte("other: {input: 1, output: 1}\n"))
	if err != nil {
		t.Fatal(err)
	}
	b := begin(t, Budget{Cost: 5, Prices: table}, "")
	b.say("hi")
	if got := b.say("hi"); got != http.StatusBadRequest || !strings.Contains(b.Seen().Spent, `p.yaml has no price for model ""`) {
		t.Errorf("status %d, %q", got, b.Seen().Spent)
	}
}

// The refusal has the form of the API that is spoken.
func TestWitness_RefusalByAPI(t *testing.T) {
	for path, want := range map[string]string{
		"/v1/chat/completions":             `"error":{"message":"the budget`,
		"/v1/responses":                    `"error":{"message":"the budget`,
		"/v1/messages":                     `{"type":"error","error":{"type":"invalid_request_error","message":"the budget`,
		"/v1beta/models/m:generateContent": `"status":"INVALID_ARGUMENT"`,
	} {
		w := New(Budget{Steps: 1})
		w.steps = 1
		rec := httptest.NewRecorder()
		w.Handler(http.NotFoundHandler()).ServeHTTP(rec, httptest.NewRequest(http.MethodPost, path, strings.NewReader("{}")))
		if rec.Code != http.StatusBadRequest || !strings.Contains(rec.Body.String(), want) {
			t.Errorf("%s: %d %s, want 400 and %s", path, rec.Code, rec.Body, want)
		}
	}
}

// A part of the usage is lacking where one reply does not report it, or breaks off.
func TestWitness_Lacks(t *testing.T) {
	for _, tt := range []struct{ usage, finish, lacks string }{
		{`{"prompt_tokens":60,"completion_tokens":40}`, "stop", "{false false false}"},
		{`{"prompt_tokens":60}`, "stop", "{false true true}"},
		{`{"completion_tokens":40}`, "stop", "{true false true}"},
		{`{"total_tokens":100}`, "stop", "{true true false}"},
		{`{"prompt_tokens":-60,"completion_tokens":40}`, "stop", "{true true true}"},
		{`{"prompt_tokens":60,"completion_tokens":1}`, "", "{true true true}"},
	} {
		w := New(Budget{})
		for _, reply := range [][]any{{tt.finish, tt.usage}, {"stop", `{"prompt_tokens":1,"completion_tokens":1}`}} {
			h := w.Handler(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
				fmt.Fprintf(rw, `{"choices":[{"finish_reason":%q}],"usage":%s}`, reply...)
			}))
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader("{}")))
		}
		if got := fmt.Sprint(w.Seen().Lacks); got != tt.lacks {
			t.Errorf("%s: lacks input, output, total %s, want %s", tt.usage, got, tt.lacks)
		}
	}
}
