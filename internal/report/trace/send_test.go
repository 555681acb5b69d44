package trace

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

const secret = "sk-test-collector-0123456789"

// collector begins a trace for one that answers as h does.
func collector(t *testing.T, h http.HandlerFunc, env ...string) *Trace {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.CloseClientConnections) // handlers that wait end with theirs
	return begun(t, s.URL, env...)
}

func begun(t *testing.T, address string, env ...string) *Trace {
	t.Helper()
	tr, warnings := Begin(at(append(env, "OTEL_EXPORTER_OTLP_ENDPOINT="+address, "OTEL_EXPORTER_OTLP_HEADERS=api-key="+secret)...), "1", false)
	if tr == nil || len(warnings) > 0 {
		t.Fatalf("Begin: warnings %q", warnings)
	}
	tr.Suite().End("success", 0, false)
	return tr
}

// Whatever a collector does, sending ends in its time with an error that names what it
// did and no secret.
func TestSend_BadCollectors(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the trace was sent where a collector pointed to")
	}))
	defer elsewhere.Close()
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
		hint   string
	}{
		"hangs": {func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}, "it did not answer, or not to the end, within ", ""},
		"drips": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, " ")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(20 * time.Millisecond)
			}
		}, "it did not answer, or not to the end, within ", ""},
		"drips headers": {func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			for err == nil {
				_, err = io.WriteString(conn, "H")
				time.Sleep(20 * time.Millisecond)
			}
		}, "it did not answer, or not to the end, within ", ""},
		"closes": {func(w http.ResponseWriter, _ *http.Request) {
			if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
				conn.Close()
			}
		}, "it closed the connection without an answer", ""},
		"web page":       {answer(200, "text/html; charset=utf-8", "<html>sign in</html>"), "it answers with a web page", "name the address of the collector"},
		"unnamed page":   {answer(200, "", "\n<!doctype html>"), "it answers with a web page", "name the address of the collector"},
		"page and fault": {answer(404, "text/html", "<h1>\x1b[31mNot\r\n##[error]found</h1> "+strings.Repeat("x", 9999)), "it answers with the status 404: <h1>", ""},
		"redirects": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusPermanentRedirect)
		}, "it leads elsewhere by the status 308", "name the address of the collector itself"},
		"says no":        {answer(401, "application/json", `{"message":"no such key `+secret+`"}`), "it answers with the status 401", ""},
		"is busy":        {answer(503, "", "later"), "it answers with the status 503: later", ""},
		"rejects":        {answer(200, "application/json", `{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too\nold"}}`), "it rejected 3 spans: too old", ""},
		"rejects a few":  {answer(200, "application/json", `{"partialSuccess":{"rejectedSpans":1}}`), "it rejected 1 spans", ""},
		"endless header": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 1<<20)) }, "exceed", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := collector(t, c.answer, "OTEL_EXPORTER_OTLP_TIMEOUT=300")
			mask := redact.New([]string{secret}).String
			err := tr.Send(t.Context(), mask)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(hint.Of(err), c.hint) || len(err.Error()) > 400 {
				t.Fatalf("Send = %v (%s), want %q", err, hint.Of(err), c.want)
			}
			var log bytes.Buffer
			tr.Export(t.Context(), (&process.Process{Err: &log}).Logger(), mask)
			if got := log.String(); !strings.Contains(got, "the trace was not exported") || strings.Contains(got, secret) || strings.ContainsAny(strings.TrimSuffix(got, "\n"), "\n\x1b") || strings.Contains(got, "##[") || strings.Contains(got, `\x1b`) {
				t.Errorf("Export warns %q, want one line without secret or control", got)
			}
		})
	}
}

// answer answers always the same.
func answer(code int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if kind != "" {
			w.Header().Set("Content-Type", kind)
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

func TestSend_NobodyIsThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	err = begun(t, "http://user:"+secret+"@"+address).Send(t.Context(), same)
	if err == nil || !strings.Contains(err.Error(), address) || !strings.Contains(err.Error(), "connect") || strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "user") {
		t.Errorf("Send = %v, want that nobody is at %s", err, address)
	}
}

func TestSend_GoodAnswers(t *testing.T) {
	for _, c := range []struct{ kind, body string }{
		{"application/json", `{}`}, {"application/json", ""}, {"", ""}, {"text/plain", "ok"}, {"application/json", `{"partialSuccess":{}}`},
		{"application/json", `{"partialSuccess":{"rejectedSpans":"0","errorMessage":"be kind"}}`}, {"application/x-protobuf", "\x00\x01"},
	} {
		if err := collector(t, answer(200, c.kind, c.body)).Send(t.Context(), same); err != nil {
			t.Errorf("%s %q: Send = %v, want nil", c.kind, c.body, err)
		}
	}
}

