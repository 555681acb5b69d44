package history

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// shortly returns a match as one line for each of its lines.
func shortly(found Matches) []string {
	list := []string{}
	side := func(l *Excerpt) string {
		if l == nil {
			return "-"
		}
		return l.Role + " " + l.Content
	}
	for _, m := range found.Matches {
		list = append(list, fmt.Sprintf("%s: %s | %s %s | %s", m.Session, side(m.Before), m.Role, m.Content, side(m.After)))
	}
	return list
}

func run(t testing.TB, s Search) Matches {
	t.Helper()
	found, err := s.Run(t.Context())
	if err != nil {
		t.Fatalf("Search%+v.Run() = %v", s, err)
	}
	return found
}

func TestSearch_NewestFirstWithNeighboursOfTheSession(t *testing.T) {
	dir := t.TempDir()
	at := func(hours int) time.Time { return day.Add(time.Duration(hours) * time.Hour) }
	store(t, dir, "a", recordOf(t, at(1), nameUser, "find the NEEDLE")+
		recordOf(t, at(2), nameSystem, "needle of the system")+recordOf(t, at(2), nameTool, "needle of a tool")+
		recordOf(t, at(3), nameToolCall, "shell(cmd='grep needle')")+recordOf(t, at(3), nameToolResult, "nothing")+
		recordOf(t, at(9), nameAssistant, "no Needle"))
	store(t, dir, "b", recordOf(t, at(5), nameToolResult, "a needle"))
	got := shortly(run(t, Search{Dir: dir, Query: " needle\t", Results: 10, Now: day}))
	want := []string{
		"a: tool_result nothing | assistant no Needle | -",
		"b: - | tool_result a needle | -",
		"a: user find the NEEDLE | tool_call shell(cmd='grep needle') | tool_result nothing",
		"a: - | user find the NEEDLE | tool_call shell(cmd='grep needle')",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Run() (-want +got):\n%s", diff)
	}
}

func TestSearch_DaysAndResults(t *testing.T) {
	dir := t.TempDir()
	var file strings.Builder
	for i := range 60 {
		file.WriteString(recordOf(t, day.AddDate(0, 0, i-59), nameUser, fmt.Sprintf("x%d", i)))
	}
	store(t, dir, "s", file.String())
	for _, c := range []struct {
		days, results int64
		want          int
		last          string
	}{
		{0, 10, 10, "x50"}, {-5, 10, 10, "x50"}, {0, 0, 1, "x59"}, {0, -1, 1, "x59"}, {0, 500, 50, "x10"},
		{3, 50, 4, "x56"}, {1, 50, 2, "x58"}, {1 << 62, 50, 50, "x10"},
	} {
		found := run(t, Search{Dir: dir, Query: "X", Days: c.days, Results: c.results, Now: day})
		if n := len(found.Matches); n != c.want || found.Matches[n-1].Content != c.last || found.Total != int64(n) {
			t.Errorf("days %d, results %d: %d matches, total %d, the last %s, want %d and %s",
				c.days, c.results, n, found.Total, found.Matches[n-1].Content, c.want, c.last)
		}
	}
	if m := run(t, Search{Dir: dir, Query: "x", Results: 1}).Matches[0]; m.Before == nil || m.Before.Content != "x58" || m.After != nil {
		t.Errorf("the neighbours of the newest line = %+v, %+v, want x58 and none", m.Before, m.After)
	}
	// A line that is too old to match is still a neighbour.
	oldest := run(t, Search{Dir: dir, Query: "x", Days: 3, Results: 50, Now: day}).Matches[3]
	if oldest.Before == nil || oldest.Before.Content != "x55" {
		t.Errorf("the neighbour before the oldest match = %+v, want x55", oldest.Before)
	}
}

