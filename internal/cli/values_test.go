package cli

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
		{new(size), "4096", "4KiB", "size"}, {new(size), "1", "1", "size"}, {new(size), "1MiB", "1MiB", "size"},
		{new(size), "1536KiB", "1536KiB", "size"}, {new(size), "8589934591GiB", "8589934591GiB", "size"},
		{new(count), "0", "0", "n"}, {new(count), "9007199254740992", "9007199254740992", "n"},
		{new(integer), "0", "0", "number"}, {new(integer), "2147483647", "2147483647", "number"},
		{&integer{least: math.MinInt64}, "99999999999", "99999999999", "number"},
		{&integer{least: math.MinInt64}, "99999999999999999999", "9223372036854775807", "number"},
		{&integer{least: math.MinInt64}, "-99999999999999999999", "-9223372036854775808", "number"},
		{new(part), "0.2", "0.2", "part"}, {new(part), "1", "1", "part"}, {new(part), "0", "0", "part"},
		{new(span), "15m", "15m", "duration"}, {new(span), "90s", "1m30s", "duration"}, {new(span), "1h", "1h0m", "duration"},
		{new(span), "1ms", "1ms", "duration"}, {new(span), "1h30m5s", "1h30m5s", "duration"},
		{new(clockValue), "fixed:2026-03-03T21:11:12.5+01:00", "fixed:2026-03-03T20:11:12.5Z", "fixed:TIME"},
		{new(identifier), "a.B_c-9", "a.B_c-9", "id"},
		{new(names), " a, b ,,c", "a,b,c", "names"},
		{new(lines), "one\r\n\ntwo, three\n", "one\ntwo, three", "text"},
	} {
		if err := tt.value.Set(tt.text); err != nil {
			t.Errorf("%s %q: %v", tt.typeName, tt.text, err)
			continue
		}
		if got := tt.value.String(); got != tt.want || tt.value.Type() != tt.typeName {
			t.Errorf("%s %q = %q of type %s, want %q", tt.typeName, tt.text, got, tt.value.Type(), tt.want)
		}
		again := map[string]pflag.Value{
			"size": new(size), "n": new(count), "duration": new(span), "fixed:TIME": new(clockValue), "id": new(identifier),
			"names": new(names), "text": new(lines), "number": &integer{least: math.MinInt64}, "part": new(part),
		}[tt.typeName]
		if err := again.Set(tt.want); err != nil || again.String() != tt.want {
			t.Errorf("%s %q reads back as %q, %v", tt.typeName, tt.want, again, err)
		}
	}
}

func TestValues_Refused(t *testing.T) {
	on, any := newChoice("auto", "on", "off"), anyInteger(1)
	for _, tt := range []struct {
		value pflag.Value
		texts []string
		want  string
	}{
		{new(size), []string{"", "0", "-1", "1KB", "1.5MiB", "8589934592GiB", "MiB", "1 MiB"}, "want bytes like"},
		{new(count), []string{"", "-1", "1.0", "1e3", "9007199254740993"}, "whole number"},
		{&integer{least: 1}, []string{"", "0", "-1", "1.5", "2147483648"}, "want a whole number from 1 to 2147483647"},
		{&any, []string{"", "many", "1.5"}, "want a whole number"},
		{new(part), []string{"", "-0.1", "1.1", "NaN", "20%"}, "want a number from 0 to 1"},
		{new(span), []string{"", "0s", "-1s", "15", "1 m"}, "want a time like"},
		{new(clockValue), []string{"", "2026-03-03T20:11:12Z", "fixed:today", "fixed:2026-03-03T20:11:12,5Z", "fixed:1969-12-31T00:00:00Z", "fixed:9999-01-01T00:00:00Z"}, "want fixed:"},
		{new(identifier), []string{"", ".a", "-a", "a/b", "a b", "é", strings.Repeat("a", 65)}, "letters, digits"},
		{new(names), []string{",", " , "}, "want names with commas between"},
		{new(address), []string{"", "ftp://x", "host"}, "want an address such as"},
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
	var n names
	var l lines
	for _, text := range []string{"a,b", "c"} {
		if err := n.Set(text); err != nil {
			t.Fatal(err)
		}
		if err := l.Set(text); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(names{"a", "b", "c"}, n); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(lines{"a,b", "c"}, l); diff != "" {
		t.Errorf("lines keep their commas (-want +got):\n%s", diff)
	}
}
