package validate

import (
	"regexp"
	"testing"
	"time"
)

func FuzzParseTimestamp(f *testing.F) {
	for _, ts := range []string{
		"2026-03-03T20:11:12Z", "2026-03-03T20:11:12.000Z", "2024-02-29T23:59:59.123456789Z", "0000-01-01T00:00:00.1Z", "",
		"2026-02-29T20:11:12Z", "2026-03-03T24:00:00Z", "2026-03-03T20:11:60Z", "2026-03-03T20:11:12.1234567890Z",
		"2026-03-03T20:11:12", "2026-03-03T20:11:12.Z", "2026-03-03T20:11:12,5Z", "2026-03-03T20:11:12+00:00", "2026-03-03T2:11:12Z", "2026-03-03T2:11:12.5Z",
		"2026-03-03t20:11:12Z", "2026-03-03T20:11:12z", "2026-3-03T20:11:12Z", "12026-03-03T20:11:12Z", "2026-03-03T20:11:12.5ZZ", "2026-03-03T20:11:12-07:00Z",
	} {
		f.Add(ts)
	}
	form := regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$`)
	f.Fuzz(func(t *testing.T, ts string) {
		want, err := time.Parse(time.RFC3339Nano, ts)
		wanted := err == nil && form.MatchString(ts)
		if got, ok := parseTimestamp(ts); ok != wanted || ok && !got.Equal(want) {
			t.Errorf("parseTimestamp(%q) = %v, %t, want %v, %t", ts, got, ok, want, wanted)
		}
	})
}
