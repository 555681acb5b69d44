package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/openagent-ci/openagent/internal/tool/mcp/testdata/testserver"
)

// maxFirstOver is how much later the first event of a run with one MCP server may come
// than without, beyond the server's own start.
const maxFirstOver = 30 * time.Millisecond

// BenchmarkMCP_FirstEvent starts a run without a server, one with a server, and that
// server with a bare client, in turns.
func BenchmarkMCP_FirstEvent(b *testing.B) {
	builtBinary(b)
	path, words, err := testserver.Command("good")
	if err != nil {
		b.Fatal(err)
	}
	script := writeScript(b, 0)
	config := strings.TrimSuffix(script, "script.yaml") + "mcp.json"
	if err := os.WriteFile(config, fmt.Appendf(nil, `{"mcpServers":{"t":{"command":%q,"args":[%q,%q]}}}`, path, words[0], words[1]), 0o600); err != nil {
		b.Fatal(err)
	}
	var without, with, bare []time.Duration
	for b.Loop() {
		without = append(without, follow(b, openagent(b, script, "run", "--sandbox=off", "--output", "json"), 0).first)
		with = append(with, follow(b, openagent(b, script, "run", "--sandbox=off", "--output", "json", "--mcp-config", config), 0).first)
		began := time.Now()
		session, err := mcp.NewClient(&mcp.Implementation{Name: "bare"}, nil).Connect(b.Context(), &mcp.CommandTransport{Command: exec.Command(path, words...)}, nil)
		if err == nil {
			_, err = session.ListTools(b.Context(), nil)
		}
		if err != nil {
			b.Fatal(err)
		}
		bare = append(bare, time.Since(began))
		_ = session.Close()
	}
	// What the machine does besides only adds, to three starts of processes: the tenth part
	// of the times that is least disturbed counts.
	quick := func(all []time.Duration) time.Duration {
		slices.Sort(all)
		return all[len(all)/10]
	}
	over := quick(with) - quick(without) - quick(bare)
	b.ReportMetric(milliseconds(quick(without)), "without-ms")
	b.ReportMetric(milliseconds(quick(with)), "with-ms")
	b.ReportMetric(milliseconds(quick(bare)), "server-ms")
	b.ReportMetric(milliseconds(over), "over-ms")
	if len(bare) >= 50 && over > maxFirstOver {
		b.Errorf("the first event comes %v later, beyond the start of the server, want at most %v", over, maxFirstOver)
	}
}
