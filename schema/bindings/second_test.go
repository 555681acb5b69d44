package bindings_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/schema/bindings"
)

// readTypes prints the type of the data of each line, or that it is refused.
const readTypes = `package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var e Event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Println("refused")
			continue
		}
		fmt.Printf("%T\n", e.Data)
	}
}
`

// The types of a second version, which is of tests alone, know its own events and
// refuse lines of the first one.
func TestGoTypes_SecondVersion(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles a program")
	}
	text, err := os.ReadFile("../testdata/openagent.run_event.v2.r1.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	types, err := bindings.TypesSchema(text)
	if err != nil {
		t.Fatal(err)
	}
	source, err := bindings.GoTypes(types, "main")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module second\n\ngo 1.26\n", "types.go": string(source), "main.go": readTypes} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const line = `{"schema_version":"openagent.run_event.v2","sequence":2,"ts":"2026-03-03T20:11:12Z","run_id":"r1","step":1,"type":"approval_requested","data":{"tool_call_id":"c1","question":"?"}}`
	cmd := exec.Command("go", "run", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	cmd.Stdin = strings.NewReader(line + "\n" + strings.Replace(line, `"question"`, `"answer"`, 1) + "\n" + strings.Replace(line, "event.v2", "event.v1", 1) + "\n")
	out, err := cmd.CombinedOutput()
	if diff := cmp.Diff("*main.ApprovalRequested\nrefused\nrefused\n", string(out)); err != nil || diff != "" {
		t.Errorf("types of the second version: %v (-want +got):\n%s", err, diff)
	}
}
