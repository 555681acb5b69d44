package validate

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/schema"
)

// scannable skips a test where there is no scanner.
func scannable(t *testing.T) {
	t.Helper()
	if !scanning {
		t.Skip("built without the scanner")
	}
}

// message returns a line with text in data, between quotes.
func message(text string) []byte {
	return []byte(`{"schema_version":"openagent.run_event.v1","sequence":1,"ts":"2026-03-03T20:11:12.000Z","run_id":"r1","step":1,` +
		`"type":"provider_error","data":{"kind":null,"status":null,"retryable":null,"message_short":"` + text + `"}}` + "\n")
}

// same fails the test unless the scanner takes exactly the lines in which the
// rules find nothing.
func same(t *testing.T, s *Stream, line []byte) {
	t.Helper()
	findings, _ := ruled(line)
	if faultless := scanHolds(t, s, line); faultless != (len(findings) == 0) {
		t.Fatalf("%.600q: scanned as faultless %t, and the rules find %v", line, faultless, findings)
	}
}

// Every text of two bytes, of three that start a wide character, and of four where
// the first begins one of four, is to the scanner what it is to the rules; of the
// bytes behind the second only those at the edges, but for long runs.
func TestScan_TextsOfFewBytes(t *testing.T) {
	scannable(t)
	s := used()
	line := message("....")
	at := bytes.Index(line, []byte("...."))
	try := func(text ...byte) {
		line := append(append(append([]byte(nil), line[:at]...), text...), line[at+4:]...)
		if bytes.ContainsAny(text, `"\`) {
			same(t, s, line)
			return
		}
		want := utf8.Valid(text) && control(text) < 0
		if ok := scannedWhole(s, line); ok != want {
			t.Fatalf("the text %q is scanned as faultless %t, want %t", text, ok, want)
		}
	}
	for n := range 1 << 16 {
		try(byte(n>>8), byte(n))
	}
	edges := []byte{0x00, 0x0a, 0x1f, 0x20, '"', '\\', 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xe0, 0xf0, 0xff}
	for n := 0x8000; n < 1<<16; n++ {
		if !long && spoiled(n) {
			continue
		}
		for _, c := range edges {
			try(byte(n>>8), byte(n), c)
			if n>>8 >= 0xf0 {
				for _, d := range edges {
					try(byte(n>>8), byte(n), c, d)
				}
			}
		}
	}
	for n := range 1 << 24 {
		if long && n>>16 >= 0x80 {
			try(byte(n>>16), byte(n>>8), byte(n))
		}
	}
}

// spoiled reports whether two bytes are no text whatever follows, but for one first
// byte of each kind: none begins a character with a byte that is only for its middle,
// with c0, c1, f5 or what is above. The long run has all of them.
func spoiled(n int) bool {
	first := n >> 8
	return first > 0x80 && first < 0xc1 || first > 0xf5 && first < 0xff
}

// Every escape of a byte and of four digits, alone and as half of a pair, is to
// the scanner what it is to the rules.
func TestScan_Escapes(t *testing.T) {
	scannable(t)
	s := used()
	for c := range 256 {
		same(t, s, message(`a\`+string([]byte{byte(c)})+`b`))
		same(t, s, message(`a\u00`+string([]byte{byte(c)})+`9b`))
	}
	step := 7
	if long {
		step = 1
	}
	for c := 0; c < 1<<16; c += step {
		same(t, s, message(fmt.Sprintf(`a\u%04xb`, c)))
	}
	for _, high := range []int{0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000} {
		for low := 0xd700; low < 0xe100; low += step {
			same(t, s, message(fmt.Sprintf(`\u%04x\u%04X`, high, low)))
		}
	}
}

// Every date of a leap year, of a common one and of two centuries, every second
// of a day by its parts, and every form of a fraction.
func TestScan_Timestamps(t *testing.T) {
	scannable(t)
	s := used()
	try := func(ts string) {
		t.Helper()
		line := bytes.Replace(message(""), []byte("2026-03-03T20:11:12.000Z"), []byte(ts), 1)
		at, ok := parseTimestamp(ts)
		is := scannedWhole(s, line)
		if want := ok && at.Year() > 0; is != want || is && !s.scanned.at.Equal(at) {
			t.Fatalf("ts %q is scanned as %v, %t, want %v, %t", ts, s.scanned.at, is, at, want)
		}
	}
	for _, year := range []int{1, 4, 1900, 1970, 2000, 2023, 2024, 2100, 9999, 0} {
		for month := range 14 {
			for day := range 33 {
				try(fmt.Sprintf("%04d-%02d-%02dT00:00:00Z", year, month, day))
			}
		}
	}
	for part := range 100 {
		try(fmt.Sprintf("2026-03-03T%02d:59:00.1Z", part))
		try(fmt.Sprintf("2026-03-03T23:%02d:00.12Z", part))
		try(fmt.Sprintf("2026-03-03T23:59:%02dZ", part))
	}
	for n := range 12 {
		try("2026-03-03T20:11:12." + strings.Repeat("7", n) + "Z")
		try("2026-03-03T20:11:12" + strings.Repeat("7", n) + "Z")
		try("2026-03-03T20:11:12,5" + strings.Repeat("0", n) + "Z")
	}
	ts := time.Date(2026, 3, 3, 20, 11, 12, 5e8, time.UTC).Format(time.RFC3339Nano)
	for at := range ts {
		for c := range 128 {
			if c >= ' ' && c != '"' && c != '\\' {
				try(ts[:at] + string(rune(c)) + ts[at+1:])
			}
		}
	}
}

// Previews round their bound, in characters of each width and as escapes, and
// what truncated and original_bytes say of them.
func TestScan_Previews(t *testing.T) {
	scannable(t)
	s := used()
	for _, unit := range []struct {
		text string
		size int
	}{{"a", 1}, {"é", 2}, {"€", 3}, {"😀", 4}, {`\n`, 1}, {`\u00e9`, 2}, {`\u20ac`, 3}, {`\ud83d\ude00`, 4}} {
		for size := 4090; size <= 4100; size++ {
			text := strings.Repeat(unit.text, size/unit.size) + strings.Repeat("x", size%unit.size)
			same(t, s, finishedWith(text, "false", "null"))
			for whole := size - 1; whole <= size+1; whole++ {
				same(t, s, finishedWith(text, "true", fmt.Sprint(whole)))
				same(t, s, finishedWith(text, "false", fmt.Sprint(whole)))
			}
		}
	}
	for _, truncated := range []string{"true", "false", "null", "1"} {
		for _, whole := range []string{"null", "0", "1", "2", "-1", "1.0", `"1"`} {
			same(t, s, finishedWith("x", truncated, whole))
			same(t, s, bytes.Replace(finishedWith("x", truncated, whole), []byte(`"x"`), []byte("null"), 1))
		}
	}
}

func finishedWith(text, truncated, whole string) []byte {
	return []byte(`{"data":{"content_preview":"` + text + `","tool_call_id":null,"tool":null,"ok":null,"truncated":` + truncated + `,"original_bytes":` + whole + `},` +
		`"type":"tool_exec_finished","schema_version":"openagent.run_event.v1","sequence":1,"ts":"2026-03-03T20:11:12.000Z","run_id":"r1","step":1}` + "\n")
}

// Numbers round the bounds of integers, and in every form, are to the scanner
// what they are to the rules. A decimal of very many digits it leaves to them.
func TestScan_Numbers(t *testing.T) {
	scannable(t)
	s := used()
	var forms []string
	for _, n := range []string{"0", "1", "9", "10", "00", "01", "900719925474099", "9007199254740991", "9007199254740992", "9007199254740993", "90071992547409920", "18446744073709551617"} {
		for _, sign := range []string{"", "-", "+"} {
			for _, tail := range []string{"", ".", ".0", ".5", "e0", "E1", "e", " ", "x", ".0000001", ".000001"} {
				forms = append(forms, sign+n+tail)
			}
		}
	}
	for _, form := range forms {
		for _, member := range []string{`"status":null`, `"step":1`, `"sequence":1`} {
			name, _, _ := strings.Cut(member, ":")
			same(t, s, bytes.Replace(message("m"), []byte(member), []byte(name+":"+form), 1))
		}
		same(t, s, bytes.Replace(message("m"), []byte(`"data":{`), []byte(`"data":{"x_n":`+form+`,`), 1))
		scanHolds(t, s, bytes.Replace(outcome(`"ok"`, "true", "null"), []byte(`"data":{`), []byte(`"data":{"usage":{"cost_usd":`+form+`},`), 1))
	}
}

func outcome(reason, ok, text string) []byte {
	return []byte(`{"schema_version":"openagent.run_event.v1","sequence":1,"ts":"2026-03-03T20:11:12.000Z","run_id":"r1","step":1,"type":"run_finished",` +
		`"data":{"exit_reason":` + reason + `,"ok":` + ok + `,"final_output":"","error":` + text + "}}\n")
}

// What a run_finished says of the run is to the scanner what it is to the rules,
// also of a run without an id.
func TestScan_Outcomes(t *testing.T) {
	scannable(t)
	s := used()
	reasons := []string{`""`, `"own"`, `"o\u006b"`, "null"}
	for _, r := range []string{schema.ExitOK, schema.ExitKilled, schema.ExitMaxSteps} {
		reasons = append(reasons, `"`+r+`"`)
	}
	for _, reason := range reasons {
		for _, ok := range []string{"true", "false", "null"} {
			for _, text := range []string{"null", `""`, `"e"`, "1"} {
				line := outcome(reason, ok, text)
				same(t, s, line)
				same(t, s, bytes.Replace(line, []byte(`"r1"`), []byte(`""`), 1))
			}
		}
	}
}

// A line that breaks off is never faultless, wherever that is; one that goes on
// in the same memory is what it was.
func TestScan_EveryEnd(t *testing.T) {
	scannable(t)
	s := used()
	for pad := range 17 {
		line := bytes.Replace(message("é\\n "), []byte(`"data":{`), []byte(`"data":{"x_`+strings.Repeat("p", pad)+`":[1,{"a":null}],`), 1)
		for end := range len(line) - 1 {
			if scanHolds(t, s, append(append([]byte(nil), line[:end]...), '\n')) || scanHolds(t, s, line[:end:end]) {
				t.Fatalf("%q is scanned as faultless", line[:end])
			}
		}
		room := append(append([]byte(nil), line...), line...)
		same(t, s, room[:len(line)])
		same(t, s, room[len(line):])
	}
}

// A scanner that has read nothing takes no zeros for the time of the line before.
func TestScan_NoTimeYet(t *testing.T) {
	scannable(t)
	line := bytes.Replace(message("m"), []byte("2026-03-03T20:11"), make([]byte, 16), 1)
	if scanHolds(t, NewStream(Options{}), line) {
		t.Errorf("%q is scanned as faultless", line)
	}
}
