package history

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// said returns talk as short words.
func said(past Past) []string {
	list := []string{}
	for _, t := range past.Talk {
		m := t.Message()
		list = append(list, string(m.Role)+" "+m.Content)
	}
	return list
}

// unasked fails the test when a summary is asked for.
func unasked(t *testing.T) Summarise {
	return func(context.Context, string, string) (string, error) {
		t.Error("a summary was asked for")
		return "", nil
	}
}

// talk returns a session of n prompts and answers, each followed by lines of
// the other roles.
func talk(t testing.TB, n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		b.WriteString(lineOf(t, noon, roleUser, fmt.Sprintf("q%d", i)))
		for _, r := range []Role{roleToolCall, roleToolResult, roleTool, roleSystem} {
			b.WriteString(lineOf(t, noon, r, strings.Repeat("never sent ", 100)))
		}
		b.WriteString(lineOf(t, noon, roleAssistant, fmt.Sprintf("a%d", i)))
	}
	return b.String()
}

func TestBegin_WindowCountsTalkAlone(t *testing.T) {
	for _, c := range []struct {
		window int
		file   string
		want   []string
	}{
		{3, talk(t, 200), []string{"assistant a199", "user q200", "assistant a200"}},
		{1, talk(t, 2) + strings.Repeat(lineOf(t, noon, roleToolResult, strings.Repeat("x", readerBytes)), 3), []string{"assistant a2"}},
		{40, talk(t, 2), []string{"user q1", "assistant a1", "user q2", "assistant a2"}},
		{0, talk(t, 2), []string{}},
		{5, "", []string{}},
		{5, "broken\n" + talk(t, 1) + "\n", []string{"user q1", "assistant a1"}},
		{2, lineOf(t, noon, roleUser, strings.Repeat("é", 3*readerBytes)) + talk(t, 1), []string{"user q1", "assistant a1"}},
		{1, lineOf(t, noon, roleUser, strings.Repeat("é", 3*readerBytes)), []string{"user " + strings.Repeat("é", 3*readerBytes)}},
		{1, strings.Replace(lineOf(t, noon, roleUser, "x"), "x", "\xff", 1), []string{"user \ufffd"}},
	} {
		dir := t.TempDir()
		put(t, dir, "s", c.file)
		s, _ := opened(t, Options{Dir: dir, Session: "s", Window: c.window})
		past, err := s.Begin(t.Context(), "new", unasked(t))
		if diff := cmp.Diff(c.want, said(past)); diff != "" || err != nil {
			t.Errorf("Begin(window %d of %.40q) (-want +got), %v:\n%.400s", c.window, c.file, err, diff)
		}
		if !strings.HasSuffix(stored(t, s), `"role":"user","content":"new"}`+"\n") {
			t.Errorf("Begin(window %d) did not append the prompt", c.window)
		}
	}
}

// Broken lines are told of by the first run that meets them, and by no other.
func TestBegin_ReportsBrokenLinesOnce(t *testing.T) {
	for _, consolidation := range []*Consolidation{nil, {Threshold: 100, Keep: 0.2}} {
		dir, first := t.TempDir(), talk(t, 1)
		put(t, dir, "s", first+"broken\n\n"+talk(t, 1))
		for i, want := range []string{fmt.Sprintf("lines=2 offset=%d", len(first)), "", "lines=1"} {
			s, log := opened(t, Options{Dir: dir, Session: "s", Window: 40, Consolidation: consolidation})
			_, err := s.Begin(t.Context(), "new", unasked(t))
			if err != nil || !strings.Contains(log.String(), want) || (log.Len() == 0) != (want == "") {
				t.Errorf("Begin() of run %d = %v, log %q, want %q", i, err, log, want)
			}
			must(t, s.Close())
			if i == 1 {
				f, err := os.OpenFile(s.path(linesKind), os.O_APPEND|os.O_WRONLY, 0)
				must(t, err)
				_, err = f.WriteString("\n")
				must(t, errors.Join(err, f.Close()))
			}
		}
	}
}

// What was reported of another file of the name says nothing of this one.
func TestBegin_ReportsBrokenLinesOfAnotherFile(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "s", "broken\n"+talk(t, 1))
	must(t, os.WriteFile(filepath.Join(dir, "s"+metaKind), []byte(`{"v":1,"summary":"","cursor":0,"told":1000000}`), 0o600))
	s, log := opened(t, Options{Dir: dir, Session: "s", Window: 40})
	if _, err := s.Begin(t.Context(), "new", unasked(t)); err != nil || !strings.Contains(log.String(), "lines=1 offset=0") {
		t.Errorf("Begin() = %v, log %q, want the broken line reported", err, log)
	}
}

