package validate

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate/line"
)

// vectorLines returns every line of the kit, and the runs below it.
func vectorLines(tb testing.TB) (lines [][]byte) {
	tb.Helper()
	for _, v := range golden.Vectors() {
		for line := range bytes.Lines(v.Stream) {
			if len(line) < maxSeed {
				lines = append(lines, line)
			}
		}
	}
	if len(lines) < 500 {
		tb.Fatalf("the kit has %d lines, want hundreds", len(lines))
	}
	return lines
}

// maxSeed bounds the lines that are mutated: long ones are only slow.
const maxSeed = 1 << 14

// ruled returns what the rules say of a line by itself, and its facts.
func ruled(line []byte) ([]Finding, facts) {
	r := &report{line: 1}
	if !checkLine(r, line, schema.DefaultReaderBytes) {
		return r.findings, facts{}
	}
	e := readEvent(line)
	v1().check(r, e, schema.Version, false)
	checkOutcome(r, e)
	if e.runID == "" && e.typ == schema.TypeRunFinished {
		checkPreRun(r, e.data)
	}
	return r.findings, e.facts
}

// used returns a stream whose scanner has read lines of all types, so that what
// is left of them is there to be mistaken for what a line holds.
func used() *Stream {
	s := NewStream(Options{})
	for _, v := range golden.Vectors() {
		if !strings.HasPrefix(v.Name, "type-") {
			continue
		}
		for line := range bytes.Lines(v.Stream) {
			scannedWhole(s, line)
		}
	}
	scannedWhole(s, finishedWith("12345", "true", "6"))
	return s
}

// scannedWhole reports whether the scanner of s takes a line that others stand behind, as
// they do in all but the end of what is read.
func scannedWhole(s *Stream, line []byte) bool {
	found := s.scanner.Scan(append(bytes.Clone(line), behind...))
	return s.faultless(line, &found) != nil
}

var behind = bytes.Repeat([]byte("another line\n"), 32)

// scanHolds fails the test if a line is faultless to the scanner of s and not to
// the rules, or with other facts, be it the last line or not. It returns whether the
// scanner took it.
func scanHolds(t testing.TB, s *Stream, line []byte) bool {
	t.Helper()
	last := s.faultless(line, nil) != nil
	if last {
		factsHold(t, s, line)
	}
	if scannedWhole(s, line) != last {
		t.Errorf("%.500q: scanned as faultless %t, and where others are behind it %t", line, last, !last)
	}
	if last {
		factsHold(t, s, line)
	}
	return last
}

// factsHold is scanHolds for a line that the scanner took.
func factsHold(t testing.TB, s *Stream, line []byte) {
	t.Helper()
	got := s.scanned
	findings, want := ruled(line)
	if len(findings) > 0 {
		t.Errorf("%.500q: scanned as faultless, and the rules find %v", line, findings)
	}
	if got.decision == "" && want.decision != decisionAllow && want.decision != decisionDeny {
		want.decision = "" // it takes no part
	}
	if !got.at.Equal(want.at) || got.typ != want.typ || got.sequence != want.sequence || got.step != want.step || got.runID != want.runID ||
		got.timed != want.timed || (got.callID == nil) != (want.callID == nil) || string(got.callID) != string(want.callID) || got.decision != want.decision {
		t.Errorf("%.500q: the facts are\n%+v, by the rules\n%+v", line, got, want)
	}
}

// The scanner takes every line of the kit in which the rules find nothing, but
// for those that are made to be strange.
func TestScan_Vectors(t *testing.T) {
	scannable(t)
	strange, s := map[string]bool{}, used()
	for _, v := range golden.Vectors() {
		for line := range bytes.Lines(v.Stream) {
			if findings, _ := ruled(line); !scanHolds(t, s, line) && len(findings) == 0 {
				strange[v.Name] = true
			}
		}
	}
	want := map[string]bool{"cost-2-to-53": true, "cost-2-to-53-zeros": true, "cost-22-digits": true, "depth-64": true, "unmapped-names": true}
	if diff := cmp.Diff(want, strange); diff != "" {
		t.Errorf("vectors with faultless lines that are not scanned (-want +got):\n%s", diff)
	}
}

// long is set for the runs that take minutes.
var long = os.Getenv("OPENAGENT_TEST_LONG") != ""

