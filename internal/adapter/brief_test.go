package adapter_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/schema"
)

// mapping is lines of a source and what has to become of them.
type mapping struct {
	name   string
	source []string
	end    emit.End
	class  emit.Class
	want   []string // the events behind run_started, as brief has them
}

// testMappings converts each of the sources behind the line that begins the
// agent's stream.
func testMappings(t *testing.T, agent, first string, list []mapping) {
	t.Helper()
	for _, m := range list {
		t.Run(m.name, func(t *testing.T) {
			got := convert(t, agent, strings.Join(append([]string{first}, m.source...), "\n")+"\n", m.end)
			var events []string
			for _, e := range got.events[1:] {
				events = append(events, brief(t, e))
			}
			if diff := cmp.Diff(m.want, events); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if got.Class != m.class {
				t.Errorf("class: got %s, want %s", got.Class, m.class)
			}
		})
	}
}

// brief is an event in a line: its step, its type, and the members of its payload
// that say something, in the order of their names.
func brief(t *testing.T, e schema.Event) string {
	t.Helper()
	text, err := json.Marshal(e.Data)
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		t.Fatal(err)
	}
	line := fmt.Sprintf("%d %s", e.Step, e.Type)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		value := string(members[name])
		if value == "null" || value == `""` || name == "truncated" && value == "false" || name == "step_index" || name == "source" && value[0] == '{' {
			continue
		}
		line += " " + name + "=" + value
	}
	return line
}

// saying returns a detected call before which the model said a text.
func saying(called, text string) string {
	return strings.Replace(called, ` tool="`, fmt.Sprintf(` text_bytes=%d text_preview=%q tool="`, len(text), text), 1)
}
