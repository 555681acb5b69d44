package agent

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/model/provider"
	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/policy"
)

// wire is a network of one host inside a bubble of time.
type wire struct {
	conns chan net.Conn
	down  chan struct{}
}

func (w *wire) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case w.conns <- server:
		return client, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (w *wire) Accept() (net.Conn, error) {
	select {
	case c := <-w.conns:
		return c, nil
	case <-w.down:
		return nil, net.ErrClosed
	}
}

func (w *wire) Close() error   { close(w.down); return nil }
func (w *wire) Addr() net.Addr { return &net.UnixAddr{Name: "wire"} }

// serve gives a model that asks h over a wire, with five minutes of patience.
// It serves until the test ends.
func serve(t *testing.T, h http.HandlerFunc) Model {
	t.Helper()
	w := &wire{make(chan net.Conn), make(chan struct{})}
	server := &http.Server{ErrorLog: log.New(io.Discard, "", 0), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the server does not notice that the client leaves
		h(w, r)
	})}
	go func() { _ = server.Serve(w) }()
	client := &http.Transport{DialContext: w.dial}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		_ = server.Close()
	})
	return provider.New(provider.Config{Attempts: 3,
		BaseURL: "http://model.test/v1", Model: "m", HTTP: transport.Client(client, transport.Options{Timeout: 5 * time.Minute}),
	})
}

const turn = `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"%s","arguments":"{\"text\":\"x\"}"}}]},"finish_reason":"tool_calls"}]}

data: [DONE]

`

// asks answers with a call of a tool.
func asks(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, turn, name) }
}

// wait asks for a pause.
func wait(header func() string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", header())
		w.WriteHeader(http.StatusTooManyRequests)
	}
}

func after(d time.Duration) func() string {
	return func() string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
}

func constant(s string) func() string { return func() string { return s } }

// silent sends the beginning and then nothing more.
func silent(beginning string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if beginning != "" {
			_, _ = io.WriteString(w, beginning)
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
	}
}

// slow sends a byte every second for as long as it is read.
func slow(w http.ResponseWriter, r *http.Request) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for r.Context().Err() == nil {
		_, _ = io.WriteString(w, ":")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-tick.C:
		case <-r.Context().Done():
		}
	}
}

