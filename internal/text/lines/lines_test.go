package lines

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// read returns the lines of a text, long ones with what their rest takes.
func read(t *testing.T, text string, skip bool) (lines []string, rests []int64) {
	t.Helper()
	r := NewReader(iotest.HalfReader(strings.NewReader(text)), 16, 40)
	for {
		line, err := r.Next()
		if err == io.EOF && len(line) == 0 {
			return lines, rests
		}
		lines = append(lines, string(line))
		switch {
		case errors.Is(err, ErrLong) && skip:
			rest, err := r.Rest()
			if err != nil {
				t.Fatalf("Rest() = %v", err)
			}
			rests = append(rests, rest)
		case err != nil && !errors.Is(err, ErrLong):
			t.Fatalf("Next() = %v", err)
		}
	}
}

func TestReader_LinesOfAnyLength(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct {
		name, text string
		want       []string
		rests      []int64
	}{
		{"none", "", nil, nil},
		{"short, and the last without its end", "a\n\nb", []string{"a\n", "\n", "b"}, nil},
		{"as long as the buffer", x(16) + "\n" + x(15) + "\nb\n", []string{x(16) + "\n", x(15) + "\n", "b\n"}, nil},
		{"as long as the bound", x(40) + "\nb\n" + x(40), []string{x(40) + "\n", "b\n", x(40)}, nil},
		{"a byte longer", x(41) + "\nb\n" + x(41), []string{x(40), "b\n", x(40)}, []int64{2, 1}},
		{"far longer", x(500) + "\n" + x(900) + "\nb\n" + x(48), []string{x(40), x(40), "b\n", x(40)}, []int64{461, 861, 8}},
	} {
		lines, rests := read(t, c.text, true)
		if !slices.Equal(lines, c.want) || !slices.Equal(rests, c.rests) {
			t.Errorf("%s: lines %q and rests %v, want %q and %v", c.name, lines, rests, c.want, c.rests)
		}
		if lines, _ := read(t, c.text, false); !slices.Equal(lines, c.want) {
			t.Errorf("%s: lines %q without Rest, want %q", c.name, lines, c.want)
		}
	}
}

// A long line is not read to its end before the caller has decided about it.
func TestReader_EndlessLine(t *testing.T) {
	endless := io.MultiReader(strings.NewReader(strings.Repeat("x", 100)), iotest.ErrReader(io.ErrClosedPipe))
	r := NewReader(endless, 16, 40)
	if line, err := r.Next(); len(line) != 40 || !errors.Is(err, ErrLong) {
		t.Errorf("Next() = %d bytes, %v, want 40 and %v", len(line), err, ErrLong)
	}
	if _, err := r.Next(); err != io.ErrClosedPipe {
		t.Errorf("Next() behind it = %v, want %v", err, io.ErrClosedPipe)
	}
}

func TestReader_Failing(t *testing.T) {
	r := NewReader(io.MultiReader(strings.NewReader("half"), iotest.ErrReader(io.ErrClosedPipe)), 16, 40)
	if line, err := r.Next(); string(line) != "half" || err != io.ErrClosedPipe {
		t.Errorf("Next() = %q, %v, want half a line and %v", line, err, io.ErrClosedPipe)
	}
}
