package harness

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/runner"
)

// speaking is a program for sh that prints a stream in which every text has private.
const speaking = `
say() { printf '{"schema_version":"openagent.run_event.v1","sequence":%s,"ts":"2026-03-03T20:11:12Z","run_id":"r","step":%s,"type":"%s","data":{%s}}\n' "$@"; }
say 1 0 run_started '"agent":{"name":"'"$TRACEPARENT"'","version":"1"}'
say 2 1 step_started '"step_id":null,"step_index":1,"allowed_tools":null,"enforcement_mode":null'
say 3 1 tool_call_detected '"tool_call_id":"a","tool":"t","arguments_preview":"private arguments"'
say 4 1 tool_exec_started '"tool_call_id":"a","tool":"t"'
say 5 1 tool_exec_finished '"tool_call_id":"a","tool":"t","ok":true,"content_preview":"private result","truncated":false,"original_bytes":null'
say 6 1 run_finished '"exit_reason":"ok","ok":true,"final_output":"private answer","error":null'
`

// runTraced runs an agent of sh with a collector that answers by answer, and returns the
// verdict, what the collector got and what is warned of.
func runTraced(t *testing.T, noTexts bool, answer http.HandlerFunc) (e *runner.Execution, got, warned string) {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	var mu sync.Mutex
	var body bytes.Buffer
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, _ := io.ReadAll(r.Body)
		mu.Lock()
		body.Write(sent)
		mu.Unlock()
		answer(w, r)
	}))
	defer s.Close()
	defer s.CloseClientConnections()
	t.Setenv("GITHUB_ACTIONS", "")
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", s.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "400")
	t.Setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")
	dir := t.TempDir()
	prompt := filepath.Join(dir, "prompt")
	if err := os.WriteFile(prompt, []byte("private prompt"), 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	p := &process.Process{In: strings.NewReader(""), Out: io.Discard, Err: &log}
	e, err = Run(t.Context(), p, Options{
		Command: []string{sh, "-c", speaking}, Workspace: dir, PromptFile: prompt, NoTexts: noTexts, Timeout: time.Minute, Outcome: Outcome{Dir: filepath.Join(dir, "evidence")},
	})
	if err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	return e, body.String(), log.String()
}

func fine(http.ResponseWriter, *http.Request) {}

// Texts that evidence leaves out are in no trace either, whoever asks for them.
func TestTrace_Texts(t *testing.T) {
	_, with, warned := runTraced(t, false, fine)
	for _, text := range []string{"private prompt", "private arguments", "private result", "private answer", `"name":"invoke_agent 00-`} {
		if !strings.Contains(with, text) {
			t.Errorf("the trace lacks %q: %s", text, with)
		}
	}
	if strings.Contains(warned, "trace") {
		t.Errorf("warned %q, want nothing of the trace", warned)
	}
	if _, without, _ := runTraced(t, true, fine); strings.Contains(without, "private") || !strings.Contains(without, "execute_tool t") {
		t.Errorf("the trace of evidence without texts is %s", without)
	}
}

// Whatever the collector does, the run is judged as ever, and a warning tells.
func TestTrace_NeverChangesTheVerdict(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"hangs":     func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"refuses":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) },
		"web page":  func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
		"redirects": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) },
		"closes":    func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"drips": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, " ")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(10 * time.Millisecond)
			}
		},
	} {
		e, _, warned := runTraced(t, false, answer)
		if e.Verdict != runner.VerdictSuccess || !strings.Contains(warned, "the trace was not exported") {
			t.Errorf("%s: verdict %s, warned %q, want success and a warning", name, e.Verdict, warned)
		}
	}
}
