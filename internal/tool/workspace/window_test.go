package workspace

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestReadLines_Counts(t *testing.T) {
	for _, test := range []struct {
		name, text string
		lines      int64
		binary     bool
	}{
		{"empty", "", 0, false},
		{"one line", "a", 1, false},
		{"ended", "a\n", 1, false},
		{"blank lines", "\n\n\n", 3, false},
		{"open end", "a\nb", 2, false},
		{"NUL", "a\x00", 1, true},
		{"late NUL", strings.Repeat("x", binaryProbe-1) + "\x00", 1, true},
		{"NUL after the probe", strings.Repeat("x", binaryProbe) + "\x00", 1, false},
	} {
		// One byte at a time shows that no count depends on how reads fall.
		got, err := measure(context.Background(), iotest.OneByteReader(strings.NewReader(test.text)))
		if err != nil || got.Lines != test.lines || got.Binary != test.binary || got.Bytes != int64(len(test.text)) {
			t.Errorf("readLines(%s) = %+v, %v, want %d lines, binary %v", test.name, got, err, test.lines, test.binary)
		}
	}
}

func TestReadLines_ErrorsAreReturned(t *testing.T) {
	broken := errors.New("broken disk")
	if _, err := measure(context.Background(), iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("readLines(broken) = %v, want %v", err, broken)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := measure(ctx, strings.NewReader("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("readLines(ended context) = %v, want %v", err, context.Canceled)
	}
}

func TestReadLines_KeepsNoMoreThanItMust(t *testing.T) {
	f, err := readLines(context.Background(), strings.NewReader(strings.Repeat("x", 3*maxText)), nil, nil)
	if err != nil || len(f.Text) != maxText || !f.More {
		t.Errorf("readLines(long line) = %d bytes, more %v, %v, want %d", len(f.Text), f.More, err, maxText)
	}
	long := strings.Repeat("y", 2*maxText) + "\nsecond\n"
	one := int64(1)
	f, err = readLines(context.Background(), strings.NewReader(long), new(int64(2)), &one)
	if err != nil || f.Text != "second\n" || f.More {
		t.Errorf("readLines(second line) = %q, more %v, %v, want it whole", f.Text, f.More, err)
	}
}

func TestFirstLine(t *testing.T) {
	for _, test := range []struct{ offset, lines, want int64 }{
		{1, 5, 1}, {0, 5, 1}, {5, 5, 5}, {6, 5, 6}, {-1, 5, 5}, {-5, 5, 1}, {-6, 5, 1}, {-1 << 63, 5, 1}, {-1, 0, 1},
	} {
		if got := firstLine(&test.offset, test.lines); got != test.want {
			t.Errorf("firstLine(%d of %d) = %d, want %d", test.offset, test.lines, got, test.want)
		}
	}
	if got := firstLine(nil, 5); got != 1 {
		t.Errorf("firstLine(nil) = %d, want 1", got)
	}
}

// Lines that are counted from the end are the same as those at the same place
// counted from the start.
func TestReadWindow_FromTheEnd(t *testing.T) {
	var text strings.Builder
	for n := range 3000 {
		text.WriteString(strings.Repeat("x", n%400) + "\n")
	}
	text.WriteString(strings.Repeat("y", readBuffer) + "\nlast")
	most := int64(20)
	for fromEnd := int64(1); fromEnd <= 3003; fromEnd += 13 {
		last := -fromEnd
		got, err := readLines(context.Background(), strings.NewReader(text.String()), &last, &most)
		if err != nil {
			t.Fatal(err)
		}
		first := max(1, 3003-fromEnd)
		want, err := readLines(context.Background(), strings.NewReader(text.String()), &first, &most)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" || got.Lines != 3002 {
			t.Fatalf("Read(%d) at line %d of %d (-from the start +from the end):\n%s", last, first, got.Lines, diff)
		}
	}
}

func FuzzReadWindow(f *testing.F) {
	f.Add([]byte("a\nb\nc"), int64(2), int64(1))
	f.Add([]byte("\n\n"), int64(-1), int64(9))
	f.Fuzz(func(t *testing.T, content []byte, offset, most int64) {
		most = max(1, most)
		got, err := readLines(context.Background(), bytes.NewReader(content), &offset, &most)
		if err != nil {
			t.Fatalf("Read(%q, %d, %d) = %v", content, offset, most, err)
		}
		if !got.Binary && !bytes.Contains(content, []byte(got.Text)) {
			t.Errorf("Read(%q, %d, %d) = %q, want a part of the file", content, offset, most, got.Text)
		}
		if end := got.FirstLine + int64(strings.Count(got.Text, "\n")); got.More && end > got.Lines {
			t.Errorf("Read(%q, %d, %d) tells of more after line %d of %d", content, offset, most, end, got.Lines)
		}
	})
}
