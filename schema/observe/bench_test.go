package observe

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkRead reads the streams of other agents, converted and as they were.
func BenchmarkRead(b *testing.B) {
	for _, c := range []struct {
		name, files string
		native      bool
	}{{"contract", "*/n1.golden.jsonl", false}, {"native", "*/n1.jsonl", true}} {
		names, err := filepath.Glob(filepath.Join("..", "..", "internal", "adapter", "testdata", c.files))
		if err != nil || len(names) == 0 {
			b.Fatalf("no streams: %v", err)
		}
		var all []byte
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				b.Fatal(err)
			}
			all = append(all, text...)
		}
		all = bytes.Repeat(all, 1+4<<20/len(all))
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(all)))
			b.ReportAllocs()
			for b.Loop() {
				var o Observer
				if err := o.Read(b.Context(), bytes.NewReader(all), Source{File: "all", Native: c.native}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