// Reading the window costs the end of the file, however long the file is.
func TestBegin_WindowOfAHugeSession(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "s", "")
	path := filepath.Join(dir, "s"+linesKind)
	must(t, os.Truncate(path, 1<<40)) // a hole: reading it whole would take for ever
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString("\n" + talk(t, 100))
	must(t, errors.Join(err, f.Close()))
	s, log := opened(t, Options{Dir: dir, Session: "s", Window: 150})
	past, err := s.Begin(t.Context(), "new", unasked(t))
	must(t, err)
	if got := said(past); len(got) != 150 || got[0] != "user q26" || got[149] != "assistant a100" {
		t.Errorf("Begin() of a huge session = %q, want the last 150 lines of talk", got)
	}
	if log.Len() > 0 {
		t.Errorf("Begin() of a huge session warns: %s", log)
	}
}

// consolidating opens a session of n prompts and answers with a threshold of 10
// and 3 lines kept.
func consolidating(t *testing.T, dir string, file string) (*Session, *strings.Builder) {
	t.Helper()
	if file != "" {
		put(t, dir, "s", file)
	}
	return opened(t, Options{Dir: dir, Session: "s", Window: 1, Consolidation: &Consolidation{Threshold: 10, Keep: 0.39}})
}

func TestBegin_SummaryBeyondTheThreshold(t *testing.T) {
	dir := t.TempDir()
	s, _ := consolidating(t, dir, talk(t, 5)+lineOf(t, noon, roleUser, "q6"))
	var asked string
	past, err := s.Begin(t.Context(), "new", func(_ context.Context, instructions, talk string) (string, error) {
		if !strings.Contains(instructions, "Write one summary") {
			t.Errorf("instructions = %q", instructions)
		}
		asked = talk
		return "they spoke", nil
	})
	must(t, err)
	if want := "USER: q1\n\nASSISTANT: a1\n\nUSER: q2\n\nASSISTANT: a2\n\nUSER: q3\n\nASSISTANT: a3\n\nUSER: q4\n\nASSISTANT: a4\n\n"; asked != want {
		t.Errorf("asked to summarise %q, want %q", asked, want)
	}
	if diff := cmp.Diff([]string{"user q5", "assistant a5", "user q6"}, said(past)); diff != "" || past.Summary != "they spoke" || past.Closing {
		t.Errorf("Begin() = %+v (-want +got):\n%s", past, diff)
	}
	meta, err := os.ReadFile(s.path(metaKind))
	if want := `{"v":1,"summary":"they spoke","cursor":8}` + "\n"; err != nil || string(meta) != want {
		t.Errorf("meta = %s, %v, want %s", meta, err, want)
	}
	// The next one has all behind the cursor, and the summary so far goes into
	// the next summary.
	must(t, s.Close())
	s, _ = consolidating(t, dir, "")
	past, err = s.Begin(t.Context(), "newer", unasked(t))
	if diff := cmp.Diff([]string{"user q5", "assistant a5", "user q6", "user new"}, said(past)); diff != "" || err != nil || past.Summary != "they spoke" {
		t.Errorf("Begin() = %+v, %v (-want +got):\n%s", past, err, diff)
	}
	for range 6 {
		must(t, s.Answer(t.Context(), "more"))
	}
	_, err = s.Begin(t.Context(), "newest", func(_ context.Context, _, talk string) (string, error) {
		if want := "SUMMARY SO FAR: they spoke\n\nUSER: q5\n\n"; !strings.HasPrefix(talk, want) {
			t.Errorf("asked to summarise %q, want it to begin with %q", talk, want)
		}
		return "they spoke more", nil
	})
	must(t, err)
	if s.loadMeta(); s.meta.Cursor != 16 || s.meta.Summary != "they spoke more" {
		t.Errorf("meta = %+v, want cursor 16", s.meta)
	}
}

func TestBegin_WhenItIsTimeToSummarise(t *testing.T) {
	for lines, want := range map[int]struct{ closing, asked bool }{
		7: {false, false}, 8: {true, false}, 9: {true, false}, 10: {true, false}, 11: {false, true},
	} {
		s, _ := consolidating(t, t.TempDir(), strings.Repeat(lineOf(t, noon, roleUser, "q")+lineOf(t, noon, roleToolCall, "t()"), lines))
		asked := false
		past, err := s.Begin(t.Context(), "new", func(context.Context, string, string) (string, error) { asked = true; return "s", nil })
		if err != nil || past.Closing != want.closing || asked != want.asked {
			t.Errorf("Begin() of %d lines: closing %v, asked %v, %v, want %+v", lines, past.Closing, asked, err, want)
		}
	}
}