// A session that was last written to before the days is not read, so that nobody
// hears of its broken lines; a file's time alone does not decide that.
func TestSearch_DaysReadOnlyWhatCanMatch(t *testing.T) {
	old, fresh := day.AddDate(0, 0, -9), day.AddDate(0, 0, -1)
	at := func(ts time.Time) string { return recordOf(t, ts, nameUser, "needle") }
	for _, c := range []struct {
		name, file string
		written    time.Time
		read       bool
	}{
		{"old", "broken\n" + at(old), old, false},
		{"written since", "broken\n" + at(old), fresh, true},
		{"set back", "broken\n" + at(fresh), old, true},
		{"torn", "broken\n" + at(old) + strings.TrimSuffix(at(fresh), "\n"), old, true},
		{"broken end", at(old) + "broken\n", old, true},
		{"long line", "broken\n" + recordOf(t, fresh, nameUser, strings.Repeat("needle ", 4<<10)), old, true},
		{"empty", "", old, false},
	} {
		dir := t.TempDir()
		store(t, dir, "s", c.file)
		noError(t, os.Chtimes(filepath.Join(dir, "s.jsonl"), c.written, c.written))
		found := run(t, Search{Dir: dir, Query: "needle", Days: 3, Now: day})
		if matches := strings.Contains(c.file, fresh.Format(time.RFC3339)); found.SkippedLines > 0 != c.read || len(found.Matches) > 0 != matches {
			t.Errorf("%s: Run() = %d matches, %d broken lines, want read %v, a match %v", c.name, len(found.Matches), found.SkippedLines, c.read, matches)
		}
		if all := run(t, Search{Dir: dir, Query: "needle"}); c.file != "" && all.SkippedLines != 1 {
			t.Errorf("%s: Run() without days = %d broken lines, want 1", c.name, all.SkippedLines)
		}
	}
}

func TestSearch_EveryLineMatches(t *testing.T) {
	dir, file := t.TempDir(), ""
	for i := range 20 {
		file += recordOf(t, day.Add(time.Duration(i)*time.Minute), nameUser, fmt.Sprintf("word %02d", i))
	}
	store(t, dir, "s", file)
	got := shortly(run(t, Search{Dir: dir, Query: "word", Results: 3}))
	want := []string{
		"s: user word 18 | user word 19 | -",
		"s: user word 17 | user word 18 | user word 19",
		"s: user word 16 | user word 17 | user word 18",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("matches between their neighbors (-want +got):\n%s", diff)
	}
}

func TestSearch_SameTime(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b", "a"} {
		store(t, dir, name, recordOf(t, day, nameUser, "x1")+recordOf(t, day, nameUser, "x2"))
	}
	var got []string
	for _, m := range run(t, Search{Dir: dir, Query: "x", Results: 3}).Matches {
		got = append(got, m.Session+m.Content)
	}
	if diff := cmp.Diff([]string{"ax2", "ax1", "bx2"}, got); diff != "" {
		t.Errorf("Run() (-want +got):\n%s", diff)
	}
}

func TestSearch_ShowsTheLineAroundTheMatch(t *testing.T) {
	dots := strings.Repeat("·", 1000)
	for _, c := range []struct{ name, content, query, want string }{
		{"whole", strings.Repeat("é", 299) + "x", "x", strings.Repeat("é", 299) + "x"},
		{"in the middle", dots + "needle" + dots, "NEEDLE", "..." + dots[:2*147] + "needle" + dots[:2*147] + "..."},
		{"near the start", "ab" + "needle" + dots, "NEEDLE", "ab" + "needle" + dots[:2*292] + "..."},
		{"near the end", dots + "needle" + "ab", "NEEDLE", "..." + dots[:2*292] + "needle" + "ab"},
		{"longer than is shown", "ab" + dots + "cd", dots[:2*400], "..." + dots[:2*300] + "..."},
		{"longer and all", dots[:2*301], dots[:2*301], dots[:2*300] + "..."},
		{"four bytes each", strings.Repeat("😀", 400) + "x" + strings.Repeat("😀", 400), "x", "..." + strings.Repeat("😀", 149) + "x" + strings.Repeat("😀", 150) + "..."},
		{"line breaks", "one\ntwo\nthree", "two", "one\ntwo\nthree"},
		{"the first of two", dots + "x1" + dots + "x2" + dots, "x", "..." + dots[:2*149] + "x1" + dots[:2*149] + "..."},
	} {
		dir := t.TempDir()
		store(t, dir, "s", recordOf(t, day, nameUser, dots)+recordOf(t, day, nameAssistant, c.content)+recordOf(t, day, nameUser, "after"))
		found := run(t, Search{Dir: dir, Query: c.query})
		if len(found.Matches) != 1 || found.Matches[0].Content != c.want {
			if c.query[0] != dots[0] { // the long queries match the neighbour too
				t.Errorf("%s: Run() = %+v, want %q", c.name, found.Matches, c.want)
			}
		}
		found = run(t, Search{Dir: dir, Query: c.query, Results: 3})
		for _, m := range found.Matches {
			if m.Role != "assistant" {
				continue
			}
			if diff := cmp.Diff(c.want, m.Content); diff != "" || m.Before.Content != dots[:2*300]+"..." || m.After.Content != "after" {
				t.Errorf("%s: %+v, %+v (-want +got):\n%s", c.name, m.Before, m.After, diff)
			}
		}
	}
}