// The whole request arrives, also compressed, and again after a collector that is busy.
func TestSend_Request(t *testing.T) {
	for _, env := range []string{"OTEL_EXPORTER_OTLP_COMPRESSION=none", "OTEL_EXPORTER_OTLP_COMPRESSION=gzip"} {
		var asked atomic.Int32
		var got request
		tr := collector(t, func(w http.ResponseWriter, r *http.Request) {
			if asked.Add(1) == 1 {
				w.Header().Set("Retry-After", "0")
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			body := io.Reader(r.Body)
			if r.Header.Get("Content-Encoding") == "gzip" {
				var err error
				if body, err = gzip.NewReader(r.Body); err != nil {
					t.Error(err)
					return
				}
			}
			if err := json.NewDecoder(body).Decode(&got); err != nil {
				t.Error(err)
			}
			if r.Method != "POST" || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Api-Key") != secret || r.Header.Get("User-Agent") != "openagent/1" {
				t.Errorf("%s %s with %v, want what OTLP has", r.Method, r.URL, r.Header)
			}
		}, env)
		if err := tr.Send(t.Context(), same); err != nil || asked.Load() != 2 {
			t.Fatalf("Send = %v after %d requests, want nil after 2", err, asked.Load())
		}
		if spans := got.ResourceSpans[0].ScopeSpans[0].Spans; len(spans) != 1 || spans[0].TraceID != tr.ID() {
			t.Errorf("%s: spans %v, want the one that there is", env, spans)
		}
	}
}

// A busy collector that does not say when to come back is asked again after pauses
// that double.
func TestSend_PausesBeforeItAsksAgain(t *testing.T) {
	var asked atomic.Int32
	tr := collector(t, func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusServiceUnavailable)
	}, "OTEL_EXPORTER_OTLP_TIMEOUT=750")
	// The pauses are 200 and 400 ms; the third, of 800, does not fit.
	if err := tr.Send(t.Context(), same); err == nil || asked.Load() > 3 {
		t.Errorf("Send = %v after %d requests, want at most 3", err, asked.Load())
	}
}

// A collector that asks for more time than there is has been asked once.
func TestSend_WaitsNoLongerThanItsTime(t *testing.T) {
	var asked atomic.Int32
	tr := collector(t, func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	if err := tr.Send(t.Context(), same); err == nil || asked.Load() != 1 {
		t.Errorf("Send = %v after %d requests, want the answer to one", err, asked.Load())
	}
}

// A run that was cancelled still sends, for as long as its job may live.
func TestSend_AfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := collector(t, answer(200, "", "")).Send(ctx, same); err != nil {
		t.Errorf("Send = %v, want nil", err)
	}
	for name, end := range map[string]func(context.CancelFunc){
		"before": func(cancel context.CancelFunc) { cancel() },
		"while":  func(cancel context.CancelFunc) { time.AfterFunc(10*time.Millisecond, cancel) },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		end(cancel)
		gone := make(chan error, 1)
		err := collector(t, func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
			gone <- r.Context().Err()
		}).Send(ctx, same)
		if err == nil || !strings.Contains(err.Error(), "it did not answer") || <-gone == nil {
			t.Errorf("%s: Send = %v, want that it did not answer", name, err)
		}
	}
}

// Certificates that cannot be read are told, and nothing is sent without them.
func TestSend_Certificates(t *testing.T) {
	s := httptest.NewTLSServer(answer(200, "", ""))
	defer s.Close()
	large := filepath.Join(t.TempDir(), "large")
	if err := errors.Join(os.WriteFile(large, nil, 0o600), os.Truncate(large, maxCertificates+1)); err != nil {
		t.Fatal(err)
	}
	for env, want := range map[string]string{
		"A=1": "certificate", // of nobody we know
		"OTEL_EXPORTER_OTLP_CERTIFICATE=" + large:               "larger than",
		"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE=" + large:        "larger than",
		"OTEL_EXPORTER_OTLP_CERTIFICATE=/nowhere":               "OTEL_EXPORTER_OTLP_CERTIFICATE",
		"OTEL_EXPORTER_OTLP_CERTIFICATE=" + os.DevNull:          "has no certificate",
		"OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE=/nowhere": "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE",
	} {
		if err := begun(t, s.URL, env).Send(t.Context(), same); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: Send = %v, want %q", env, err, want)
		}
	}
}
