package cassette

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/openagent-ci/openagent/internal/model/transport"
)

// What a recorder in front of an endpoint adds to the way of one piece of an answer:
// the difference of the two.
func BenchmarkRecord_Piece(b *testing.B) {
	const piece = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word\"}}]}\n\n"
	seen := make(chan bool)
	n := 0
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaEvents)
		for range n {
			_, _ = io.WriteString(w, piece)
			_ = http.NewResponseController(w).Flush()
			<-seen
		}
	}))
	defer endpoint.Close()
	at, err := url.Parse(endpoint.URL)
	if err != nil {
		b.Fatal(err)
	}
	r, _ := recorder(b)
	recording := httptest.NewServer(transport.Relay(at, r.Tape(transport.Upstream()), nil))
	defer recording.Close()
	for name, address := range map[string]string{"direct": endpoint.URL, "recorded": recording.URL} {
		b.Run(name, func(b *testing.B) {
			n = b.N
			resp, err := http.Post(address+"/v1/chat/completions", "application/json", nil)
			if err != nil {
				b.Fatal(err)
			}
			defer resp.Body.Close()
			buf := make([]byte, len(piece))
			for range b.N {
				if _, err := io.ReadFull(resp.Body, buf); err != nil {
					b.Fatal(err)
				}
				seen <- true
			}
			if rest, err := io.ReadAll(resp.Body); len(rest) > 0 || err != nil {
				b.Fatalf("%q, %v", rest, err)
			}
		})
	}
}