// Mutated lines are no faultless ones to the scanner that are not so to the
// rules. One in ten is still faultless, or this would show little.
func TestScan_Mutants(t *testing.T) {
	scannable(t)
	n := 40_000
	if long {
		n = 10_000_000
	}
	lines, s := vectorLines(t), used()
	faultless := 0
	for i := range n {
		seed, line := uint64(i), lines[i%len(lines)]
		scannedWhole(s, line) // so that the mutant is like the line before
		if scanHolds(t, s, mutant(lines, line, seed)) {
			faultless++
		}
		if t.Failed() {
			t.Fatalf("mutant %d", i)
		}
	}
	t.Logf("%d of %d mutants are faultless", faultless, n)
	if faultless*10 < n {
		t.Errorf("%d of %d mutants are faultless, want one in ten", faultless, n)
	}
}

// Tables of another schema are not used.
func TestScan_TablesOfTheSchema(t *testing.T) {
	if !fits(line.Version, line.Digest) {
		t.Error("the tables are those of another schema; run go generate ./schema/validate/line")
	}
	if fits(line.Version, "sha256:0") || fits("openagent.run_event.v2", line.Digest) {
		t.Error("tables of another schema or version fit")
	}
}

// A faultless line of a call that is known allocates nothing.
func TestScan_AllocatesNothing(t *testing.T) {
	scannable(t)
	const runs = 1000
	var lines [][]byte
	add := func(typ, data string) {
		lines = append(lines, fmt.Appendf(nil, `{"schema_version":"openagent.run_event.v1","sequence":%d,"ts":"2026-03-03T20:11:12.000Z","run_id":"r1","step":1,"type":%q,"data":{%s}}`+"\n",
			len(lines)+1, typ, data))
	}
	add("run_started", "")
	for range 2 * runs {
		const call = `"tool_call_id":"call_1","tool":"t"`
		add("tool_decision", call+`,"decision":"allow","reason":null,"source":null`)
		add("tool_exec_started", call)
		add("tool_exec_finished", call+`,"ok":true,"content_preview":"a\nb é","truncated":false,"original_bytes":6`)
	}
	s := NewStream(Options{})
	next := func() {
		if found := s.Line(lines[0]); len(found) > 0 {
			t.Fatalf("%s: found %v, want nothing", lines[0], found)
		}
		lines = lines[1:]
	}
	for len(lines) > 3*runs {
		next()
	}
	if n := testing.AllocsPerRun(3*runs-1, next); n > 0 {
		t.Errorf("a faultless line allocates %v times, want never", n)
	}
}

// Streams are found the same faults with and without the scanner, whatever became
// of their lines and of their order.
func TestScan_Streams(t *testing.T) {
	vectors := golden.Vectors()
	lines := vectorLines(t)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 4 * len(vectors) {
		v := vectors[i%len(vectors)]
		var list [][]byte
		for line := range bytes.Lines(v.Stream) {
			list = append(list, line)
		}
		if i >= len(vectors) {
			shuffle(r, lines, list)
		}
		opts := Options{Strict: i%2 == 0, Runs: i%3 == 0}
		ruled := NewStream(opts)
		ruled.scans = false
		if diff := cmp.Diff(findings(ruled, list), findings(NewStream(opts), list)); diff != "" {
			t.Fatalf("%s, round %d: findings by the rules and with the scanner (-rules +scanner):\n%s", v.Name, i/len(vectors), diff)
		}
	}
}

// shuffle swaps, doubles and changes lines of list.
func shuffle(r *rand.Rand, lines, list [][]byte) {
	for range 1 + r.IntN(3) {
		a, b := r.IntN(len(list)+1)-1, r.IntN(len(list)+1)-1
		switch {
		case a < 0 || b < 0 || !bytes.HasSuffix(list[a], []byte{'\n'}) || !bytes.HasSuffix(list[b], []byte{'\n'}):
		case r.IntN(3) == 0:
			list[a] = mutant(lines, list[b], r.Uint64())
		case r.IntN(2) == 0:
			list[a] = list[b]
		default:
			list[a], list[b] = list[b], list[a]
		}
	}
}

// findings returns all of a stream.
func findings(s *Stream, lines [][]byte) (all []Finding) {
	for _, line := range lines {
		all = append(all, s.Line(line)...)
	}
	return append(all, s.Close()...)
}

