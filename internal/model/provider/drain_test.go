package provider_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/openagent-ci/openagent/internal/model/provider"
	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// What an endpoint writes beside an error status is read as far as it
// is short, and the connection then serves the next attempt; a long text is not
// worth it.
func TestNetwork_ErrorsKeepTheConnection(t *testing.T) {
	for name, tt := range map[string]struct {
		body   string
		reused bool
	}{
		"none": {"", true}, "short": {`{"error":{"message":"overloaded"}}`, true}, "long": {strings.Repeat("x", 1<<20), false},
	} {
		var conns atomic.Int32
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = w.Write([]byte(tt.body))
		}))
		server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
			if s == http.StateNew {
				conns.Add(1)
			}
		}
		server.Start()
		_, err := provider.New(provider.Config{BaseURL: server.URL, Model: "m", Attempts: 3, HTTP: transport.Network(transport.Options{})}).Complete(t.Context(), user("hi"))
		server.Close()
		if f := failureOf(t, err); f.Kind != chat.FailServer || f.Status != http.StatusInternalServerError {
			t.Errorf("%s: failure is %v, want kind server", name, f)
		}
		if n := conns.Load(); (n < 3) != tt.reused {
			t.Errorf("%s: three attempts took %d connections, want fewer: %v", name, n, tt.reused)
		}
	}
}
