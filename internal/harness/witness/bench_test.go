package witness

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/model/transport"
)

// BenchmarkWitness asks an endpoint on this machine directly and through the proxy of a
// witness, with a conversation of 200 KiB and a reply of 200 pieces. It reports the added
// time per request, at the median and the 99th percentile, and the memory that the witness
// keeps for each request.
func BenchmarkWitness(b *testing.B) {
	var reply strings.Builder
	for range 200 {
		reply.WriteString(`data: {"choices":[{"delta":{"content":"some words of an answer"}}]}` + "\n\n")
	}
	reply.WriteString(`data: {"choices":[{"delta":{"tool_calls":[{"id":"c%d","function":{"name":"run","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}` + "\n\n")
	n := 0
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		n++
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, reply.String(), n)
	}))
	defer endpoint.Close()
	upstream, err := url.Parse(endpoint.URL)
	if err != nil {
		b.Fatal(err)
	}
	w := New(Budget{})
	proxy, stop, err := transport.Listen(b.Context(), w.Handler(transport.Relay(upstream, transport.Upstream(), nil)))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = stop() }()
	var body bytes.Buffer
	body.WriteString(`{"model":"m","tools":[{"function":{"name":"run"}}],"messages":[{"role":"user","content":"hi"}`)
	for i := range 200 {
		fmt.Fprintf(&body, `,{"role":"assistant","tool_calls":[{"id":"c%d"}]},{"role":"tool","tool_call_id":"c%d","content":%q}`, i, i, strings.Repeat("x", 1000))
	}
	body.WriteString(`]}`)
	ask := func(origin string) time.Duration {
		begun := time.Now()
		resp, err := http.Post(origin+"/v1/chat/completions", "application/json", bytes.NewReader(body.Bytes()))
		if err != nil {
			b.Fatal(err)
		}
		_, err = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if err != nil {
			b.Fatal(err)
		}
		return time.Since(begun)
	}
	ask(endpoint.URL)
	ask(proxy)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var direct, through []time.Duration
	for b.Loop() {
		direct = append(direct, ask(endpoint.URL))
		through = append(through, ask(proxy))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	slices.Sort(direct)
	slices.Sort(through)
	at := func(list []time.Duration, part int) float64 {
		return float64(list[(len(list)-1)*part/100].Microseconds())
	}
	b.ReportMetric(at(through, 50)-at(direct, 50), "p50-added-us")
	b.ReportMetric(at(through, 99)-at(direct, 99), "p99-added-us")
	b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/float64(len(direct)), "kept-B/request")
	runtime.KeepAlive(w)
}
