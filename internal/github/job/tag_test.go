package job

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/schema"
)

// releaseVariable names a folder with a release, as .github/release/rehearse.sh leaves
// it: its files in assets, and the checkout of its tag in "second clone".
const releaseVariable = "OPENAGENT_TEST_RELEASE"

// tagJob uses the action by the tag of its major version, and keeps when it was started
// and what came of it.
const tagJob = `on: push
permissions:
  contents: read
jobs:
  used:
    runs-on: ubuntu-latest
    timeout-minutes: 10
    steps:
      - run: date +%s%N >"$STORE/before"
      - id: agent
        uses: openagent-ci/openagent@v1
        with:
          script: demo
      - if: always()
        env:
          OUTPUTS: ${{ toJSON(steps.agent.outputs) }}
          OUTCOME: ${{ steps.agent.outcome }}
          EVENTS: ${{ steps.agent.outputs.evidence-dir }}/events.jsonl
        run: |
          printf '%s' "$OUTPUTS" >"$STORE/used.json"
          echo "$OUTCOME" >"$STORE/used.outcome"
          [ -z "$EVENTS" ] || cp "$EVENTS" "$STORE/events.jsonl"
`

// githubAt is a server on this machine that curl takes for github.com, by a .curlrc in
// a home: it serves the files of releases from a folder, as they are or with one byte
// changed.
type githubAt struct {
	home     string
	tampered atomic.Bool
	asked    atomic.Int32
}

func newGithub(t *testing.T, home, tag, assets string) *githubAt {
	t.Helper()
	g := &githubAt{home: home}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := strings.CutPrefix(r.URL.Path, "/openagent-ci/openagent/releases/download/"+tag+"/")
		data, err := os.ReadFile(filepath.Join(assets, filepath.Base(name)))
		if !ok || err != nil {
			http.NotFound(w, r)
			return
		}
		g.asked.Add(1)
		if g.tampered.Load() {
			data[len(data)/2] ^= 1
		}
		_, _ = w.Write(data)
	}))
	certificate, authority := certificateOf(t, "github.com")
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	server.StartTLS()
	t.Cleanup(server.Close)
	ca := filepath.Join(home, "ca.pem")
	write(t, ca, authority, 0o644)
	_, port, _ := strings.Cut(server.Listener.Addr().String(), ":")
	write(t, filepath.Join(home, ".curlrc"), fmt.Sprintf("connect-to = \"github.com:443:127.0.0.1:%s\"\ncacert = %q\n", port, ca), 0o644)
	return g
}

// certificateOf returns a certificate for a name, which is its own authority.
func certificateOf(t *testing.T, name string) (certificate tls.Certificate, authority string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// A job that names the action by v1 runs the program of the release, from the address
// that it has in earnest; one with another byte is refused before it runs.
func TestRelease_UsedByItsTag(t *testing.T) {
	folder, act := os.Getenv(releaseVariable), os.Getenv(actVariable)
	if folder == "" || act == "" {
		t.Skip(releaseVariable + " names no rehearsed release; .ci/run long release makes one and sets it")
	}
	tagged := filepath.Join(folder, "second clone")
	tag := inGit(t, tagged, "describe", "--exact-match", "--match", "v*.*.*")
	dir := t.TempDir()
	repo := filepath.Join(dir, "repo")
	write(t, filepath.Join(repo, ".github", "workflows", "use.yml"), tagJob, 0o644)
	commit(t, repo)
	inGit(t, repo, "remote", "add", "origin", "https://github.com/"+jobRepository)
	github := newGithub(t, dir, tag, filepath.Join(folder, "assets"))
	use := func(name string) played {
		store := filepath.Join(dir, name)
		if err := os.Mkdir(store, 0o755); err != nil {
			t.Fatal(err)
		}
		args := append(offline(t, filepath.Join(dir, "of-"+name)), "--local-repository", "openagent-ci/openagent@v1="+tagged, "--env", "STORE="+store, "push")
		log, _ := runAct(t, act, dir, repo, os.Getenv("PATH"), args)
		return played{store: store, log: log}
	}

	p := use("good")
	if got := p.outputs(t, "used"); got["verdict"] != "success" || github.asked.Load() != 1 {
		t.Fatalf("outputs %v after %d downloads, want a success after one; the log:\n%s", got, github.asked.Load(), p.log)
	}
	first, _, _ := strings.Cut(p.read(t, "events.jsonl"), "\n")
	event, err := schema.Decode([]byte(first))
	if err != nil {
		t.Fatalf("the first event: %v", err)
	}
	before, err := strconv.ParseInt(strings.TrimSpace(p.read(t, "before")), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(first, tag) {
		t.Errorf("the first event is %s, want it of the version %s", first, tag)
	}
	started, err := time.Parse(time.RFC3339Nano, event.TS)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("from the step's start to the agent's first event: %v", started.Sub(time.Unix(0, before)))

	installs(t, github.home, tag)

	github.tampered.Store(true)
	p = use("tampered")
	if got := p.outputs(t, "used"); got["verdict"] != "" || strings.TrimSpace(p.read(t, "used.outcome")) != "failure" ||
		!strings.Contains(p.log, "has the SHA-256") || !strings.Contains(p.log, "nothing is installed") {
		t.Errorf("outputs %v with a tampered program, want it refused by its SHA-256; the log:\n%s", got, p.log)
	}
}

// installs runs the lines of the documentation that install the release, in a home that
// has nothing but what leads curl to this machine.
func installs(t *testing.T, home, tag string) {
	t.Helper()
	_, text, _ := strings.Cut(readRoot(t, "docs/recipes.md"), "```sh\nrelease=")
	lines, _, ok := strings.Cut(text, "```\n")
	if !ok || !strings.Contains(lines, "v1.2.3") {
		t.Fatal("docs/recipes.md does not tell how a release is installed")
	}
	script := "set -e\nrelease=" + strings.ReplaceAll(lines, "v1.2.3", tag) + "~/.local/bin/openagent --version\n"
	cmd := exec.Command("bash", "-c", script)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.HasSuffix(string(out), "OK\nopenagent "+tag+"\n") {
		t.Errorf("the lines of docs/recipes.md: %v\n%s", err, out)
	}
}