func FuzzScan(f *testing.F) {
	lines := vectorLines(f)
	fuzzing := flag.Lookup("test.fuzz").Value.String() != ""
	for i, line := range lines {
		if long || fuzzing || i%8 == 0 { // TestScan_Vectors and TestScan_Mutants have them all
			f.Add(line, uint64(i))
		}
	}
	f.Fuzz(func(t *testing.T, line []byte, seed uint64) {
		line = append(bytes.TrimRight(line, "\n"), '\n')
		s := used()
		scanHolds(t, s, line)
		scanHolds(t, s, mutant(lines, line, seed))
		scanHolds(t, s, line)
	})
}

// tokens cuts a line into its tokens: brackets, commas, colons, texts, and what
// else stands between these.
func tokens(line []byte) (list []string) {
	for i := 0; i < len(line); {
		from := i
		switch i++; line[from] {
		case '"':
			for i < len(line) && line[i] != '"' {
				if line[i] == '\\' {
					i++
				}
				i++
			}
			i = min(i+1, len(line))
		case '{', '}', '[', ']', ',', ':', ' ', '\n':
		default:
			for i < len(line) && !strings.ContainsRune("{}[],: \n\"", rune(line[i])) {
				i++
			}
		}
		list = append(list, string(line[from:i]))
	}
	return list
}

// mutator changes the tokens of a line.
type mutator struct {
	*rand.Rand
	lines [][]byte
}

// mutant returns a line with one to three changes.
func mutant(lines [][]byte, line []byte, seed uint64) []byte {
	m := mutator{rand.New(rand.NewPCG(seed, 7)), lines}
	list := tokens(line)
	for range 1 + m.IntN(3) {
		if len(list) > 0 {
			list = m.change(list)
		}
	}
	out := []byte(strings.Join(list, ""))
	if m.IntN(12) == 0 {
		out = m.bytes(out)
	}
	return out
}

// change makes one change, most often one that a line may survive.
func (m mutator) change(list []string) []string {
	at := m.IntN(len(list))
	from, to := share(list, at)
	switch m.IntN(12) {
	case 0, 1: // swap two members, or items
		if other, end := share(list, m.IntN(len(list))); other >= to {
			return join(list[:from], list[other:end], list[to:other], list[from:to], list[end:])
		}
	case 2: // double one
		return join(list[:to], []string{","}, list[from:to], list[to:])
	case 3: // one of another line in its place
		others := tokens(m.lines[m.IntN(len(m.lines))])
		first, last := share(others, m.IntN(len(others)))
		return join(list[:from], others[first:last], list[to:])
	case 4: // a member that nobody knows
		return join(list[:from], []string{m.member(), ","}, list[from:])
	case 5: // without it
		return join(list[:from], list[min(to+1, len(list)):])
	case 6: // blanks
		return join(list[:at], []string{strings.Repeat(" ", 1+m.IntN(2))}, list[at:])
	case 7:
		return join(list[:at], []string{m.pick(values)}, list[min(at+1, len(list)):])
	}
	if strings.HasPrefix(list[at], `"`) {
		return join(list[:at], []string{m.text(list[at])}, list[at+1:])
	}
	if n, err := strconv.Atoi(list[at]); err == nil {
		return join(list[:at], []string{fmt.Sprintf(m.pick(numbers), n)}, list[at+1:])
	}
	return list
}

func (m mutator) pick(list []string) string { return list[m.IntN(len(list))] }

func join(parts ...[]string) (list []string) {
	for _, p := range parts {
		list = append(list, p...)
	}
	return list
}

// share returns the bounds of the member or item that the token is in, brackets
// inside of it and all.
func share(list []string, at int) (from, to int) {
	for from = at; from > 0 && !strings.ContainsAny(list[from-1], ",{[") || from > 0 && strings.HasPrefix(list[from-1], `"`); from-- {
		continue
	}
	depth := 0
	for to = from; to < len(list); to++ {
		switch list[to] {
		case "{", "[":
			depth++
		case "}", "]":
			depth--
		}
		if depth < 0 || depth == 0 && list[to] == "," || list[to] == "\n" {
			break
		}
	}
	return from, max(to, from)
}

