package mcp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/openagent-ci/openagent/internal/tool"
)

// serve serves an MCP server of the SDK over HTTP behind wrap, and returns a place in
// which it is the server called web.
func serve(t *testing.T, server *sdk.Server, wrap func(http.Handler) http.Handler) *place {
	t.Helper()
	var handler http.Handler = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	if wrap != nil {
		handler = wrap(handler)
	}
	web := httptest.NewServer(handler)
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	p := newPlace(t)
	p.options.Config.Servers = []Server{{Name: "web", URL: web.URL, Headers: []Setting{{Name: "X-Feature", Value: "on"}}}}
	return p
}

type said struct {
	Text string `json:"text"`
}

// echoing returns a server with a tool that says again what it is told.
func echoing() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "web"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "echo", Description: "Says it again."}, func(_ context.Context, _ *sdk.CallToolRequest, in said) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: in.Text}}}, nil, nil
	})
	return s
}

func TestHTTP_Calls(t *testing.T) {
	var without atomic.Int64
	p := serve(t, echoing(), func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Feature") != "on" {
				without.Add(1)
			}
			next.ServeHTTP(w, r)
		})
	})
	s, tools := p.start(t)
	if _, text := p.call(t, tools, "mcp__web__echo", `{"text":"über"}`); text != "über" {
		t.Errorf("echo = %q, want it again", text)
	}
	if result, _ := p.call(t, tools, "mcp__web__echo", `{"text":5}`); result.Error == nil || result.Error.Kind != tool.KindInvalidInput {
		t.Errorf("echo(5) = %+v, want that arguments are judged", result)
	}
	s.Close()
	if n := without.Load(); n != 0 {
		t.Errorf("%d requests came without the header", n)
	}
}

func TestHTTP_ToolsAndProgress(t *testing.T) {
	t.Parallel()
	server := echoing()
	server.AddTool(&sdk.Tool{Name: "slow", InputSchema: map[string]any{"type": "object"}}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for i := range 15 {
			time.Sleep(200 * time.Millisecond)
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i)})
		}
		sdk.AddTool(server, &sdk.Tool{Name: "later"}, func(context.Context, *sdk.CallToolRequest, said) (*sdk.CallToolResult, any, error) {
			return nil, nil, nil
		})
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "slow"}}}, nil
	})
	p := serve(t, server, nil)
	p.options.Timeout = 2 * time.Second
	s, tools := p.start(t)
	if _, text := p.call(t, tools, "mcp__web__slow", `{}`); text != "slow" {
		t.Errorf("slow = %q, want that progress begins its time anew", text)
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if now, changed := s.Changed(t.Context()); changed {
			if len(now) != 3 {
				t.Errorf("%d tools, want 3", len(now))
			}
			return
		}
		if time.Now().After(end) {
			t.Fatal("the new tool is not noticed")
		}
	}
}

func TestHTTP_Refused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		handler func(w http.ResponseWriter, r *http.Request)
		want    string
	}{
		"unauthorized": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, "Unauthorized"},
		"elsewhere": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://other.invalid/", http.StatusFound)
		}, "Found"},
		"no server": {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>hello") }, "unsupported content type"},
		"hangs": {func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // only then the end of the connection is noticed
			<-r.Context().Done()
		}, "it could not be used within 1s"},
		"endless": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for r.Context().Err() == nil {
				if _, err := fmt.Fprint(w, strings.Repeat(" ", 1<<20)); err != nil {
					return
				}
			}
		}, "MCP server web: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			web := httptest.NewServer(http.HandlerFunc(test.handler))
			defer web.Close()
			defer web.CloseClientConnections()
			p := newPlace(t)
			p.options.StartTime = time.Second
			if name == "endless" {
				p.options.StartTime = 30 * time.Second
			}
			p.options.Config.Servers = []Server{{Name: "web", URL: web.URL}}
			if s, err := Start(t.Context(), p.options); err == nil || !strings.Contains(err.Error(), test.want) {
				s.Close()
				t.Errorf("Start(...) = %v, want an error with %q", err, test.want)
			}
		})
	}
}