// Each wait for a provider, a tool or the next attempt is as long as its limit
// and ends with the run, to the millisecond.
func TestRun_Waits(t *testing.T) {
	busy := func(wait string) []string {
		return []string{"0s retry 1 rate_limit " + wait, wait + " retry 2 rate_limit " + wait}
	}
	for name, tt := range map[string]struct {
		serve   http.HandlerFunc
		timeout time.Duration // of the run; an hour if it is 0
		signal  time.Duration // when the run is cancelled, 0 for never
		want    []string
	}{
		"no headers": {silent(""), 0, 0,
			[]string{"5m0s retry 1 timeout 500ms", "10m0.5s retry 2 timeout 1s", "15m1.5s provider_error timeout", "15m1.5s provider_error"}},
		"silence in the answer": {silent("data: {}\n\n"), 0, 0,
			[]string{"5m0s retry 1 timeout 500ms", "10m0.5s retry 2 timeout 1s", "15m1.5s provider_error timeout", "15m1.5s provider_error"}},
		"a byte every second":          {slow, 15 * time.Minute, 0, []string{"15m0s timeout"}},
		"a byte every second, a day":   {slow, 24 * time.Hour, 0, []string{"24h0m0s timeout"}},
		"silence beyond the run":       {silent(""), time.Minute, 0, []string{"1m0s timeout"}},
		"signal while headers are due": {silent(""), 0, time.Second, []string{"1s cancelled"}},
		"signal in the answer":         {silent("data: {}\n\n"), 0, time.Second, []string{"1s cancelled"}},
		"Retry-After of an hour":       {wait(constant("3600")), 0, 0, []string{"0s retry 1 rate_limit 1m0s", "1m0s provider_error rate_limit", "1m0s provider_error"}},
		"Retry-After of eight seconds": {wait(constant("8")), 0, 0, append(busy("8s"), "16s provider_error rate_limit", "16s provider_error")},
		"date in eight seconds":        {wait(after(8 * time.Second)), 0, 0, append(busy("8s"), "16s provider_error rate_limit", "16s provider_error")},
		"date in an hour":              {wait(after(time.Hour)), 0, 0, []string{"0s retry 1 rate_limit 1m0s", "1m0s provider_error rate_limit", "1m0s provider_error"}},
		"end of the run in the wait":   {wait(constant("50")), 40 * time.Second, 0, []string{"0s retry 1 rate_limit 50s", "40s timeout"}},
		"signal in the wait":           {wait(constant("50")), 0, 10 * time.Second, []string{"0s retry 1 rate_limit 50s", "10s cancelled"}},
		"end of the run in a tool":     {asks("hang"), time.Minute, 0, []string{"0s tool", "1m0s tool ended false", "1m0s timeout"}},
		"signal in a tool":             {asks("hang"), 0, time.Second, []string{"0s tool", "1s tool ended false", "1s cancelled"}},
		"end of the run after a tool":  {asks("sleep"), time.Minute, 0, []string{"0s tool", "50s tool ended true", "50s tool", "1m40s tool ended true", "1m40s timeout"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if diff := cmp.Diff(tt.want, waits(t, serve(t, tt.serve), tt.timeout, tt.signal)); diff != "" {
					t.Errorf("run (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// waits runs an agent and returns when it told what, in short lines.
func waits(t *testing.T, m Model, timeout, signal time.Duration) (lines []string) {
	t.Helper()
	if timeout == 0 {
		timeout = time.Hour
	}
	sleeping := define("sleep", false, func(context.Context, tool.Call, echoArgs) (did, *tool.Error) {
		time.Sleep(50 * time.Second)
		return did{"slept"}, nil
	})
	hanging, _ := testTools().Lookup("hang")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	if signal > 0 {
		defer time.AfterFunc(signal, func() { cancel(ErrCancelled) }).Stop()
	}
	start := time.Now()
	Run(ctx, Config{
		RunID: "r", Prompt: "p", Model: m, Tools: tool.NewRegistry(sleeping, hanging), Policy: policy.Builtin(),
		Limits: Limits{Timeout: timeout}, Redact: redact.New(nil), Clock: event.NewClock(), Log: slog.New(slog.DiscardHandler),
		Sink: sinkFunc(func(e event.Event) error {
			if e.Step > 3 {
				t.Fatalf("step %d began", e.Step)
			}
			if said := short(e); said != "" {
				lines = append(lines, fmt.Sprintf("%s %s", time.Since(start), said))
			}
			return nil
		}),
	})
	return lines
}

// short says what an event tells of waiting; a retry belongs to the first step.
func short(e event.Event) string {
	switch d := e.Data.(type) {
	case event.ProviderRetry:
		return fmt.Sprintf("retry %d %s %s", *d.Attempt, d.Failure, time.Duration(*d.BackoffMS)*time.Millisecond)
	case event.ProviderError:
		return "provider_error " + d.Failure
	case event.ToolExecStart:
		return "tool"
	case event.ToolExecEnd:
		return fmt.Sprintf("tool ended %t", d.OK)
	case event.RunEnd:
		return d.ExitReason
	}
	return ""
}

// A retried request is the same step, and the model sees the same messages.
func TestRun_RetryIsTheSameStep(t *testing.T) {
	m := model(func(_ context.Context, req chat.Request) (chat.Reply, error) {
		req.OnRetry(chat.Retry{Attempt: 1, MaxAttempts: 3, Failure: &chat.Failure{Kind: chat.FailServer}})
		return chat.Reply{FinishReason: "tool_calls", Calls: []chat.ToolCall{{ID: "c", Name: "echo", Arguments: `{"text":"x"}`}}}, nil
	}, says("done"))
	_, k := try(t, m, nil)
	for _, e := range k.events {
		if _, again := e.Data.(event.ProviderRetry); again && e.Step != 1 {
			t.Errorf("provider_retry is of step %d, want 1", e.Step)
		}
	}
	if *k.end().Steps != 2 || len(of[event.StepStarted](k)) != 2 {
		t.Errorf("run_end tells of %v steps, want 2", *k.end().Steps)
	}
}
