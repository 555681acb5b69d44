package term

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// clock is a time that tests move.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func TestStatus_SpeaksOfLongWorkOnly(t *testing.T) {
	var out strings.Builder
	c := &clock{t: time.Unix(1000, 0)}
	s := newStatus(&out, true, c.now)
	s.Set("too early")
	s.Clear()
	if out.Len() > 0 {
		t.Fatalf("Set at once wrote %q, want nothing", out.String())
	}
	for i, text := range []string{"one", "skipped", "two\x1b[2J"} {
		c.t = time.Unix(1001, int64(i)*int64(60*time.Millisecond))
		s.Set(text)
	}
	s.Clear()
	s.Clear()
	if got, want := out.String(), "one\r\x1b[Jtwo\r\x1b[J"; got != want {
		t.Errorf("Set and Clear wrote %q, want %q", got, want)
	}
}

func TestStatus_SilentWithoutTerminal(t *testing.T) {
	var out strings.Builder
	s := NewStatus(&out)
	s.start = time.Time{}
	s.Set("work")
	s.Clear()
	if out.Len() > 0 {
		t.Errorf("Set wrote %q, want nothing", out.String())
	}
	in := strings.NewReader("x")
	if s.Reader(in, "f") != io.Reader(in) {
		t.Error("Reader wraps where nothing is told")
	}
}

func TestStatus_ReaderShowsHowMuchWasRead(t *testing.T) {
	var out strings.Builder
	c := &clock{t: time.Unix(1000, 0)}
	s := newStatus(&out, true, c.now)
	c.t = time.Unix(1002, 0)
	b, err := io.ReadAll(s.Reader(strings.NewReader(strings.Repeat("x", 3<<19)), "big.jsonl"))
	if err != nil || len(b) != 3<<19 {
		t.Fatalf("ReadAll = %d bytes, %v", len(b), err)
	}
	if !strings.HasPrefix(out.String(), "big.jsonl: 0.0 MiB") {
		t.Errorf("Reader told %q, want how much was read", out.String())
	}
}

func TestTerminal_FilesAndBuffersAreNone(t *testing.T) {
	f, err := os.Create(t.TempDir() + "/f")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if isTerminal(f) || isTerminal(&strings.Builder{}) {
		t.Error("Terminal of a file or a buffer = true, want false")
	}
}

func TestColours_OnlyWhereTheyAreSeen(t *testing.T) {
	for _, tt := range []struct {
		name     string
		terminal bool
		system   string
		env      map[string]string
		want     bool
	}{
		{"terminal", true, "linux", nil, true},
		{"file", false, "linux", nil, false},
		{"windows", true, "windows", nil, false},
		{"NO_COLOR", true, "linux", map[string]string{"NO_COLOR": "1"}, false},
		{"empty NO_COLOR", true, "linux", map[string]string{"NO_COLOR": ""}, true},
		{"dumb", true, "linux", map[string]string{"TERM": "dumb"}, false},
	} {
		if got := colours(tt.terminal, tt.system, func(k string) string { return tt.env[k] }); got != tt.want {
			t.Errorf("colours at %s = %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestColour_Paint(t *testing.T) {
	for _, tt := range []struct {
		text string
		on   bool
		want string
	}{{"x", true, "\x1b[31mx\x1b[0m"}, {"x", false, "x"}, {"", true, ""}} {
		if got := Red.Paint(tt.text, tt.on); got != tt.want {
			t.Errorf("Paint(%q, %v) = %q, want %q", tt.text, tt.on, got, tt.want)
		}
	}
}
