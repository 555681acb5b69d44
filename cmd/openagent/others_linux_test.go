package main_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/model/transport"
)

// othersVariable names the folder of an npm project that has other agents
// installed.
const othersVariable = "OPENAGENT_BENCH_OTHERS"

// other is an agent that is measured beside ours.
type other struct {
	name, program   string // program is "" for ours
	tool, arguments string // of a call that runs echo
	args            []string
	env             []string
	settings        string // of the file opencode.json in the workspace
}

// others returns the agents, set up for the endpoint at url.
func others(url string) []other {
	url += "/v1"
	const prompt = "Run the command."
	return []other{
		{
			name: "openagent", tool: "execute_command", arguments: `{"command":"echo hi"}`,
			args: []string{"run", "--output", "json", "--base-url", url, "--model", "m", "--max-steps", "0", prompt},
		},
		{
			name: "codex", program: "codex", tool: "exec_command", arguments: `{"cmd":"echo hi"}`,
			args: []string{"exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-c", `model_provider="local"`,
				"-c", fmt.Sprintf(`model_providers.local={name="local",base_url=%q,env_key="OPENAI_API_KEY",wire_api="responses"}`, url), "-m", "m", prompt},
		},
		{
			name: "opencode", program: "opencode", tool: "bash", arguments: `{"command":"echo hi","description":"say hi"}`,
			args: []string{"run", "--pure", "--format", "json", "--auto", "-m", "local/m", prompt},
			env:  []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"},
			settings: fmt.Sprintf(`{"autoupdate":false,"share":"disabled","model":"local/m","small_model":"local/m","provider":{"local":{"npm":"@ai-sdk/openai-compatible",`+
				`"options":{"baseURL":%q,"apiKey":"sk-test-1"},"models":{"m":{"tool_call":true,"limit":{"context":100000,"output":4096}}}}}}`, url),
		},
		{
			name: "qwen", program: "qwen", tool: "run_shell_command", arguments: `{"command":"echo hi","is_background":false,"description":"say hi"}`,
			args: []string{"--yolo", "--bare", "--auth-type", "openai", "--openai-api-key", "sk-test-1", "--openai-base-url", url, "-m", "m", "-o", "stream-json", prompt},
		},
	}
}

// BenchmarkOthers gives other agents and ours the same model on loopback. Each
// makes so many calls of echo; then a key is refused, and last the agent is told
// to end (SIGTERM) while it waits for the model's second reply. Start it without
// a network (unshare -n), for some agents look for one. It reports, besides
// ns/op:
//
//	first-ms  from the start to the first line of the stream
//	cpu-ms    user and system time of the process tree, the commands too
//	rss-MB    peak memory of the largest process of the tree
//
// and logs how the last run ended.
func BenchmarkOthers(b *testing.B) {
	folder := os.Getenv(othersVariable)
	if folder == "" {
		b.Skip(othersVariable + " names no folder with other agents")
	}
	for i, o := range others("") {
		for _, n := range []int{0, 10} {
			b.Run(fmt.Sprintf("%s/calls=%d", o.name, n), func(b *testing.B) { measureOther(b, folder, i, o.turns(n), 0) })
		}
		b.Run(o.name+"/refused", func(b *testing.B) {
			refusal := "- fault: {status: 401, body: '{\"error\":{\"message\":\"no such key\"}}'}\n"
			measureOther(b, folder, i, strings.Repeat(refusal, 20), 0)
		})
		b.Run(o.name+"/terminated", func(b *testing.B) {
			measureOther(b, folder, i, o.turns(1)[:strings.Index(o.turns(1), "- text")]+"- fault: {delay: 10m}\n  text: late\n", syscall.SIGTERM)
		})
	}
}

// turns returns a script of n calls and a closing text.
func (o other) turns(n int) string {
	call := fmt.Sprintf("- tool_calls: [{tool: %s, arguments: %s}]\n", o.tool, o.arguments)
	return strings.Repeat(call, n) + "- text: done\n"
}

