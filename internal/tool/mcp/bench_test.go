package mcp

import (
	"encoding/json"
	"os/exec"
	"slices"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/mcp/testdata/testserver"
	"github.com/openagent-ci/openagent/internal/tool/result"
)

// maxOver is what a call may take more than a bare client's.
const maxOver = time.Millisecond

// BenchmarkCall calls a tool, from the arguments to the text for the model, and by a
// bare client of the SDK, in turns.
func BenchmarkCall(b *testing.B) {
	path, args, err := testserver.Command("good")
	if err != nil {
		b.Fatal(err)
	}
	s, err := Start(b.Context(), Options{Config: Config{Servers: []Server{{Name: "good", Command: path, Args: args}}}, Root: b.TempDir(), Timeout: time.Minute})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	echo, _ := tool.NewRegistry(s.Tools(result.Options{})...).Lookup("mcp__good__echo")
	bare, err := sdk.NewClient(&sdk.Implementation{Name: "bare"}, nil).Connect(b.Context(), &sdk.CommandTransport{Command: exec.Command(path, args...)}, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer bare.Close()
	var ours, theirs []time.Duration
	for b.Loop() {
		began := time.Now()
		prepared, refused := echo.Prepare(json.RawMessage(`{"text":"hello"}`))
		if refused != nil {
			b.Fatal(refused.Message)
		}
		toolResult := result.Project(echo, prepared.Run(b.Context(), tool.Call{}))
		if text := result.Render(echo, toolResult); text != "hello" {
			b.Fatal(text)
		}
		ours = append(ours, time.Since(began))
		began = time.Now()
		if _, err := bare.CallTool(b.Context(), &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "hello"}}); err != nil {
			b.Fatal(err)
		}
		theirs = append(theirs, time.Since(began))
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	over := ours[len(ours)/2] - theirs[len(theirs)/2]
	b.ReportMetric(float64(ours[len(ours)/2].Microseconds()), "ours-µs")
	b.ReportMetric(float64(theirs[len(theirs)/2].Microseconds()), "bare-µs")
	b.ReportMetric(float64(over.Microseconds()), "over-µs")
	if over > maxOver {
		b.Errorf("a call takes %v more than a bare client's, want at most %v", over, maxOver)
	}
}