func TestSearch_MatchesWhatEscapesStandFor(t *testing.T) {
	dir := t.TempDir()
	store(t, dir, "s", `{"content":"caf\u00e9 \"au\" lait\n\/\ud83d\ude00","ts":"2026-03-03T12:00:00Z","v":1,"role":"user"}`+"\n")
	for query, want := range map[string]int{"CAFÉ": 1, `"au" lait`: 1, "lait\n/": 1, "😀": 1, "u00e9": 0, `\n`: 0, "nlait": 0, "role": 0, "2026": 0} {
		if got := len(run(t, Search{Dir: dir, Query: query}).Matches); got != want {
			t.Errorf("Run(%q) has %d matches, want %d", query, got, want)
		}
	}
}

func TestSearch_BrokenLinesAreCountedAndPlaced(t *testing.T) {
	dir, good := t.TempDir(), recordOf(t, day, nameUser, "needle")
	store(t, dir, "s", good+"{\"needle\"\n"+good+strings.Repeat("\x00", 10)+"\n"+good+`{"v":1,"content":"needle`)
	found := run(t, Search{Dir: dir, Query: "needle", Results: 50})
	first := int64(len(good))
	want := []Place{{Session: "s", Offset: first}, {Session: "s", Offset: 2*first + 10}, {Session: "s", Offset: 3*first + 21}}
	if diff := cmp.Diff(want, found.Skipped); diff != "" || found.SkippedLines != 3 || len(found.Matches) != 3 {
		t.Errorf("Run() = %d matches, %d skipped (-want +got):\n%s", len(found.Matches), found.SkippedLines, diff)
	}
	store(t, dir, "s", strings.Repeat("x\n", 1000))
	if found := run(t, Search{Dir: dir, Query: "x"}); found.SkippedLines != 1000 || len(found.Skipped) != MaxPlaces {
		t.Errorf("Run() tells of %d lines and %d places, want 1000 and %d", found.SkippedLines, len(found.Skipped), MaxPlaces)
	}
}

func TestSearch_NothingThere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	found := run(t, Search{Dir: dir, Query: "x"})
	if found.Matches == nil || len(found.Matches) != 0 || found.Skipped == nil {
		t.Errorf("Run() without a folder = %+v, want no matches", found)
	}
	for _, query := range []string{"", " \n\t\u00a0"} {
		if _, err := (Search{Dir: dir, Query: query}).Run(t.Context()); !errors.Is(err, ErrNoQuery) {
			t.Errorf("Run(%q) = %v, want %v", query, err, ErrNoQuery)
		}
	}
}

