package main_test

import (
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/openagent-ci/openagent/internal/model/transport"
)

// witnessedCodex is a codex that has the program ask the model, runs its call and prints
// nothing of it.
const witnessedCodex = `#!/bin/sh
if [ "$1" = --version ]; then echo "codex-cli 0.171.0"; exit 0; fi
base=$(sed -n 's/^base_url = "\(.*\)"$/\1/p' "$CODEX_HOME/config.toml")
OPENAI_API_KEY=$CODEX_API_KEY "$PROGRAM" run --model any --base-url "$base" --api responses --retry attempts=1 --sandbox off --state-dir "$HOME/state" "$(cat)" >/dev/null
echo '{"type":"thread.started","thread_id":"01a1fa9c-ca5b-7953-8717-c67c99a8d075"}'
echo '{"type":"turn.started"}'
echo '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Done."}}'
echo '{"type":"turn.completed"}'
`

// The endpoint may have a certificate of a private authority, and be behind the proxy that
// the environment names: the agent asks the harness past that proxy, and the harness asks
// the endpoint by it.
func TestWitness_ProxyAndPrivateAuthority(t *testing.T) {
	model, err := transport.LoadScript("script", []byte("- {tool_calls: [{tool: execute_command, arguments: {command: echo one}}]}\n- text: Done.\n"))
	if err != nil {
		t.Fatal(err)
	}
	endpoint := httptest.NewTLSServer(model)
	defer endpoint.Close()
	var tunnels atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method != http.MethodConnect || req.Host != "example.com:443" {
			t.Errorf("the proxy is asked for %s %s", req.Method, req.Host)
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		tunnels.Add(1)
		to, err := net.Dial("tcp", endpoint.Listener.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		defer to.Close()
		from, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer from.Close()
		_, _ = io.WriteString(from, "HTTP/1.1 200 OK\r\n\r\n")
		go func() {
			_, _ = io.Copy(to, from)
			to.Close()
		}()
		_, _ = io.Copy(from, to)
	}))
	defer proxy.Close()

	l := harnessed(t, "--agent=codex", "--witness", "--base-url=https://example.com/v1", "--model=m", "Do it.")
	program, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: endpoint.Certificate().Raw})
	for name, text := range map[string]string{"codex": witnessedCodex, "ca.pem": string(authority)} {
		if err := os.WriteFile(l.path(name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	l.cmd.Env = append(l.cmd.Env, "OPENAGENT_MAX_STEPS=", "HTTPS_PROXY="+proxy.URL, "HTTP_PROXY="+proxy.URL, "SSL_CERT_FILE="+l.path("ca.pem"),
		"CODEX_API_KEY="+agentKey, "PROGRAM="+program, "PATH="+l.dir+":"+os.Getenv("PATH"))
	if err := l.cmd.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, &l.stdout, &l.stderr)
	}
	w := l.manifest(t).Witness
	if w == nil || !w.Complete || w.Requests != 2 {
		t.Errorf("witness is %+v, want it complete with 2 requests\n%s", w, &l.stderr)
	}
	if got := l.stdout.String(); !strings.Contains(got, "agent/hidden-call 1") || tunnels.Load() == 0 {
		t.Errorf("%d tunnels, want some, and the hidden call:\n%s", tunnels.Load(), got)
	}
}
