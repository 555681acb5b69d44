package cli

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// faultKey is looked for where it must not come to.
const faultKey = "sk-test-canary-0123456789"

// endpoint answers the requests of one run; n counts them from 1.
type fakeEndpoint func(w http.ResponseWriter, r *http.Request, n int)

// faulty is a run against an endpoint, and what it tells of it.
type faulty struct {
	serve fakeEndpoint
	flags []string
	want  []string
}

// final is told of a failure that is not worth another request.
func final(kind string, status int) []string {
	return []string{"error " + failureLine(kind, status) + " final", "finished provider_error", "status 1 after 1 requests"}
}

// gaveUp is told of a failure that came with each of three requests; waits are
// between them.
func gaveUp(kind string, status int, waits ...string) []string {
	if len(waits) == 0 {
		waits = []string{"500ms", "1s"}
	}
	what := failureLine(kind, status)
	return []string{
		"retry 1/3 " + what + " " + waits[0], "retry 2/3 " + what + " " + waits[1],
		"error " + what + " retryable", "finished provider_error", "status 1 after 3 requests",
	}
}

// gaveUpAfter is gaveUp where each request came with a text.
func gaveUpAfter(text, kind string, status int) []string {
	lines := gaveUp(kind, status)
	lines[3] += " " + text
	return lines
}

// answered is told of a run that so many requests brought to a good end.
func answered(requests int, before ...string) []string {
	return append(before, "finished ok hello", fmt.Sprintf("status 0 after %d requests", requests))
}

func failureLine(kind string, status int) string {
	if status == 0 {
		return kind + " -"
	}
	return fmt.Sprintf("%s %d", kind, status)
}

// summaries are the events of a stream that a fault can change, as short lines.
func summaries(t *testing.T, stream []byte) (lines []string) {
	t.Helper()
	s := validate.NewStream(validate.Options{Strict: true})
	for line := range bytes.Lines(stream) {
		for _, f := range s.Line(line) {
			t.Errorf("%s\n%s", f, line)
		}
		e, err := schema.Decode(line)
		if err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		switch d := e.Data.(type) {
		case *schema.ProviderRetry:
			lines = append(lines, fmt.Sprintf("retry %d/%d %s %s", *d.Attempt, *d.MaxAttempts, failureLine(*d.Kind, number(d.Status)),
				nominal(time.Duration(*d.BackoffMS)*time.Millisecond)))
		case *schema.ProviderError:
			lines = append(lines, "error "+failureLine(*d.Kind, number(d.Status))+map[bool]string{true: " retryable", false: " final"}[*d.Retryable])
		case *schema.ToolDecision:
			lines = append(lines, *d.Decision+" "+*d.Tool)
		case *schema.RunFinished:
			lines = append(lines, strings.TrimSpace("finished "+d.ExitReason+" "+d.FinalOutput))
		}
	}
	for _, f := range s.Close() {
		t.Error(f)
	}
	return lines
}

// nominal returns a wait as it is without jitter.
func nominal(wait time.Duration) time.Duration {
	for n := 500 * time.Millisecond; n <= 16*time.Second; n *= 2 {
		if 3*n/4 <= wait && wait <= 5*n/4 {
			return n
		}
	}
	return wait
}

func number(n *int64) int {
	if n == nil {
		return 0
	}
	return int(*n)
}

// whole is a handler for one that answers with a body and a content type.
func whole(status int, contentType, body string) fakeEndpoint {
	return func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func answering(code int) fakeEndpoint {
	return whole(code, "application/json", `{"error":{"message":"no, `+faultKey+`"}}`)
}

// streamed answers with events, each data of its own.
func streamed(data ...string) fakeEndpoint {
	var body strings.Builder
	for _, d := range data {
		body.WriteString("data: " + d + "\n\n")
	}
	return whole(http.StatusOK, "text/event-stream", body.String())
}

// afterwards answers the first request by one endpoint and the others by the
// next.
func afterwards(first, others fakeEndpoint) fakeEndpoint {
	return func(w http.ResponseWriter, r *http.Request, n int) {
		if n == 1 {
			first(w, r, n)
			return
		}
		others(w, r, n)
	}
}

// raw answers over the bare connection, which it closes at the end.
func raw(answer func(net.Conn)) fakeEndpoint {
	return func(w http.ResponseWriter, _ *http.Request, _ int) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer c.Close()
		answer(c)
	}
}

func says(answer string) fakeEndpoint {
	return raw(func(c net.Conn) { _, _ = io.WriteString(c, answer) })
}

