package comment_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/github/comment"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/testkit/fakegithub"
	"github.com/openagent-ci/openagent/schema"
)

// review leaves the evidence of a run whose answer is a review, and reads it.
func review(t *testing.T, comments ...schema.ReviewComment) comment.Review {
	t.Helper()
	text, err := json.Marshal(schema.Review{Summary: "Two defects.\nAsk @octocat.", Comments: append([]schema.ReviewComment{}, comments...)})
	if err != nil {
		t.Fatal(err)
	}
	r, err := comment.ReadReview(t.Context(), process.Env{}, saveAnswer(t, string(text), nil))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func on(path string, line int, severity, body string) schema.ReviewComment {
	return schema.ReviewComment{Path: path, Line: line, Severity: severity, Body: body}
}

// changed is the change of pull request 7: lines 10 to 12 of a.go with one deleted and
// one added, a renamed file, and one whose patch GitHub leaves out.
func changed(hub *fakegithub.Server) {
	hub.Files = map[int][]fakegithub.File{7: {
		{Name: "a.go", Patch: "@@ -10,3 +10,3 @@ func a(b+1)\n before\n-was\n+is\n after\n\\ No newline at end of file", Lines: []int{10, 11, 12}},
		{Name: "new.go", Previous: "old.go", Patch: "@@ -1 +1 @@\n-x\n+y", Lines: []int{1}},
		{Name: "image.png"},
	}}
}

// shown returns the comments of reviews as path:line and text, the marker left out.
func shown(hub *fakegithub.Server) (list []string) {
	for _, c := range hub.Reviewed(7) {
		line := 0
		if c.Line != nil {
			line = *c.Line
		}
		_, text, _ := strings.Cut(c.Body, "\n")
		list = append(list, fmt.Sprintf("%s:%d %s", c.Path, line, strings.TrimSpace(text)))
	}
	slices.Sort(list)
	return list
}

func post(t *testing.T, p *process.Process, r comment.Review) {
	t.Helper()
	if address, err := comment.PostReview(t.Context(), p, r, target(7, "run")); err != nil || !strings.Contains(address, "#issuecomment-") {
		t.Errorf("PostReview = %q, %v, want the address of the summary", address, err)
	}
}

// Only lines of the change get a comment; everything else is in the summary, as text.
func TestPostReview_LinesOfTheChange(t *testing.T) {
	hub, p, _ := begin(t, `{"workflow_run":{"head_sha":"`+head+`"}}`) // as for a pull request of a fork
	changed(hub)
	post(t, p, review(t,
		on("a.go", 12, "note", "the last line"), on("a.go", 11, "error", "[x](https://evil.test) @octocat <img src=x>\n/merge `a` <!-- b -->"), on("a.go", 10, "warning", "the first line"),
		on("a.go", 12, "note", "the last line"), on("old.go", 1, "note", "under its old name"),
		on("a.go", 9, "note", "before it"), on("a.go", 13, "note", "after it"), on("image.png", 1, "note", "no patch"), on("../a.go", 10, "error", "outside"), on("/etc/passwd", 1, "note", "@octocat"),
	))
	want := []string{
		"a.go:10 **warning:** the first line",
		"a.go:11 **error:** \\[x\\](https:\u200b//evil.test) @\u200boctocat &lt;img src=x>\n\n\u200b/merge \\`a\\` &lt;\\!-- b -->",
		"a.go:12 **note:** the last line",
		"new.go:1 **note:** under its old name",
	}
	if diff := cmp.Diff(want, shown(hub)); diff != "" {
		t.Errorf("comments on lines (-want +got):\n%s", diff)
	}
	const summary = "<!-- openagent:run:review -->\n### openagent: review\n\nTwo defects.  \nAsk @\u200boctocat.\n\nComments on lines of the change: 4\n\n#### Other comments\n\n" +
		"- ../a.go:10: error: outside\n- a.go:9: note: before it\n- a.go:13: note: after it\n- image.png:1: note: no patch\n- \u200b/etc/passwd:1: note: @\u200boctocat\n\n"
	if got := hub.Comments(7); len(got) != 1 || !cmp.Equal(got[0].Body, summary) {
		t.Errorf("the summary (-want +got):\n%s", cmp.Diff(summary, got[0].Body))
	}
}

// Comments with the same text are one where they fall on the same line.
func TestPostReview_OnceForALine(t *testing.T) {
	hub, p, _ := begin(t, pullRequest)
	changed(hub)
	r := review(t, on("old.go", 1, "error", "same"), on("new.go", 1, "note", "same"), on("new.go", 1, "note", "other"), on("old.go", 9, "note", "same"), on("new.go", 9, "note", "same"))
	for range 2 {
		post(t, p, r)
		if diff := cmp.Diff([]string{"new.go:1 **error:** same", "new.go:1 **note:** other"}, shown(hub)); diff != "" {
			t.Errorf("comments on lines (-want +got):\n%s", diff)
		}
		if got := hub.Comments(7)[0].Body; !strings.Contains(got, "Comments on lines of the change: 2\n") || !strings.HasSuffix(got, "#### Other comments\n\n- new.go:9: note: same\n\n") {
			t.Errorf("the summary is %q, want 2 comments on lines and another one", got)
		}
	}
}

// Names of issues and commits, which GitHub makes links of, are text.
func TestPostReview_LinksNothing(t *testing.T) {
	hub, p, _ := begin(t, pullRequest)
	changed(hub)
	r := review(t, on("a.go", 10, "note", "GH-12 gh-3 1234567 ABCDEF1 abc\x00defa "+head+"\n0123abc, "+head+"0 abcdef"), on("b.go", 1, "note", "GH-12 0123abc"))
	r.Summary = "GH-12 0123abc"
	post(t, p, r)
	want := "a.go:10 **note:** GH\u200b-12 gh\u200b-3 123456\u200b7 ABCDEF\u200b1 abcdef\u200ba 012345\u200b6789ab\u200bcdef01\u200b234567\u200b89abcd\u200bef0123\u200b4567\n\n0123ab\u200bc, " + head + "0 abcdef"
	if diff := cmp.Diff([]string{want}, shown(hub)); diff != "" {
		t.Errorf("comments on lines (-want +got):\n%s", diff)
	}
	if got := hub.Comments(7)[0].Body; strings.Count(got, "GH\u200b-12 0123ab\u200bc\n") != 2 {
		t.Errorf("the summary is %q, want the same of it and of its list", got)
	}
}

// Later runs repeat nothing, delete what no longer applies, and leave alone what others
// wrote or answered.
func TestPostReview_Again(t *testing.T) {
	hub, p, _ := begin(t, pullRequest)
	changed(hub)
	first, second, third := on("a.go", 10, "error", "first"), on("a.go", 11, "error", "second"), on("a.go", 12, "error", "third")
	post(t, p, review(t, first, second, third))
	posted := hub.Reviewed(7)
	hub.AddReviewed(7, fakegithub.Comment{Body: "you are right", User: fakegithub.User{Login: "alice"}, Path: "a.go", Answers: posted[1].ID})
	outdated := posted[0]
	outdated.Line, outdated.Path = nil, "gone.go"
	hub.AddReviewed(7, outdated)
	foreign := posted[0]
	foreign.User.Login, foreign.Path = "mallory", "mallory.go"
	hub.AddReviewed(7, foreign)
	foreign.User, foreign.Path = posted[0].User, "other-key.go"
	foreign.Body = strings.Replace(foreign.Body, "openagent:run:", "openagent:lint:", 1)
	hub.AddReviewed(7, foreign)

	post(t, p, review(t, third, first))
	want := []string{
		"a.go:0 ", "a.go:10 **error:** first", "a.go:11 **error:** second", "a.go:12 **error:** third",
		"mallory.go:10 **error:** first", "other-key.go:10 **error:** first",
	}
	if diff := cmp.Diff(want, shown(hub)); diff != "" {
		t.Errorf("after the second run (-want +got):\n%s", diff)
	}
	post(t, p, review(t))
	want = []string{"a.go:0 ", "a.go:11 **error:** second", "mallory.go:10 **error:** first", "other-key.go:10 **error:** first"}
	if diff := cmp.Diff(want, shown(hub)); diff != "" {
		t.Errorf("after a run without comments (-want +got):\n%s", diff)
	}
	if got := hub.Comments(7); len(got) != 1 || strings.Contains(got[0].Body, "Comments on lines") {
		t.Errorf("the summaries are %v, want one, that was edited", got)
	}
}

// Of many comments the most severe are on their lines, and the summary stays in bounds.
func TestPostReview_Many(t *testing.T) {
	hub, p, _ := begin(t, pullRequest)
	changed(hub)
	var comments []schema.ReviewComment
	for i := range 40 {
		comments = append(comments, on("a.go", 10+i%3, "note", fmt.Sprint("note ", i)))
	}
	for i := range 460 {
		comments = append(comments, on("a.go", 10+i%3, []string{"error", "warning"}[min(i, 25)/25], fmt.Sprintf("%d %s", i, strings.Repeat("@", 1500))))
	}
	post(t, p, review(t, comments...))
	if got := shown(hub); len(got) != 30 || strings.Count(strings.Join(got, "\n"), "**error:**") != 25 {
		t.Errorf("%d comments on lines, want 30, all 25 errors among them", len(got))
	}
	body := hub.Comments(7)[0].Body
	if len(body) > 60<<10 || !strings.Contains(body, "Comments on lines of the change: 30") || !strings.Contains(body, "more comments are left out") {
		t.Errorf("the summary has %d bytes, want at most 60 Ki, and that it was cut:\n%.300s", len(body), body)
	}
	for _, c := range hub.Reviewed(7) {
		if len(c.Body) > 60<<10 {
			t.Errorf("a comment has %d bytes", len(c.Body))
		}
	}
}

// A failed request leaves nothing that the next run does not set right.
func TestPostReview_FailsHalfWay(t *testing.T) {
	for failing := 1; failing <= 8; failing++ { // look, files, comments, review, delete, look, list, edit
		hub, p, _ := begin(t, pullRequest)
		changed(hub)
		post(t, p, review(t, on("a.go", 10, "error", "old")))
		hub.FailAt(len(hub.Log()) + failing)
		again := review(t, on("a.go", 11, "error", "new"))
		if _, err := comment.PostReview(t.Context(), p, again, target(7, "run")); err == nil || !strings.Contains(err.Error(), "HTTP 502") {
			t.Errorf("request %d fails: PostReview = %v", failing, err)
		}
		post(t, p, again)
		if got := shown(hub); !slices.Equal(got, []string{"a.go:11 **error:** new"}) || len(hub.Comments(7)) != 1 {
			t.Errorf("after request %d failed the comments are %q", failing, got)
		}
	}
}

func TestReadReview_Refuses(t *testing.T) {
	for answer, want := range map[string]string{
		"I would approve it.":             "the answer in",
		`{"summary": "x"}`:                "comments",
		`{"summary": "", "comments": []}`: "/summary",
		`{"summary": "x", "comments": [{"path": "a", "line": 1.5, "severity": "note", "body": "b"}]}`:                                                                          "a whole number",
		`{"summary": "x", "comments": [{"path": "a", "line": 0, "severity": "note", "body": "b"}]}`:                                                                            "/comments/0/line",
		`{"summary": "x", "comments": [{"path": "a", "line": 1, "severity": "fatal", "body": "b"}]}`:                                                                           "/comments/0/severity",
		`{"summary": "x", "comments": [], "event": "APPROVE"}`:                                                                                                                 "event",
		`{"summary": "x", "comments": [` + strings.Repeat(`{"path":"a","line":1,"severity":"note","body":"b"},`, 500) + `{"path":"a","line":1,"severity":"note","body":"b"}]}`: "/comments",
	} {
		_, err := comment.ReadReview(t.Context(), process.Env{}, saveAnswer(t, answer, nil))
		if !errors.As(err, new(*comment.RefusedError)) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), schema.ReviewVersion) {
			t.Errorf("ReadReview of %.80s = %v, want a refusal about %s", answer, err, want)
		}
	}
	for _, line := range []string{"2.0", "0.2e1", "20E-1", "2"} {
		text := `{"summary": "x", "comments": [{"path": "a", "line": ` + line + `, "severity": "note", "body": "b"}]}`
		r, err := comment.ReadReview(t.Context(), process.Env{}, saveAnswer(t, text, nil))
		if want := []schema.ReviewComment{on("a", 2, "note", "b")}; err != nil || !cmp.Equal(want, r.Comments) {
			t.Errorf("ReadReview with the line %s = %v, %v, want %v", line, r.Comments, err, want)
		}
	}
	dir := saveAnswer(t, "```json\n{\"summary\": \"x\", \"comments\": []}\n```", nil)
	if r, err := comment.ReadReview(t.Context(), process.Env{}, dir); err != nil || r.Summary != "x" {
		t.Errorf("ReadReview of an answer in a fence = %v, %v", r, err)
	}
	if err := os.WriteFile(dir+"/final_output.md", []byte(`{"summary": "y", "comments": []}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := comment.ReadReview(t.Context(), process.Env{}, dir); err == nil || !strings.Contains(err.Error(), "not as it was saved") {
		t.Errorf("ReadReview of altered evidence = %v, want a refusal", err)
	}
}
