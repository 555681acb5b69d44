package flags

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

// A value prints in a form that it reads back: the harness hands flags on so.
func TestValues_Accepted(t *testing.T) {
	for _, tt := range []struct {
		value    pflag.Value
		text     string
		want     string
		typeName string
	}{
		{new(Size), "4096", "4KiB", "size"}, {new(Size), "1", "1", "size"}, {new(Size), "1MiB", "1MiB", "size"},
		{new(Size), "1536KiB", "1536KiB", "size"}, {new(Size), "8589934591GiB", "8589934591GiB", "size"},
		{new(Count), "0", "0", "n"}, {new(Count), "9007199254740992", "9007199254740992", "n"},
		{new(Integer), "0", "0", "number"}, {new(Integer), "2147483647", "2147483647", "number"},
		{new(Part), "0.2", "0.2", "part"}, {new(Part), "1", "1", "part"}, {new(Part), "0", "0", "part"},
		{new(Span), "15m", "15m", "duration"}, {new(Span), "90s", "1m30s", "duration"}, {new(Span), "1h", "1h0m", "duration"},
		{new(Span), "1ms", "1ms", "duration"}, {new(Span), "1h30m5s", "1h30m5s", "duration"},
		{new(Clock), "fixed:2026-03-03T21:11:12.5+01:00", "fixed:2026-03-03T20:11:12.5Z", "fixed:TIME"},
		{new(Identifier), "a.B_c-9", "a.B_c-9", "id"},
		{new(ExitStatus), "0", "0", "status"}, {new(ExitStatus), "3221225786", "3221225786", "status"},
		{new(Signal), "TERM", "15", "signal"}, {new(Signal), "SIGKILL", "9", "signal"}, {new(Signal), "sigint", "2", "signal"}, {new(Signal), "64", "64", "signal"},
		{new(Names), " a, b ,,c", "a,b,c", "names"},
		{new(Lines), "one\r\n\ntwo, three\n", "one\ntwo, three", "text"},
	} {
		if err := tt.value.Set(tt.text); err != nil {
			t.Errorf("%s %q: %v", tt.typeName, tt.text, err)
			continue
		}
		if got := tt.value.String(); got != tt.want || tt.value.Type() != tt.typeName {
			t.Errorf("%s %q = %q of type %s, want %q", tt.typeName, tt.text, got, tt.value.Type(), tt.want)
		}
		again := map[string]pflag.Value{
			"size": new(Size), "n": new(Count), "duration": new(Span), "fixed:TIME": new(Clock), "id": new(Identifier),
			"names": new(Names), "text": new(Lines), "number": &Integer{Least: math.MinInt64}, "part": new(Part),
			"status": new(ExitStatus), "signal": new(Signal),
		}[tt.typeName]
		if err := again.Set(tt.want); err != nil || again.String() != tt.want {
			t.Errorf("%s %q reads back as %q, %v", tt.typeName, tt.want, again, err)
		}
	}
}

func TestValues_Refused(t *testing.T) {
	on, whole := NewChoice("auto", "on", "off"), Integer{}
	for _, tt := range []struct {
		value pflag.Value
		texts []string
		want  string
	}{
		{new(Size), []string{"", "0", "-1", "1KB", "1.5MiB", "8589934592GiB", "MiB", "1 MiB"}, "want bytes like"},
		{new(Count), []string{"", "-1", "1.0", "1e3", "9007199254740993"}, "whole number"},
		{&Integer{Least: 1}, []string{"", "0", "-1", "1.5", "2147483648"}, "want a whole number from 1 to 2147483647"},
		{&whole, []string{"", "many", "1.5", "-1"}, "want a whole number"},
		{new(Part), []string{"", "-0.1", "1.1", "NaN", "20%"}, "want a number from 0 to 1"},
		{new(Span), []string{"", "0s", "-1s", "15", "1 m", "2562047h47m16s"}, "want a time like"},
		{new(ExitStatus), []string{"", "-15", "1.0", "four", "4294967296"}, "want a whole number from 0"},
		{new(Signal), []string{"", "0", "-1", "65", "SIG", "SIG15", "NEVER"}, "want a signal like"},
		{new(Clock), []string{"", "2026-03-03T20:11:12Z", "fixed:today", "fixed:2026-03-03T20:11:12,5Z", "fixed:1969-12-31T00:00:00Z", "fixed:9999-01-01T00:00:00Z"}, "want fixed:"},
		{new(Identifier), []string{"", ".a", "-a", "a/b", "a b", "é", strings.Repeat("a", 65)}, "letters, digits"},
		{new(Names), []string{",", " , "}, "want names with commas between"},
		{new(Address), []string{"", "ftp://x", "host"}, "want an address such as"},
		{&on, []string{"", "ON", "true"}, "want auto, on or off"},
	} {
		for _, text := range tt.texts {
			if err := tt.value.Set(text); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: Set(%q) = %v, want an error with %q", tt.value.Type(), text, err, tt.want)
			}
		}
	}
}

func TestValues_ListsAddUp(t *testing.T) {
	var n Names
	var l Lines
	for _, text := range []string{"a,b", "c"} {
		if err := n.Set(text); err != nil {
			t.Fatal(err)
		}
		if err := l.Set(text); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(Names{"a", "b", "c"}, n); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Lines{"a,b", "c"}, l); diff != "" {
		t.Errorf("lines keep their commas (-want +got):\n%s", diff)
	}
}
