package cassette

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/model/transport"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/text/redact"
)

var update = flag.Bool("update", false, "rewrite the recorded cassette in testdata")

const testKey = "sk-test-0123456789"

// loaded returns the cassette in a file.
func loaded(t *testing.T, path string) *Cassette {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Load(filepath.Base(path), text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// recorder returns one for a new cassette, and the path of what it records.
func recorder(t testing.TB, secrets ...string) (*Recorder, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "new", "c.jsonl")
	r, err := NewRecorder(t.Context(), path, redact.New(secrets))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = r.Close(false) })
	return r, path + PartialSuffix
}

// request returns a request of a client for an endpoint that is not there.
func request(t testing.TB, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://model.invalid/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// exchangeOnce sends a body and returns the status, what was read and how the
// reading ended.
func exchangeOnce(t testing.TB, c *http.Client, address, body string) (*http.Response, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+testKey)
	resp, err := c.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp, string(b), err
}

// volatile is a server whose answers say the same each time, but with ids,
// dates, cookies and padding of their own; it repeats the key.
func volatile(t testing.TB) *httptest.Server {
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		n++
		id := rand.Text()
		h := w.Header()
		h.Set("X-Request-Id", "req-"+id)
		h.Set("Date", time.Now().AddDate(0, 0, n).Format(http.TimeFormat))
		http.SetCookie(w, &http.Cookie{Name: "session", Value: id})
		event := func(members string) {
			fmt.Fprintf(w, ": alive %s\n\ndata: {\"id\":\"chatcmpl-%s\",\"created\":%d,\"system_fingerprint\":\"fp_%s\",\"obfuscation\":\"%s\", %s}\n\n",
				id, id, time.Now().UnixNano(), id, id[:1+n%5], members)
		}
		switch req.Header.Get("X-Turn") + req.URL.Query().Get("turn") {
		case "busy":
			h.Set("Content-Type", "text/plain; charset=utf-8") // a random id can look like another type
			h.Set("Retry-After", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat))
			w.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprintf(w, "%s for %s at %s", req.Header.Get("Authorization"), id, req.Host)
		case "call":
			h.Set("Content-Type", "text/event-stream; charset=utf-8; q="+id)
			event(`"choices":[{"index":0,"delta":{"content":"Your key is sk-te"}}]`)
			event(`"choices":[{"index":0,"delta":{"content":"st-01234"}}]`)
			event(`"choices":[{"index":0,"delta":{"content":"56789, \u0073k-test-0123456789."}}]`)
			event(`"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"f","arguments":"{}"}}]}}]`)
			event(`"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]`)
			_, _ = io.WriteString(w, "data: [DONE]\n\n")
		case "cut":
			h.Set("Content-Type", "text/event-stream")
			event(`"choices":[{"index":0,"delta":{"content":"It"}}]`)
			fmt.Fprintf(w, `data: {"id":"chatcmpl-%s","created":%d,"choices":[{"index":0,"delta":{"content":"is`, id, time.Now().UnixNano())
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		case "whole":
			h.Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{ "id": "chatcmpl-%s", "created": 17, "choices": [{"message": {"content": "done"}, "finish_reason": "stop"}], "usage": null }`, id)
		case "page":
			h.Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>\n\n: no comment\n\xff</html>")
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// The turns of a conversation with the server volatile.
var conversation = []struct{ turn, body string }{
	{"busy", `{"model":"m","messages":[{"role":"user","content":"My key is sk-test-0123456789"}],"tools":[{"name":"f"}],"n":1.0}`},
	{"call", `{"model":"m","messages":[{"role":"user","content":"My key is sk-test-0123456789"}],"tools":[{"name":"f"}],"n":1.0}`},
	{"cut", `{"model":"m","messages":[{"role":"user","content":"My key is sk-test-0123456789"},{"role":"tool","content":"a/b"}],"tools":[{"name":"f"}]}`},
	{"whole", `{"model":"m","messages":[{"role":"user","content":"Summary: <none>"}],"tools":[]}`},
	{"page", `no JSON`},
}

// converse has the whole conversation and returns what came of each turn.
func converse(t testing.TB, c *http.Client, base string) (bodies []string) {
	t.Helper()
	for _, turn := range conversation {
		resp, body, err := exchangeOnce(t, c, base+"/v1/chat/completions?turn="+turn.turn, turn.body)
		if resp == nil {
			t.Fatalf("%s: %v", turn.turn, err)
		}
		bodies = append(bodies, fmt.Sprint(resp.StatusCode, " ", body, err))
	}
	return bodies
}

// What a person reviews: this file is to be read.
func TestRecorder_GoldenCassette(t *testing.T) {
	golden := filepath.Join("testdata", "cassette.jsonl")
	for round := range 2 {
		server := volatile(t)
		tape, path := recorder(t, testKey)
		converse(t, transport.Network(transport.Options{Record: tape.Tape}), server.URL)
		got, err := os.ReadFile(path)
		if err != nil || tape.Err() != nil {
			t.Fatal(err, tape.Err())
		}
		if *update && round == 0 {
			if err := os.WriteFile(golden, got, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
			t.Errorf("recording %d (-want +got):\n%s", round+1, diff)
		}
		host := strings.TrimPrefix(server.URL, "http://")
		for _, canary := range []string{
			testKey, base64.StdEncoding.EncodeToString([]byte(testKey))[:20], "sk-te", host, "127.0.0.1", "req-", "session", "Bearer",
			"Authorization", "Date", "GMT", "fp_", "alive", "User-Agent", "charset",
		} {
			if bytes.Contains(got, []byte(canary)) {
				t.Errorf("the cassette holds %q:\n%s", canary, got)
			}
		}
	}
}

// The client gets what it would get without a recorder, to the byte.
func TestRecorder_DeliversAsItCame(t *testing.T) {
	fixed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, ": alive\r\ndata:  {\"id\": \"chatcmpl-x\"}\n\n%s %s %d", body, req.Header.Get("Authorization"), req.ContentLength)
	}))
	defer fixed.Close()
	_, want, err := exchangeOnce(t, transport.Network(transport.Options{}), fixed.URL, "the body")
	if err != nil {
		t.Fatal(err)
	}
	tape, _ := recorder(t, testKey)
	if _, got, err := exchangeOnce(t, transport.Network(transport.Options{Record: tape.Tape}), fixed.URL, "the body"); got != want || err != nil {
		t.Errorf("with a recorder the answer is %q, %v, want %q", got, err, want)
	}
}

// A piece of an answer is delivered before the next one is sent.
func TestRecorder_StreamingIsNotDelayed(t *testing.T) {
	more := make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "one\n")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-more:
		case <-time.After(30 * time.Second): // a client that waits for all of it fails below
		}
		_, _ = io.WriteString(w, "two\n")
	}))
	defer server.Close()
	tape, path := recorder(t)
	resp, err := transport.Network(transport.Options{Record: tape.Tape}).Post(server.URL, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	if line, err := lines.ReadString('\n'); line != "one\n" || err != nil {
		t.Errorf("the first piece is %q, %v, want it while the server waits", line, err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was written before the exchange ended")
	}
	close(more)
	if rest, err := io.ReadAll(lines); string(rest) != "two\n" || err != nil {
		t.Errorf("the rest is %q, %v, want two", rest, err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("after the end of the first exchange: %v, want a file", err)
	}
}

// answers is a transport that gives these answers in turn; a negative status
// is an error.
type answers struct {
	status []int
	body   func() io.ReadCloser
}

func (a *answers) RoundTrip(req *http.Request) (*http.Response, error) {
	status := a.status[0]
	a.status = a.status[1:]
	if status < 0 {
		return nil, errors.New("reset by peer at 192.0.2.1")
	}
	body := io.NopCloser(strings.NewReader("data: [DONE]\n\n"))
	if a.body != nil {
		body = a.body()
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: body, Request: req}, nil
}

// The older cassette stays until a run has ended well. What any other run
// recorded lies beside it, where nobody takes it for the cassette.
func TestRecorder_WhatTakesTheCassettesPlace(t *testing.T) {
	for name, tt := range map[string]struct {
		old, whole bool
		status     []int
	}{
		"new, whole": {false, true, []int{-1, 200, 500}}, "new, interrupted": {false, false, []int{200}},
		"old, whole": {true, true, []int{200, 200}}, "old, interrupted": {true, false, []int{-1, 401, 200}},
		"old, nothing": {true, true, nil}, "new, nothing": {false, false, nil},
	} {
		path := filepath.Join(t.TempDir(), "c.jsonl")
		if tt.old {
			if err := errors.Join(os.WriteFile(path, []byte("older"), 0o640), os.Chmod(path, 0o640)); err != nil {
				t.Fatal(err)
			}
		}
		tape, err := NewRecorder(t.Context(), path, redact.New(nil))
		if err != nil {
			t.Fatal(err)
		}
		c := transport.Client(&answers{status: tt.status}, transport.Options{Record: tape.Tape})
		for range len(tt.status) {
			_, _, _ = exchangeOnce(t, c, "http://model.invalid/v1", "{}")
		}
		partial, err := tape.Close(tt.whole)
		recorded, beside, mode := path+PartialSuffix, path, fs.FileMode(0o600)
		if tt.whole {
			recorded, beside = path, path+PartialSuffix
		}
		if tt.whole && tt.old {
			mode = 0o640
		}
		if len(tt.status) == 0 {
			recorded, beside = "", path
		}
		if (partial != "") != (!tt.whole && recorded != "") || err != nil || tape.Err() != nil {
			t.Errorf("%s: Close() = %q, %v, %v", name, partial, err, tape.Err())
		}
		if text, _ := os.ReadFile(beside); string(text) != "older" && string(text) != "" || string(text) == "older" != (tt.old && beside == path) {
			t.Errorf("%s: %s is %q, want it as it was", name, beside, text)
		}
		if recorded == "" {
			continue
		}
		if _, all := loaded(t, recorded).Unused(); all != len(tt.status) {
			t.Errorf("%s: %d exchanges, want %d in %s", name, all, len(tt.status), recorded)
		}
		if info, err := os.Stat(recorded); err != nil || info.Mode().Perm() != mode && os.PathSeparator == '/' {
			t.Errorf("%s: mode is %v, %v, want %v", name, info.Mode(), err, mode)
		}
	}
}

// An answer that no cassette can hold is handed on whole and ends the recording.
func TestRecorder_AnAnswerWithoutEnd(t *testing.T) {
	tape, err := NewRecorder(t.Context(), filepath.Join(t.TempDir(), "c.jsonl"), redact.New(nil))
	if err != nil {
		t.Fatal(err)
	}
	const size = maxAnswer + 1
	next := &answers{status: []int{200}, body: func() io.ReadCloser {
		return io.NopCloser(io.LimitReader(blanks{}, size))
	}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://model.invalid/v1", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := tape.Tape(next).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, resp.Body); n != size || err != nil {
		t.Errorf("%d bytes came, %v; want %d", n, err, size)
	}
	resp.Body.Close()
	if err := tape.Err(); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("Err() = %v, want one that names the bound", err)
	}
	if partial, err := tape.Close(false); partial != "" || err != nil {
		t.Errorf("Close() = %q, %v, want nothing recorded", partial, err)
	}
}

// blanks is a reader without end.
type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// After each exchange the file is whole: that is all a kill leaves.
func TestRecorder_EachExchangeIsOnTheDisk(t *testing.T) {
	tape, path := recorder(t)
	c := transport.Client(&answers{status: []int{200, 429, 200}}, transport.Options{Record: tape.Tape})
	for n := 1; n <= 3; n++ {
		if _, _, err := exchangeOnce(t, c, "http://model.invalid/v1", fmt.Sprintf(`{"n":%d}`, n)); err != nil {
			t.Fatal(err)
		}
		if _, all := loaded(t, path).Unused(); all != n {
			t.Errorf("after %d exchanges the file holds %d", n, all)
		}
	}
}

// What a command of the run does to the recording does not get into the cassette.
func TestRecorder_ChangedByAnother(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"cut":       func(path string) error { return os.Truncate(path, 0) },
		"added":     func(path string) error { return appendTo(path, "planted\n") },
		"same size": func(path string) error { return overwrite(path, "PLANTED") },
	} {
		for _, later := range []bool{false, true} {
			tape, path := recorder(t)
			place := strings.TrimSuffix(path, PartialSuffix)
			if err := os.WriteFile(place, []byte("older"), 0o600); err != nil {
				t.Fatal(err)
			}
			c := transport.Client(&answers{status: []int{200, 200}}, transport.Options{Record: tape.Tape})
			_, _, err := exchangeOnce(t, c, "http://model.invalid/v1", `{}`)
			if err := errors.Join(err, change(path)); err != nil {
				t.Fatal(err)
			}
			if later {
				if _, _, err := exchangeOnce(t, c, "http://model.invalid/v1", `{}`); err != nil {
					t.Fatal(err)
				}
			}
			const want = ": the file was changed while the run went on"
			if err := tape.Err(); later && name != "same size" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s: Err() after the next exchange = %v, want that the file was changed", name, err)
			}
			ok := tape.Err() == nil
			if _, err := tape.Close(ok); ok && (err == nil || !strings.Contains(err.Error(), place+want)) {
				t.Errorf("%s: Close() = %v, want that the file was changed", name, err)
			}
			if text, err := os.ReadFile(place); err != nil || string(text) != "older" {
				t.Errorf("%s: the cassette is %q, %v, want the older one", name, text, err)
			}
		}
	}
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// overwrite puts text in the place of what a file begins with.
func overwrite(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// Two runs with one cassette do not mix: the one that lost its file says so.
func TestRecorder_AnotherRunWithTheSameFile(t *testing.T) {
	tape, path := recorder(t)
	c := transport.Client(&answers{status: []int{200, 200, 200}}, transport.Options{Record: tape.Tape})
	if _, _, err := exchangeOnce(t, c, "http://model.invalid/v1", `{}`); err != nil {
		t.Fatal(err)
	}
	cassette := strings.TrimSuffix(path, PartialSuffix)
	other, err := NewRecorder(t.Context(), cassette, redact.New(nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := exchangeOnce(t, transport.Client(&answers{status: []int{200}}, transport.Options{Record: other.Tape}), "http://model.invalid/v1", `{"other":1}`); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, _, err := exchangeOnce(t, c, "http://model.invalid/v1", `{}`); err != nil {
			t.Fatal(err)
		}
	}
	if err := tape.Err(); err == nil || !strings.Contains(err.Error(), cassette+": the file was replaced while the run went on") {
		t.Errorf("Err() of the first run = %v, want that its file was replaced", err)
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), `"request"`) != 1 || other.Err() != nil {
		t.Errorf("the file is %s, %v, %v, want only the other run's exchange", text, err, other.Err())
	}
	if partial, err := tape.Close(true); partial == "" || err == nil {
		t.Errorf("Close of the first run = %q, %v, want an error", partial, err)
	}
	if _, err := other.Close(true); err != nil {
		t.Error(err)
	}
}

func TestNewRecorder_NoPlaceForAFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, filepath.Join(file, "below")} {
		if _, err := NewRecorder(t.Context(), path, nil); err == nil || !strings.HasPrefix(err.Error(), "record cassette: ") {
			t.Errorf("NewRecorder(%s) = %v, want an error", path, err)
		}
	}
}

// Where nothing can be written, no endpoint is asked first.
func TestNewRecorder_ReadOnlyFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "read-only")
	if err := os.Mkdir(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if f, err := os.CreateTemp(dir, ""); err == nil {
		_ = f.Close()
		t.Skip("this user may write to a folder that is read-only")
	}
	if _, err := NewRecorder(t.Context(), filepath.Join(dir, "c.jsonl"), nil); !errors.Is(err, os.ErrPermission) {
		t.Errorf("NewRecorder() in a read-only folder = %v, want that it may not", err)
	}
}

func TestRecorder_KeptHeaders(t *testing.T) {
	r := &Recorder{masks: newMasks(redact.New([]string{testKey}))}
	req := request(t, "{}")
	for name, tt := range map[string]struct{ in, want map[string]string }{
		"type":            {map[string]string{"Content-Type": "Text/Event-Stream; charset=x"}, map[string]string{"Content-Type": "text/event-stream"}},
		"no type":         {map[string]string{"Content-Type": "/;;"}, map[string]string{}},
		"seconds":         {map[string]string{"Retry-After": "2"}, map[string]string{"Retry-After": "2"}},
		"past":            {map[string]string{"Retry-After": "Fri, 01 Jan 2021 00:00:00 GMT"}, map[string]string{"Retry-After": "0"}},
		"no wait":         {map[string]string{"Retry-After": "soon"}, map[string]string{}},
		"endless":         {map[string]string{"Retry-After": "Inf"}, map[string]string{}},
		"here":            {map[string]string{"Location": "http://model.invalid/b?c=" + testKey}, map[string]string{"Location": "/b?c=" + redact.Mask}},
		"with a key":      {map[string]string{"Location": "/b?c=d&X-Amz-Signature=unknown&key=other"}, map[string]string{"Location": "/b?c=d&X-Amz-Signature=" + redact.Mask + "&key=" + redact.Mask}},
		"relative":        {map[string]string{"Location": "b"}, map[string]string{"Location": "/v1/chat/b"}},
		"elsewhere":       {map[string]string{"Location": "http://other.invalid/b"}, map[string]string{}},
		"all that is not": {map[string]string{"Date": "x", "Server": "y", "Openai-Organization": "z", "Set-Cookie": "a=b"}, map[string]string{}},
	} {
		resp := &http.Response{Header: http.Header{}}
		for name, value := range tt.in {
			resp.Header.Set(name, value)
		}
		if diff := cmp.Diff(tt.want, r.headers(req, resp)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	at := time.Date(2026, 3, 3, 20, 11, 12, 500, time.UTC)
	if got := secondsOf("Tue, 03 Mar 2026 20:11:15 GMT", at); got != "3" {
		t.Errorf("secondsOf of a date 3 s ahead = %q, want 3", got)
	}
}