func redirect(code int, to func(*http.Request) string) fakeEndpoint {
	return func(w http.ResponseWriter, r *http.Request, _ int) {
		w.Header().Set("Location", to(r))
		w.WriteHeader(code)
	}
}

// stall sends something and then waits for the client to give up.
func stall(first string) fakeEndpoint {
	return func(w http.ResponseWriter, r *http.Request, _ int) {
		if first != "" {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, first)
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
	}
}

// dribble sends head and then a byte now and then, never a pause for long.
func dribble(code int, head string) fakeEndpoint {
	return func(w http.ResponseWriter, r *http.Request, _ int) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, head)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-r.Context().Done():
				return
			case <-tick.C:
				_, _ = io.WriteString(w, "x")
				_ = http.NewResponseController(w).Flush()
			}
		}
	}
}

// pour repeats piece up to size bytes, or until the client has enough.
func pour(t *testing.T, size int, head, piece string) fakeEndpoint {
	return func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Content-Type", "text/event-stream")
		sent, err := io.WriteString(w, head)
		for err == nil && sent < size {
			_, err = io.WriteString(w, piece)
			sent += len(piece)
		}
		if sent > 48<<20 {
			t.Errorf("%d bytes were taken of an answer that is too large", sent)
		}
	}
}

func zipped(size int) fakeEndpoint {
	var body bytes.Buffer
	z := gzip.NewWriter(&body)
	piece := append(bytes.Repeat([]byte(":"), 1<<16-1), '\n')
	for n := 0; n < size; n += len(piece) {
		_, _ = z.Write(piece)
	}
	_ = z.Close()
	return func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(body.Bytes())
	}
}

const (
	hello    = `{"choices":[{"delta":{"content":"hello"},"finish_reason":"stop"}]}`
	unending = `{"choices":[{"delta":{"content":"hello"}}]}`
	stopped  = `{"choices":[{"delta":{},"finish_reason":"stop"}]}`
	called   = `{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`
	done     = "[DONE]"
)

func piece(call string) string { return `{"choices":[{"delta":{"tool_calls":[` + call + `]}}]}` }

// reads answers with the pieces of calls, and then with hello.
func reads(pieces ...string) fakeEndpoint {
	var data []string
	for _, p := range pieces {
		data = append(data, piece(p))
	}
	return afterwards(streamed(append(data, called, done)...), streamed(hello, done))
}

// runAgainst runs the built-in agent once against an endpoint and returns what
// it tells, with its status and the number of requests at the end.
func runAgainst(t *testing.T, serve fakeEndpoint, flags ...string) []string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var requests atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(requests.Add(1))
		// Only a body that was read lets the server notice that the client left.
		if body, err := io.ReadAll(r.Body); err != nil || r.Method != http.MethodPost || !bytes.Contains(body, []byte(`"model":"m"`)) {
			t.Errorf("request %d is a %s with %q, %v, want the conversation", n, r.Method, body, err)
		}
		serve(w, r, n)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of connections that end early
	server.Start()
	defer server.Close()
	var out, errs bytes.Buffer
	p := &program{Process: process.Process{In: strings.NewReader(""), Out: &out, Err: &errs, Key: faultKey}}
	status := p.main(slices.Concat([]string{
		"run", "--output", "json", "--model", "m", "--base-url", server.URL + "/v1", "--state-dir", filepath.Join(dir, "state"),
		"--workspace", dir, "--timeout", "5m", "--retry", "timeout=1m,attempts=3",
	}, flags, []string{"p"}))
	if strings.Contains(out.String()+errs.String(), faultKey) {
		t.Errorf("the key is told:\n%s%s", &out, &errs)
	}
	for line := range bytes.Lines(errs.Bytes()) {
		if !bytes.Contains(line, []byte(`msg="the endpoint answered with an error"`)) {
			t.Errorf("stderr has %s, want nothing but what the endpoint wrote", line)
		}
	}
	return append(summaries(t, out.Bytes()), fmt.Sprintf("status %d after %d requests", status, requests.Load()))
}

// Whatever an endpoint does, the run ends, and its events say for what reason.
func TestRun_FaultsOfAnEndpoint(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s came to another origin, with authorization %q", r.Method, r.URL, r.Header.Get("Authorization"))
	}))
	defer elsewhere.Close()
	var all sync.WaitGroup
	for name, tt := range faults(t, elsewhere.URL) {
		// Not one after another: most of them wait for something.
		all.Go(func() {
			t.Run(name, func(t *testing.T) {
				if diff := cmp.Diff(tt.want, runAgainst(t, tt.serve, tt.flags...)); diff != "" {
					t.Errorf("run (-want +got):\n%s", diff)
				}
			})
		})
	}
	all.Wait()
}