// A server that leaves the request for its own stream without an answer is used
// without that stream.
func TestHTTP_StreamThatNeverBegins(t *testing.T) {
	t.Parallel()
	p := serve(t, echoing(), func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				<-r.Context().Done()
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	p.options.StartTime = 30 * time.Second
	_, tools := p.start(t)
	if _, text := p.call(t, tools, "mcp__web__echo", `{"text":"here"}`); text != "here" {
		t.Errorf("echo = %q, want it again", text)
	}
}

// An answer that is too large is that, in one piece and in a stream; nothing larger is
// held.
func TestHTTP_TooLarge(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"application/json", "text/event-stream"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			p := serve(t, echoing(), func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					asked, _ := io.ReadAll(r.Body)
					if !strings.Contains(string(asked), `"tools/call"`) {
						r.Body = io.NopCloser(strings.NewReader(string(asked)))
						next.ServeHTTP(w, r)
						return
					}
					w.Header().Set("Content-Type", kind)
					id := strings.SplitN(strings.SplitN(string(asked), `"id":`, 2)[1], ",", 2)[0]
					fmt.Fprintf(w, "%s{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"%s\"}]}}\n\n",
						map[bool]string{true: "data: "}[kind != "application/json"], id, strings.Repeat("h", maxMessage))
				})
			})
			p.options.Timeout = time.Minute
			_, tools := p.start(t)
			result, text := p.call(t, tools, "mcp__web__echo", `{"text":"x"}`)
			if e := result.Error; e == nil || e.Kind != tool.KindTooLarge {
				t.Errorf("echo = %.100q, %+v, want that it is too large", text, e)
			}
			if e, _ := p.call(t, tools, "mcp__web__echo", `{"text":"x"}`); e.Error == nil || e.Error.Kind != tool.KindServerGone {
				t.Errorf("echo again = %+v, want that the connection is over", e.Error)
			}
		})
	}
}

// A secret is not sent in the clear to another machine.
func TestHTTP_SecretNeedsTLS(t *testing.T) {
	p := newPlace(t)
	p.options.Config.Servers = []Server{{Name: "web", URL: "http://h.invalid/", Headers: []Setting{{Name: "X-Key", Value: "a", secrets: []string{"a"}}}}}
	if _, err := Start(t.Context(), p.options); err == nil || !strings.Contains(err.Error(), "not sent over plain http to h.invalid") {
		t.Errorf("Start(...) = %v, want a refusal", err)
	}
}

// A server that answers 404 to a session gets a new one, once for each call, also when
// its stream ended first; the call is executed once.
func TestHTTP_SessionIsGone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body, want  string
		stream      bool // ends, and is refused when it is asked for again
		every       bool // session is refused
		initialized int64
	}{
		"plain":       {body: "Not Found", want: "x", initialized: 2},
		"as an error": {body: `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no session"}}`, want: "x", initialized: 2},
		"stream":      {body: `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no session"}}`, want: "x", stream: true, initialized: 2},
		"every":       {body: "Not Found", want: "the connection with MCP server web has ended", every: true, initialized: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var initialized, called atomic.Int64
			var old atomic.Pointer[string] // the session that is gone
			gone := make(chan struct{})
			p := serve(t, echoing(), func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					asked, _ := io.ReadAll(r.Body)
					r.Body = io.NopCloser(strings.NewReader(string(asked)))
					if strings.Contains(string(asked), `"initialize"`) {
						initialized.Add(1)
					}
					if id := old.Load(); id != nil && (test.every || r.Header.Get("Mcp-Session-Id") == *id) {
						w.WriteHeader(http.StatusNotFound)
						_, _ = io.WriteString(w, test.body)
						return
					}
					if strings.Contains(string(asked), `"tools/call"`) {
						called.Add(1)
					}
					if r.Method == http.MethodGet && test.stream {
						ctx, cancel := context.WithCancel(r.Context())
						defer cancel()
						go func() {
							select {
							case <-gone:
								cancel()
							case <-ctx.Done():
							}
						}()
						r = r.WithContext(ctx)
					}
					next.ServeHTTP(w, r)
				})
			})
			s, tools := p.start(t)
			session := s.all[0].session
			old.Store(new(session.ID()))
			close(gone)
			if test.stream {
				_ = session.Wait()
			}
			for range 2 {
				if _, text := p.call(t, tools, "mcp__web__echo", `{"text":"x"}`); !strings.Contains(text, test.want) {
					t.Errorf("echo = %q, want %q", text, test.want)
				}
			}
			if n := initialized.Load(); n != test.initialized {
				t.Errorf("%d sessions were asked for, want %d", n, test.initialized)
			}
			if n := called.Load(); !test.every && (n != 2 || !s.all[0].stale.Load()) {
				t.Errorf("%d calls came, and tools to read again: %v; want 2 and true", n, s.all[0].stale.Load())
			}
		})
	}
}