func TestConsolidation_Kept(t *testing.T) {
	for c, want := range map[Consolidation]int{{100, 0.2}: 20, {10, 0.39}: 3, {4, 0.2}: 1, {100, 0}: 1, {5, 1}: 5, {100, 0.29}: 29, {1000, 0.0289}: 28} {
		if got := c.unsummarized(); got != want {
			t.Errorf("%+v.kept() = %d, want %d", c, got, want)
		}
	}
}

func TestBegin_FailedSummaryLeavesAllAsItWas(t *testing.T) {
	for name, c := range map[string]struct {
		before    func(t *testing.T, s *Session)
		summarise Summarise
	}{
		"no summary": {func(*testing.T, *Session) {}, func(context.Context, string, string) (string, error) {
			return "", errors.New("overloaded")
		}},
		"not saved": {func(t *testing.T, s *Session) {
			must(t, os.MkdirAll(filepath.Join(s.path(metaKind), "in the way"), 0o700))
		}, func(context.Context, string, string) (string, error) { return "they spoke", nil }},
	} {
		s, log := consolidating(t, t.TempDir(), talk(t, 6))
		c.before(t, s)
		before := stored(t, s)
		past, err := s.Begin(t.Context(), "new", c.summarise)
		if err != nil || len(past.Talk) != 12 || past.Summary != "" || !past.Closing {
			t.Errorf("Begin(%s) = %d lines, summary %q, closing %v, %v, want all 12", name, len(past.Talk), past.Summary, past.Closing, err)
		}
		if s.loadMeta(); !strings.HasPrefix(stored(t, s), before) || s.meta.Cursor != 0 {
			t.Errorf("Begin(%s) changed what was there", name)
		}
		if !strings.Contains(log.String(), "could not be summarised and stays as it is") {
			t.Errorf("Begin(%s): log %q, want a warning", name, log)
		}
	}
}

func TestBegin_SummaryThatCannotBeTrusted(t *testing.T) {
	for meta, want := range map[string]string{
		`{"v":1,"summary":"old","cursor":5}`: "stands for more lines than there are and is dropped",
		`{"v":1,"summary":"old",`:            "cannot be read and is left out",
		`{"v":2,"summary":"old","cursor":1}`: "cannot be read and is left out",
		`{"v":1,"summary":"o","cursor":-1}`:  "cannot be read and is left out",
	} {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, "s"+metaKind), []byte(meta), 0o600))
		s, log := consolidating(t, dir, talk(t, 2))
		past, err := s.Begin(t.Context(), "new", unasked(t))
		if err != nil || len(past.Talk) != 4 || past.Summary != "" || !strings.Contains(log.String(), want) {
			t.Errorf("Begin(%s) = %d lines, summary %q, %v, log %q, want all 4 and %q", meta, len(past.Talk), past.Summary, err, log, want)
		}
		// The cursor does not come to life when the file has grown.
		must(t, s.Answer(t.Context(), "a"))
		if past, err := s.Begin(t.Context(), "newer", unasked(t)); err != nil || len(past.Talk) != 6 {
			t.Errorf("Begin(%s) again = %d lines, %v, want all 6", meta, len(past.Talk), err)
		}
	}
}

// A summary of another file is not used either when that cannot be saved.
func TestBegin_DroppedSummaryThatCannotBeSaved(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s"+metaKind)
	must(t, os.WriteFile(path, []byte(`{"v":1,"summary":"old","cursor":5}`), 0o600))
	s, log := consolidating(t, dir, talk(t, 2))
	must(t, os.Remove(path))
	must(t, os.MkdirAll(filepath.Join(path, "in the way"), 0o700))
	past, err := s.Begin(t.Context(), "new", unasked(t))
	if err != nil || len(past.Talk) != 4 || past.Summary != "" || !strings.Contains(log.String(), "the dropped summary of a session is still saved") {
		t.Errorf("Begin() = %d lines, summary %q, %v, log %q, want all 4, no summary and a warning", len(past.Talk), past.Summary, err, log)
	}
}

// No role of a message can be made of a line's role, and of a line about a tool
// no message.
func TestRoles_AreNoRolesOfMessages(t *testing.T) {
	if reflect.TypeFor[Role]().ConvertibleTo(reflect.TypeFor[chat.Role]()) {
		t.Error("a role converts to one of messages")
	}
	for _, r := range []Role{roleToolCall, roleToolResult, roleTool, roleSystem} {
		if r.isTalk() {
			t.Errorf("%s is talk", r.name)
		}
	}
	talk := reflect.TypeFor[Talk]()
	for i := range talk.NumField() {
		if f := talk.Field(i); f.IsExported() {
			t.Errorf("Talk.%s could be filled from anything", f.Name)
		}
	}
}
