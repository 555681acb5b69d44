package main_test

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	// chunkInterval is the time between two chunks of a reply, chunkCount how many it has.
	chunkInterval = 5 * time.Millisecond
	chunkCount    = 200
)

// BenchmarkModelRecord_Delay reads replies whose chunks come one by one, in turns
// from the endpoint itself and through model record, and reports the time from the
// sending of a chunk to its arrival: the middle one and that of 99 of 100, direct
// and recorded.
func BenchmarkModelRecord_Delay(b *testing.B) {
	upstream := httptest.NewServer(http.HandlerFunc(sendChunks))
	defer upstream.Close()
	recorder := startRecorder(b, upstream.URL+"/v1")
	urls := []string{upstream.URL + "/v1/chat/completions", recorder + "/chat/completions"}
	delays := make([][]time.Duration, len(urls))
	for _, url := range urls { // connections are made
		chunkDelays(b, url)
	}
	b.ResetTimer()
	for range b.N {
		for i, url := range urls {
			delays[i] = append(delays[i], chunkDelays(b, url)...)
		}
	}
	b.StopTimer()
	for i, name := range []string{"direct", "recorded"} {
		slices.Sort(delays[i])
		for _, percent := range []int{50, 99} {
			at := delays[i][len(delays[i])*percent/100]
			b.ReportMetric(float64(at)/float64(time.Microsecond), fmt.Sprintf("p%d-us-%s", percent, name))
		}
	}
}

// sendChunks answers with chunks whose text is the time of their sending.
func sendChunks(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	for range chunkCount {
		time.Sleep(chunkInterval)
		fmt.Fprintf(w, "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%d\"}}]}\n\n", time.Now().UnixNano())
		w.(http.Flusher).Flush()
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// startRecorder starts model record with a command that prints its endpoint and
// waits for the end of its input, which closes with the benchmark.
func startRecorder(b *testing.B, upstream string) (url string) {
	path, err := binary()
	if err != nil {
		b.Fatal(err)
	}
	c := exec.Command(path, "model", "record", "--upstream", upstream, "--cassette", filepath.Join(b.TempDir(), "cassette.jsonl"),
		"--", "sh", "-c", `echo "$OPENAI_BASE_URL"; cat`)
	input, err := c.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = input.Close()
		if err := c.Wait(); err != nil {
			b.Errorf("openagent model record: %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatalf("the command printed no address: %v", err)
	}
	return strings.TrimSpace(line)
}

// chunkDelays asks once, and returns how long each chunk of the answer was on its
// way.
func chunkDelays(b *testing.B, url string) (delays []time.Duration) {
	request := `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`
	resp, err := http.Post(url, "application/json", strings.NewReader(request))
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		_, rest, _ := strings.Cut(lines.Text(), `"content":"`)
		digits, _, found := strings.Cut(rest, `"`)
		if !found {
			continue
		}
		sent, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		delays = append(delays, time.Since(time.Unix(0, sent)))
	}
	if len(delays) != chunkCount {
		b.Fatalf("%s: %d chunks came, want %d", url, len(delays), chunkCount)
	}
	return delays
}
