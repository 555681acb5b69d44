package projection

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/schema"
)

// MCP servers are told of, and shown of a saved stream, as they were; of a log only
// those that are described whole.
func TestServers_ThereAndBack(t *testing.T) {
	start := event.RunStart{MCPServers: []event.MCPServer{{Name: "a", Tools: 2, Status: "connected"}, {Name: "b", Status: "failed"}}}
	started, ok := published(start).(*schema.RunStarted)
	if !ok || !cmp.Equal([]schema.MCPServer{{Name: "a", Tools: 2, Status: "connected"}, {Name: "b", Status: "failed"}}, started.MCPServers) {
		t.Fatalf("published(...) = %+v, want the servers", started)
	}
	if back := internal(schema.TypeRunStarted, started).(event.RunStart); !cmp.Equal(start.MCPServers, back.MCPServers) {
		t.Errorf("internal(...) = %+v, want %+v", back.MCPServers, start.MCPServers)
	}
	if none := published(event.RunStart{}).(*schema.RunStarted); none.MCPServers != nil {
		t.Errorf("published(no servers) = %+v, want none", none.MCPServers)
	}
	for raw, want := range map[string]bool{
		`{"name":"a","tools":2,"status":"connected"}`: true, `{"name":"a","tools":"2","status":"connected"}`: false, `{"name":"a"}`: false,
	} {
		var o object
		if err := json.Unmarshal([]byte(raw), &o); err != nil {
			t.Fatal(err)
		}
		if got := mcpServer(o) != nil; got != want {
			t.Errorf("mcpServer(%s) is one: %v, want %v", raw, got, want)
		}
	}
}
