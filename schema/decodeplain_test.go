package schema

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// goldenLines returns every line of the golden streams.
func goldenLines(t testing.TB) (lines [][]byte) {
	t.Helper()
	for _, pattern := range []string{"valid", "invalid"} {
		paths, err := filepath.Glob(filepath.Join("..", "golden", pattern, "*.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for line := range bytes.Lines(text) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// comparePlain compares what both ways to decode a line return, where the short
// one takes it.
func comparePlain(t *testing.T, line []byte) (short bool) {
	t.Helper()
	got, short := decodePlain(line)
	if !short {
		return false
	}
	want, err := decodeAny(line)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("decodePlain and decodeAny differ on %s\nerror %v (-any +plain):\n%s", line, err, cmp.Diff(want, got))
	}
	return true
}

// The short way must take nearly all lines, or it is none.
func TestDecode_ShortWay(t *testing.T) {
	lines := goldenLines(t)
	short := 0
	for _, line := range lines {
		if comparePlain(t, line) {
			short++
		}
	}
	if len(lines) < 500 || short < len(lines)*3/4 {
		t.Errorf("the short way took %d of %d lines, want most of at least 500", short, len(lines))
	}
}

// Whatever a line is changed to, both ways agree.
func FuzzDecode(f *testing.F) {
	for _, line := range goldenLines(f) {
		f.Add(line)
	}
	for _, data := range []string{
		`{"ok":null}`, `{"ok":true,"ok":false}`, `{"OK":true}`, `{"x_a":{"B":1}}`, `{"step_index":1e2}`, `{"step_index":-0}`,
		`{"step_id":"\ud800"}`, "{\"step_id\":\"\xff\"}", `{"allowed_tools":null}`, `{"truncated_fields":[{"field":"a","original_bytes":1}]}`,
		`{"step_\u0069d":"x"}`, `null`, `[]`,
	} {
		for _, kind := range Types() {
			f.Add([]byte(`{"schema_version":"v","sequence":1,"ts":"t","run_id":"r","step":2,"type":"` + string(kind) + `","data":` + data + `}`))
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) { comparePlain(t, line) })
}

// BenchmarkDecode decodes every golden line, by Decode and the long way.
func BenchmarkDecode(b *testing.B) {
	lines := goldenLines(b)
	for name, decode := range map[string]func([]byte) (Event, error){"plain": Decode, "any": decodeAny} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				_, _ = decode(lines[i%len(lines)])
			}
		})
	}
}
