package redact

import (
	"io"
	"strings"
	"testing"
)

// BenchmarkWriter measures how fast output passes that holds no secret.
func BenchmarkWriter(b *testing.B) {
	for name, line := range map[string]string{
		"text":  "internal/cli/run.go:12: a line of ordinary text, as a compiler may print it\n",
		"zeros": strings.Repeat("\x00", 77),
		"short": "y\n",
	} {
		b.Run(name, func(b *testing.B) {
			block := []byte(strings.Repeat(line, 64<<10/len(line)+1)[:64<<10])
			w := NewWriter(io.Discard, New([]string{"sk-test-0123456789", "ghs-test-zq9876543210"}))
			b.SetBytes(int64(len(block)))
			for b.Loop() {
				_, _ = w.Write(block)
			}
		})
	}
}