var values = []string{
	"null", "true", "false", "0", "1", "-1", `""`, `"x"`, "{}", "[]", `["x"]`, "1.5", "0.000001", `{"a":{"a":[1,2.5e3,{"a":null}]}}`, "tru", "nul", "fals",
	`"run_finished"`, `"tool_exec_finished"`, `"allow"`, `"deny"`, `"\u0061llow"`, `"2024-02-29T23:59:59.999999999Z"`, `"2023-02-29T00:00:00Z"`, `"0000-01-01T00:00:00Z"`,
	`"2026-03-03T24:00:00Z"`, `"2026-03-03T20:11:12.Z"`, `"2026-03-03T20:11:60Z"`, `"2026-03-03T20:11:12+00:00"`, `"9999-12-31T23:59:59.1Z"`,
	`{"terminal":"observed","unmapped":{"a":1,"b_bytes":-1}}`, `{"name":"n","version":"v"}`, `[{"field":"f","original_bytes":300}]`, `"\ud83d\ude00"`, `"\ud83d"`,
}

// numbers are forms of the number n.
var numbers = []string{"%d", "%d0", "%d.0", "%de0", "-%d", "0%d", "%d.5", "900719925474099%d", "%d00000000000000000000", "+%d", "%dE-1", "%d.123456", "%d.1234567", " %d ", "%d."}

// member returns one that the contract does not know.
func (m mutator) member() string {
	return fmt.Sprintf("%q:%s", "x_"+string(rune('a'+m.IntN(4)))+strings.Repeat("y", m.IntN(20)), m.pick(values))
}

// text changes a text: how it is written, what it holds, or how long it is.
func (m mutator) text(quoted string) string {
	var body string
	if _, err := fmt.Sscanf(quoted, "%q", &body); err != nil || m.IntN(8) == 0 {
		body = quoted[1:max(1, len(quoted)-1)]
	}
	runes := []rune(body)
	switch m.IntN(4) {
	case 0: // to about one of the bounds
		bound := []int{200, 256, 1024, 2048, 4096}[m.IntN(5)] + m.IntN(3) - 1
		unit := m.pick([]string{"a", "é", "€", "😀"})
		if m.IntN(2) == 0 {
			bound /= len(unit)
		}
		body = strings.Repeat(unit, bound)
		runes = []rune(body)
	case 1: // a piece inside
		at := m.IntN(len(runes) + 1)
		return `"` + string(runes[:at]) + m.pick(inner) + string(runes[at:]) + `"`
	}
	var b strings.Builder
	for _, r := range runes {
		b.WriteString(m.written(r))
	}
	return `"` + b.String() + `"`
}

// inner are pieces of texts, some of which are none.
var inner = []string{
	`\n`, `\r`, `\"`, `\\`, `\/`, `\b\f\t`, `\u000a`, `\u000D`, `\u00e9`, `\u20AC`, `\ud83d\ude00`, `\uD83D\uDE00`, `\ud83d`, `\ude00`, `\ude00\ud83d`, `\ud83d\u0041`, `\u12`, `\u12g4`, `\x41`, `\`, `\u0000`,
	"\x00", "\t", "\x1f", "\x7f", "\u0080", "é", "€", "\U0010ffff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\xff", "\ufeff", "\u2028", `"`, "\r",
}

// written returns a character as one of the forms that JSON has for it.
func (m mutator) written(r rune) string {
	switch {
	case m.IntN(64) == 0 && r < 0x10000 && r != utf8.RuneError:
		return fmt.Sprintf([]string{`\u%04x`, `\u%04X`}[m.IntN(2)], r)
	case strings.ContainsRune("\n\r\t\b\f", r):
		return `\` + string("nrtbf"[strings.IndexRune("\n\r\t\b\f", r)])
	case r == '"' || r == '\\':
		return `\` + string(r)
	case r < ' ':
		return fmt.Sprintf(`\u%04x`, r)
	}
	return string(r)
}

// bytes changes a single byte.
func (m mutator) bytes(line []byte) []byte {
	if len(line) < 2 {
		return line
	}
	at := m.IntN(len(line) - 1)
	switch m.IntN(3) {
	case 0:
		line[at] = byte(m.IntN(256))
	case 1:
		line[at] ^= 1 << m.IntN(8)
	default:
		line = append(line[:at], line[at+1:]...)
	}
	return line
}
