//go:build linux

package main_test

import (
	"bufio"
	"bytes"
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
	"sync"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/testkit/testenv"
	"github.com/openagent-ci/openagent/internal/tool/mcp/testdata/testserver"
)

// The benchmarks start real processes: the agent alone, the agent under the
// harness, and as a yardstick the barest loop that does the same work, each
// with so many calls of execute_command. They report, besides ns/op:
//
//	first-ms      from the start to the first event
//	cpu-ms        user and system time of the process tree, without that of
//	              the commands it ran
//	cpu-ms/turn   the same by model turns, one more than calls
//	rss-MB        peak memory of the agent
func calls() []int { return []int{0, 1, 10, 50} }

// loopVariable tells the test binary, started again, to be the bare loop.
const loopVariable = "OPENAGENT_BENCH_LOOP"

func TestMain(m *testing.M) {
	testserver.Main()
	if address := os.Getenv(loopVariable); address != "" {
		if err := bareLoop(address); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if role, ok := roles[os.Getenv(roleVariable)]; ok {
		role()
		os.Exit(0)
	}
	testenv.Clean()
	testenv.Wait()
	os.Exit(m.Run())
}

func BenchmarkRun(b *testing.B) {
	for _, n := range calls() {
		b.Run(fmt.Sprintf("calls=%d", n), func(b *testing.B) {
			benchmark(b, n, func(script string) sample { return agentAlone(b, script, n) })
		})
	}
}

func BenchmarkHarness(b *testing.B) {
	for _, n := range calls() {
		b.Run(fmt.Sprintf("calls=%d", n), func(b *testing.B) {
			benchmark(b, n, func(script string) sample { return agentUnderHarness(b, script, n) })
		})
	}
}

// BenchmarkServed asks over a loopback socket, through both APIs. What the
// calls between two numbers of them cost is the cost of a step at that length.
func BenchmarkServed(b *testing.B) {
	for _, api := range []string{"chat", "responses"} {
		for _, n := range []int{0, 10, 60, 450, 500} {
			b.Run(fmt.Sprintf("%s/calls=%d", api, n), func(b *testing.B) {
				benchmark(b, n, func(script string) sample { return agentServed(b, script, api, n) })
			})
		}
	}
}

func BenchmarkBareLoop(b *testing.B) {
	for _, n := range calls() {
		b.Run(fmt.Sprintf("calls=%d", n), func(b *testing.B) {
			benchmark(b, n, func(script string) sample { return yardstick(b, script) })
		})
	}
}

// TestBenchmarks_Succeed runs what they measure once.
func TestBenchmarks_Succeed(t *testing.T) {
	const n = 2
	script := writeScript(t, n)
	for name, s := range map[string]sample{
		"agent alone":         agentAlone(t, script, n),
		"agent under harness": agentUnderHarness(t, script, n),
		"agent over a socket": agentServed(t, script, "responses", n),
		"bare loop":           yardstick(t, script),
	} {
		if s.cpu <= 0 {
			t.Errorf("%s: processor time is %s, want some", name, s.cpu)
		}
	}
}

// sample is what one run cost.
type sample struct {
	first, cpu time.Duration
	rss        int64 // bytes, 0 when unknown
}

// benchmark measures run over a script with n calls.
func benchmark(b *testing.B, n int, run func(script string) sample) {
	script := writeScript(b, n)
	commands := commandsAlone(b, n)
	var total sample
	b.ResetTimer()
	for range b.N {
		s := run(script)
		total.first += s.first
		total.cpu += s.cpu - commands
		total.rss = max(total.rss, s.rss)
	}
	b.StopTimer()
	cpu := milliseconds(total.cpu) / float64(b.N)
	b.ReportMetric(cpu, "cpu-ms")
	b.ReportMetric(cpu/float64(n+1), "cpu-ms/turn")
	if total.first > 0 {
		b.ReportMetric(milliseconds(total.first)/float64(b.N), "first-ms")
	}
	if total.rss > 0 {
		b.ReportMetric(float64(total.rss)/(1<<20), "rss-MB")
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func command(i int) string { return fmt.Sprintf("echo step %d", i) }

// writeScript writes a script of n calls and a closing text.
func writeScript(t testing.TB, n int) (path string) {
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, "- tool_calls: [{tool: execute_command, arguments: {command: %q}}]\n", command(i))
	}
	s.WriteString("- text: done\n")
	path = filepath.Join(t.TempDir(), "script.yaml")
	if err := os.WriteFile(path, []byte(s.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// commandsAlone returns the processor time of the n commands themselves.
func commandsAlone(t testing.TB, n int) (cpu time.Duration) {
	for i := range n {
		c := exec.Command("/bin/sh", "-c", command(i))
		if err := c.Run(); err != nil {
			t.Fatal(err)
		}
		cpu += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	return cpu
}

// binary builds the command once for all benchmarks, beside the test's own
// binary, which the go command removes with its folder.
var binary = sync.OnceValues(func() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	path := filepath.Join(filepath.Dir(self), "openagent")
	// The same settings as the test's own: nothing is compiled twice.
	args := append([]string{"build", "-o", path}, buildFlags...)
	build := exec.Command("go", append(args, ".")...)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// openagent returns the command with private folders and the flags that the
// benchmarks share.
func openagent(t testing.TB, script string, args ...string) *exec.Cmd {
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return start(t, path, append(args, "--script", script)...)
}

func start(t testing.TB, path string, args ...string) *exec.Cmd {
	args = append(args, "--workspace", t.TempDir(), "--state-dir", t.TempDir(), "--max-steps", "0", "run the commands")
	c := exec.Command(path, args...)
	c.Env = append(os.Environ(), "OPENAI_API_KEY=", "HOME="+t.TempDir(), "GITHUB_ACTIONS=", "RUNNER_TEMP=")
	return c
}

// agentAlone runs the agent on a script in its memory.
func agentAlone(t testing.TB, script string, n int) (s sample) {
	return follow(t, openagent(t, script, "run", "--output", "json"), n)
}

// agentServed runs the agent against openagent model serve.
func agentServed(t testing.TB, script, api string, n int) sample {
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	server := exec.Command(path, "model", "serve", "--script", script)
	said, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	}()
	address, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		t.Fatalf("openagent model serve: %v", err)
	}
	return follow(t, start(t, path, "run", "--output", "json", "--model", "m", "--api", api, "--base-url", strings.TrimSpace(address)), n)
}

// follow starts an agent and reads its stream as it comes.
func follow(t testing.TB, c *exec.Cmd, n int) (s sample) {
	var stderr bytes.Buffer
	c.Stderr = &stderr
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	started := time.Now()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var stream bytes.Buffer
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		if s.first == 0 {
			s.first = time.Since(started)
		}
		stream.Write(line)
		s.rss = max(s.rss, peakMemory(c.Process.Pid))
	}
	if err := c.Wait(); err != nil {
		t.Fatalf("openagent run: %v\n%s%s", err, stderr.Bytes(), stream.Bytes())
	}
	checkStream(t, stream.Bytes(), n)
	s.cpu = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	return s
}

// peakMemory reads the high-water mark of a process's memory. The resource
// usage that a wait returns is no use here: it counts the memory of the
// process that started this one, too.
func peakMemory(pid int) int64 { return memory(pid, "VmHWM:") }

// memory returns a figure in bytes that Linux has of a living process.
func memory(pid int, name string) int64 {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), name)
	kib, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, _ := strconv.ParseInt(kib, 10, 64)
	return n << 10
}

// agentUnderHarness runs the agent under the harness. The first event's time
// is the one it bears, as it is written to a file.
func agentUnderHarness(t testing.TB, script string, n int) (s sample) {
	out := filepath.Join(t.TempDir(), "evidence")
	c := openagent(t, script, "ci", "--out", out)
	start := time.Now()
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("openagent ci: %v\n%s", err, text)
	}
	stream, err := os.ReadFile(filepath.Join(out, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	s.first = checkStream(t, stream, n).Sub(start)
	s.cpu = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	return s
}

// checkStream fails unless the stream has n commands that went well and a good
// end. It returns the time of the first event.
func checkStream(t testing.TB, stream []byte, n int) (first time.Time) {
	t.Helper()
	ended, ran := false, 0
	dec := json.NewDecoder(bytes.NewReader(stream))
	for {
		var e struct {
			Type string    `json:"type"`
			Time time.Time `json:"ts"`
			Data struct {
				OK bool `json:"ok"`
			} `json:"data"`
		}
		if err := dec.Decode(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("stream: %v\n%s", err, stream)
		}
		if first.IsZero() {
			first = e.Time
		}
		ended = e.Type == "run_finished" && e.Data.OK
		if e.Type == "tool_exec_finished" && e.Data.OK {
			ran++
		}
	}
	if !ended || ran != n {
		t.Fatalf("stream has %d good commands, good end %t, want %d, true\n%s", ran, ended, n, stream)
	}
	return first
}

// yardstick serves the script on loopback and lets the bare loop use it, with
// further variables.
func yardstick(t testing.TB, script string, env ...string) sample {
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	model, err := transport.LoadScript(script, text)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(model)
	defer server.Close()
	c := exec.Command(os.Args[0])
	c.Env = append(append(os.Environ(), loopVariable+"="+server.URL), env...)
	if text, err := c.CombinedOutput(); err != nil || string(text) != "done\n" {
		t.Fatalf("bare loop: %v\n%s", err, text)
	}
	return sample{cpu: c.ProcessState.UserTime() + c.ProcessState.SystemTime()}
}

// bareLoop asks for replies, runs the commands they hold and prints the text
// that comes without one. It checks and bounds nothing, and records what it was told to.
func bareLoop(address string) error {
	files, err := openSaved()
	if err != nil {
		return err
	}
	messages := []map[string]any{{"role": "user", "content": "run the commands"}}
	tools := []any{map[string]any{"type": "function", "function": map[string]any{"name": "execute_command"}}}
	for {
		body, err := json.Marshal(map[string]any{"model": "m", "stream": true, "messages": messages, "tools": tools})
		if err != nil {
			return err
		}
		resp, err := http.Post(address+"/v1/chat/completions", "application/json", bytes.NewReader(body))
		if err != nil {
			return err
		}
		text, arguments, err := readReply(resp.Body)
		if err != nil {
			return err
		}
		if arguments == "" {
			fmt.Println(text)
			return nil
		}
		var call struct{ Command string }
		if err := json.Unmarshal([]byte(arguments), &call); err != nil {
			return err
		}
		out, err := exec.Command("/bin/sh", "-c", call.Command).CombinedOutput()
		if err := errors.Join(err, save(files, out)); err != nil {
			return err
		}
		messages = append(messages,
			map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{
				"id": "c", "type": "function",
				"function": map[string]any{"name": "execute_command", "arguments": arguments},
			}}},
			map[string]any{"role": "tool", "tool_call_id": "c", "content": string(out)})
	}
}

// readReply returns the text and the arguments of the one call of a stream.
func readReply(body io.ReadCloser) (text, arguments string, err error) {
	defer body.Close()
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var chunk struct {
			Choices []struct {
				Delta struct {
					Content   string
					ToolCalls []struct{ Function struct{ Arguments string } } `json:"tool_calls"`
				}
			}
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			return "", "", err
		}
		for _, c := range chunk.Choices {
			text += c.Delta.Content
			for _, call := range c.Delta.ToolCalls {
				arguments += call.Function.Arguments
			}
		}
	}
	return text, arguments, lines.Err()
}
