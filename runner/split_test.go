package runner

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type piece struct {
	Line    string
	Dropped int64
}

// pieces writes input in chunks of size bytes through a splitter.
func pieces(input string, max, size int) []piece {
	var got []piece
	s := &splitter{max: max, emit: func(line []byte, dropped int64) {
		got = append(got, piece{string(line), dropped})
	}}
	for b := []byte(input); len(b) > 0; {
		n := min(size, len(b))
		_, _ = s.Write(b[:n])
		b = b[n:]
	}
	s.close()
	return got
}

func TestSplitter_Lines(t *testing.T) {
	for name, tt := range map[string]struct {
		input string
		want  []piece
	}{
		"empty":        {"", nil},
		"whole":        {"ab\ncd\n", []piece{{"ab\n", 0}, {"cd\n", 0}}},
		"torn end":     {"ab\ncd", []piece{{"ab\n", 0}, {"cd", 0}}},
		"blank":        {"\n\n", []piece{{"\n", 0}, {"\n", 0}}},
		"at the bound": {"12345678\n", []piece{{"12345678\n", 0}}},
		"above":        {"123456789a\nb\n", []piece{{"12345678\n", 2}, {"b\n", 0}}},
		"above, torn":  {"123456789ab", []piece{{"12345678", 3}}},
	} {
		t.Run(name, func(t *testing.T) {
			for size := 1; size <= 12; size++ {
				if diff := cmp.Diff(tt.want, pieces(tt.input, 8, size)); diff != "" {
					t.Errorf("in chunks of %d (-want +got):\n%s", size, diff)
				}
			}
		})
	}
}

func TestSplitter_MemoryIsBounded(t *testing.T) {
	s := &splitter{max: 8, emit: func([]byte, int64) {}}
	chunk := bytes.Repeat([]byte("x"), 1<<16)
	for range 100 {
		_, _ = s.Write(chunk)
	}
	if cap(s.held) > 1024 {
		t.Errorf("splitter holds %d bytes, want about 8", cap(s.held))
	}
}

func FuzzSplitter(f *testing.F) {
	f.Add("a\nbc\n\nlonger than the bound\ntorn", 3)
	f.Fuzz(func(t *testing.T, input string, size int) {
		if size < 1 || size > 64 {
			return
		}
		const max = 8
		var total int64
		for i, p := range pieces(input, max, size) {
			total += int64(len(p.Line)) + p.Dropped
			whole, _, _ := strings.Cut(strings.SplitAfter(input, "\n")[i], "\n")
			if got := strings.TrimSuffix(p.Line, "\n"); !strings.HasPrefix(whole, got) || len(got) > max {
				t.Errorf("line %d = %q, want the beginning of %q", i, got, whole)
			}
		}
		if total != int64(len(input)) {
			t.Errorf("lines hold %d bytes, want %d", total, len(input))
		}
	})
}