// What is no session is not opened: a pipe would never end.
func TestSearch_OnlySessions(t *testing.T) {
	dir, good := t.TempDir(), recordOf(t, day, nameUser, "needle")
	store(t, dir, "s", good)
	for _, name := range []string{"s.meta.json", "s.jsonl.torn-1", ".hidden.jsonl", "a b.jsonl", "x.txt"} {
		noError(t, os.WriteFile(filepath.Join(dir, name), []byte(good), 0o600))
	}
	noError(t, os.Mkdir(filepath.Join(dir, "folder.jsonl"), 0o700))
	if found := run(t, Search{Dir: dir, Query: "needle", Results: 50}); len(found.Matches) != 1 {
		t.Errorf("Run() = %q, want the session alone", shortly(found))
	}
}

func TestSearch_Cancelled(t *testing.T) {
	dir := t.TempDir()
	store(t, dir, "s", recordOf(t, day, nameUser, "needle"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Search{Dir: dir, Query: "x"}).Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Run(cancelled) = %v, want %v", err, context.Canceled)
	}
}

// A line of 100 MB is skipped, and takes no more memory than a line may.
func TestSearch_MemoryDoesNotGrow(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "s.jsonl"))
	noError(t, err)
	w := bufio.NewWriter(f)
	text := recordOf(t, day, nameUser, "|")
	begin, end, _ := strings.Cut(text, "|")
	filler := strings.Repeat(`lorem ipsum \n`, 1<<10)
	_, _ = io.WriteString(w, text+begin)
	for range 100 << 20 / len(filler) {
		_, _ = io.WriteString(w, filler)
	}
	_, _ = io.WriteString(w, "needle"+filler+end+recordOf(t, day, nameUser, "needle"))
	noError(t, errors.Join(w.Flush(), f.Close()))

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found := run(t, Search{Dir: dir, Query: "NEEDLE"})
	runtime.ReadMemStats(&after)
	if len(found.Matches) != 1 || found.Matches[0].Content != "needle" || found.SkippedLines != 1 {
		t.Errorf("Run() = %q, %d skipped, want the one match behind the line", shortly(found), found.SkippedLines)
	}
	// Four times the longest line is what its buffer takes while it grows, and
	// twice as much under the race detector; the whole line would be twenty times.
	if used := after.TotalAlloc - before.TotalAlloc; used > 160<<20 {
		t.Errorf("Run() over 100 MB allocated %d bytes in all, want at most %d", used, 160<<20)
	}
}

// Whether a text is found does not depend on how its characters are written.
func TestSearch_HoweverItIsWritten(t *testing.T) {
	every := func(s string) string {
		var b strings.Builder
		for _, c := range s {
			fmt.Fprintf(&b, `\u%04x`, c)
		}
		return b.String()
	}
	plainly := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`)
	slashed := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "/", `\/`)
	for _, text := range []string{"a/b", "src/main.go", `say "x"`, "one\ntwo", `back\slash`, `back\nslash`, "\tn", "é", "n"} {
		for _, around := range []string{"", "\n", "x\\", "plain ", `"`} {
			for name, written := range map[string]string{"plain": plainly.Replace(around + text), "slashed": slashed.Replace(around + text), "numbers": every(around + text)} {
				dir := t.TempDir()
				store(t, dir, "s", `{"v":1,"ts":"2026-03-03T12:00:00Z","role":"user","content":"`+written+`"}`+"\n")
				for _, query := range []string{text, strings.ToUpper(text), text + "!", "!" + text} {
					want := 1
					if strings.Contains(query, "!") {
						want = 0
					}
					if found := run(t, Search{Dir: dir, Query: query}); len(found.Matches) != want {
						t.Errorf("%q in %s (%s) has %d matches, want %d", query, written, name, len(found.Matches), want)
					}
				}
			}
		}
	}
	// A backslash and a letter are no line feed, and the other way round.
	dir := t.TempDir()
	store(t, dir, "s", recordOf(t, day, nameUser, "one\nnext"))
	for query, want := range map[string]int{`\nnext`: 0, "nnext": 0, "one\nn": 1, "e\nnext": 1, "next": 1} {
		if got := len(run(t, Search{Dir: dir, Query: query}).Matches); got != want {
			t.Errorf("Run(%q) has %d matches, want %d", query, got, want)
		}
	}
}
