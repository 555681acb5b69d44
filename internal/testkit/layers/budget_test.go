package layers

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// TestBudgets counts the lines of code and of tests. The numbers of budget.json are
// ratchets: they are lowered with the code. A commit that raises them for a feature says
// so in docs/performance.md.
// Generated files count as nothing, packages for tests as tests.
func TestBudgets(t *testing.T) {
	text, err := os.ReadFile("budget.json")
	if err != nil {
		t.Fatal(err)
	}
	var most struct{ Code, Tests, Room int }
	if err := json.Unmarshal(text, &most); err != nil || most.Room == 0 {
		t.Fatalf("budget.json: %v, %+v", err, most)
	}
	var code, tests int
	rooms := map[string]int{}
	files(t, func(rel string, src []byte) {
		n := bytes.Count(src, []byte("\n"))
		switch {
		case bytes.HasPrefix(src, []byte("// Code generated ")):
		case strings.HasSuffix(rel, "_test.go") || roomOf(path.Dir(rel)) == "testkit":
			tests += n
		default:
			code += n
			rooms[roomOf(path.Dir(rel))] += n
		}
	})
	for _, room := range slices.Sorted(maps.Keys(rooms)) {
		t.Logf("%6d %s", rooms[room], room)
		if rooms[room] > most.Room {
			t.Errorf("room %s has %d lines, want at most %d", room, rooms[room], most.Room)
		}
	}
	t.Logf("%d lines of code, %d of tests", code, tests)
	if code > most.Code || code < most.Code/2 {
		t.Errorf("%d lines of code, want at most %d", code, most.Code)
	}
	if tests > most.Tests || tests < most.Tests/2 {
		t.Errorf("%d lines of tests, want at most %d", tests, most.Tests)
	}
}
