package transport

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestInPieces reads long scripts with and without pieces: what is read in pieces is
// what the whole is, and whatever has to be read whole is.
func TestInPieces(t *testing.T) {
	many := func(item string) string { return strings.Repeat(item, 2*pieceSize/len(item)) }
	plain := many("- text: a\n")
	tests := []struct {
		name, script string
		pieces       bool
	}{
		{"texts", plain, true},
		{"calls", "# calls\n" + many("- tool_calls: [{tool: f, arguments: {a: [1, x]}}]\n"), true},
		{"texts over lines", many("- text: |+\n\n    - a\n\n\n- text: 'b\n\n    - c'\n- tool_calls:\n  - tool: f\n"), true},
		{"no end of line", plain + "- fault: {status: 429}\n  expect: {role: tool}", true},
		{"text in quotes at the margin", many("- text: 'b\n- text: c\n\n'\n"), false},
		{"list in brackets at the margin", many("- text: a\n  expect: {a: [\n- b]}\n"), false},
		{"documents", "- text: " + strings.Repeat("a", pieceSize) + "\n...\n" + plain, false},
		{"indented first", "  - text: " + strings.Repeat("a", pieceSize) + "\n" + plain, false},
		{"mapping", "turns:\n" + plain, false},
		{"anchor", "- &a {text: a}\n" + plain + "- *a\n", false},
		{"broken", plain + "- text: [\n", false},
		{"no turn", plain + "- txt: a\n", false},
		{"JSON", "[" + many("{\"text\": \"a\"},\n") + "{\"text\": \"- \"}]", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			whole := &Script{}
			root, err := parse([]byte(tt.script))
			if err == nil {
				err = whole.read(root)
			}
			got, ok := inPieces([]byte(tt.script))
			if ok != tt.pieces {
				t.Fatalf("inPieces reports %t, want %t", ok, tt.pieces)
			}
			if ok && (err != nil || !reflect.DeepEqual(got, whole.turns)) {
				t.Errorf("inPieces returns other turns than the whole has, which is read with error %v", err)
			}
			s, loadErr := LoadScript("s.yaml", []byte(tt.script))
			if (err == nil) != (loadErr == nil) || err == nil && !reflect.DeepEqual(s.turns, whole.turns) {
				t.Errorf("LoadScript error is %v, want what the whole has: %v", loadErr, err)
			}
		})
	}
}

func TestLoadScript_LateError(t *testing.T) {
	n := 2 * pieceSize / len("- text: a\n")
	_, err := LoadScript("s.yaml", []byte(strings.Repeat("- text: a\n", n)+"- txt: a\n"))
	want := fmt.Sprintf("s.yaml:%d: turn %d: unknown key \"txt\"", n+1, n+1)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("LoadScript error is %v, want %q in it", err, want)
	}
}