// measureOther runs the agent of the index; one that is to be signalled is when
// the last turn of the script was asked for.
func measureOther(b *testing.B, folder string, index int, script string, sig syscall.Signal) {
	var total sample
	var end string
	for range b.N {
		var s sample
		s, end = runOther(b, folder, index, script, sig)
		total.first += s.first
		total.cpu += s.cpu
		total.rss = max(total.rss, s.rss)
	}
	b.ReportMetric(milliseconds(total.first)/float64(b.N), "first-ms")
	b.ReportMetric(milliseconds(total.cpu)/float64(b.N), "cpu-ms")
	b.ReportMetric(float64(total.rss)/(1<<20), "rss-MB")
	b.Log(end)
}

func runOther(b *testing.B, folder string, index int, script string, sig syscall.Signal) (s sample, end string) {
	model, err := transport.LoadScript("script", []byte(script))
	if err != nil {
		b.Fatal(err)
	}
	turns := strings.Count("\n"+script, "\n- ")
	last := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		var asked struct{ Tools []json.RawMessage }
		if json.Unmarshal(body, &asked) == nil && len(asked.Tools) == 0 && req.Method == http.MethodPost {
			http.Error(w, `{"error":{"message":"the conversation alone is served"}}`, http.StatusBadRequest)
			return // a request for a title, say
		}
		if turns--; turns == 0 {
			close(last)
		}
		req.Body = io.NopCloser(bytes.NewReader(body))
		model.ServeHTTP(w, req)
	}))
	defer server.Close()
	defer server.CloseClientConnections()
	o := others(server.URL)[index]
	c := o.command(b, folder)
	out, err := c.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	started := time.Now()
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	watching, stop := context.WithCancel(b.Context())
	peak := make(chan int64)
	go func() { peak <- peakOfTree(watching, c.Process.Pid) }()
	if sig != 0 {
		go func() {
			<-last
			time.Sleep(300 * time.Millisecond) // what it prints of the first call
			_ = c.Process.Signal(sig)
		}()
	}
	lines, final := bufio.NewReader(out), ""
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			final = line
		}
		if err != nil {
			break
		}
		if s.first == 0 {
			s.first = time.Since(started)
		}
	}
	stop()
	s.rss = <-peak
	if err := c.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		b.Fatal(err)
	}
	s.cpu = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	return s, fmt.Sprintf("%s: %s; last line %.300s", o.name, c.ProcessState, final)
}

// command returns the agent in a workspace and a home of its own.
func (o other) command(b *testing.B, folder string) *exec.Cmd {
	program, err := binary()
	if o.program != "" {
		program, err = filepath.Abs(filepath.Join(folder, "node_modules", ".bin", o.program))
	}
	if err != nil {
		b.Fatal(err)
	}
	home, workspace := b.TempDir(), b.TempDir()
	if err := os.WriteFile(filepath.Join(workspace, "opencode.json"), []byte(o.settings), 0o600); err != nil && o.settings != "" {
		b.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(b.Context(), 2*time.Minute)
	b.Cleanup(cancel)
	c := exec.CommandContext(ctx, program, o.args...)
	c.Dir = workspace
	c.Env = append(o.env, "PATH="+os.Getenv("PATH"), "HOME="+home, "CODEX_HOME="+home, "CI=true", "NO_COLOR=1", "OPENAI_API_KEY=sk-test-1")
	return c
}

// peakOfTree returns the peak of memory of the largest of the process and those
// below it.
func peakOfTree(ctx context.Context, pid int) (peak int64) {
	for tick := time.Tick(5 * time.Millisecond); ; {
		for list := []int{pid}; len(list) > 0; list = list[1:] {
			peak = max(peak, peakMemory(list[0]))
			children, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", list[0]))
			for _, path := range children {
				text, _ := os.ReadFile(path)
				for child := range strings.FieldsSeq(string(text)) {
					if n, err := strconv.Atoi(child); err == nil {
						list = append(list, n)
					}
				}
			}
		}
		select {
		case <-ctx.Done():
			return peak
		case <-tick:
		}
	}
}
