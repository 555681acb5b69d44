package comment

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report/document"
	"github.com/openagent-ci/openagent/internal/report/transcript"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/openagent-ci/openagent/schema"
)

// maxInline bounds the comments on lines of one review. More of them nobody reads.
const maxInline = 30

// Review is the answer of a saved run, as a review of its pull request.
type Review struct {
	schema.Review
	address string // of the run
}

// ReadReview reads the final text of the run whose evidence is in the folder dir. The
// evidence must be as it was saved, and the text match the schema of reviews.
func ReadReview(ctx context.Context, p process.Env, dir string) (r Review, err error) {
	saved, err := read(ctx, p, dir, transcript.New(maxBody))
	if err != nil {
		return r, err
	}
	defer saved.Close()
	r.address = runAddress(p, saved.Manifest.Job)
	r.Review, err = schema.DecodeReview(saved.Text(evidence.FinalOutputFile, 16<<20, false))
	if err != nil {
		return r, refused("the answer in %s is no %s: %w", dir, schema.ReviewVersion, err)
	}
	// The most important first, and each once.
	slices.SortStableFunc(r.Comments, func(a, b schema.ReviewComment) int {
		return cmp.Compare(slices.Index(severities, a.Severity), slices.Index(severities, b.Severity))
	})
	r.Comments = once(r.Comments)
	return r, nil
}

// once leaves the first of the comments that have the same line and text.
func once(comments []schema.ReviewComment) []schema.ReviewComment {
	seen := map[string]bool{}
	return slices.DeleteFunc(comments, func(c schema.ReviewComment) bool {
		defer func(id string) { seen[id] = true }(identity(c))
		return seen[identity(c)]
	})
}

var severities = []string{"error", "warning", "note"}

// Body returns the summary of the review with the comments that are on no line of the
// change, as far as there is room.
func (r Review) Body(key string, rest []schema.ReviewComment) string {
	head := []document.Block{document.Title{Level: 2, Text: "openagent: review"}, document.Text{Text: r.Summary}}
	if n := len(r.Comments) - len(rest); n > 0 {
		head = append(head, document.Text{Text: fmt.Sprintf("Comments on lines of the change: %d", n)})
	}
	end := ""
	if r.address != "" {
		end = document.Markdown(document.Link{Text: "The run", URL: r.address})
	}
	room := maxBody - len(markdown(head...)+end) - 200
	var list document.List
	for i, c := range rest {
		item := fmt.Sprintf("%s:%d: %s: %s", c.Path, c.Line, c.Severity, c.Body)
		if room -= len(markdown(document.List{item})); room < 0 {
			end = fmt.Sprintf("%d more comments are left out.\n\n", len(rest)-i) + end
			break
		}
		list = append(list, item)
	}
	if len(list) > 0 {
		head = append(head, document.Title{Level: 3, Text: "Other comments"}, list)
	}
	return marker(reviewKey(key)) + "\n" + markdown(head...) + end
}

// commits are what GitHub takes for the id of a commit.
var commits = lazyregexp.New(`(?i)\b[0-9a-f]{7,40}\b`)

// markdown returns blocks in which nothing is the id of a commit, which becomes a link.
func markdown(blocks ...document.Block) string {
	return string(commits().ReplaceAllFunc([]byte(document.Markdown(blocks...)), func(id []byte) []byte {
		return bytes.Join(slices.Collect(slices.Chunk(id, 6)), []byte(mark))
	}))
}

// reviewKey is the name of the summary of a review; no other comment can have it.
func reviewKey(key string) string { return key + ":review" }

// PostReview writes the comments on lines of the change and the summary, and returns the
// address of the summary. A comment of an earlier run stays when it is in this review,
// too. Otherwise it is deleted, unless somebody answered it.
func PostReview(ctx context.Context, p *process.Process, r Review, t Target) (address string, err error) {
	j, api, err := begin(ctx, p, t)
	if err != nil {
		return "", err
	}
	pull := fmt.Sprintf("repos/%s/pulls/%d", j.repository, t.PullRequest)
	changed, err := changedLines(ctx, api, pull)
	if err != nil {
		return "", err
	}
	r.Comments = once(changed.current(r.Comments))
	inline, rest := changed.split(r.Comments)
	old, answered, err := t.earlier(ctx, api, pull)
	if err != nil {
		return "", err
	}
	type newComment struct {
		Path string `json:"path"`
		Line int    `json:"line"`
		Side string `json:"side"`
		Body string `json:"body"`
	}
	var news []newComment
	for _, c := range inline {
		first := t.reviewMarker(c)
		if i := slices.IndexFunc(old, func(o posted) bool { return o.Path == c.Path && o.Line == c.Line && firstLine(o.Body) == first }); i >= 0 {
			old = slices.Delete(old, i, i+1)
			continue
		}
		line, more, _ := strings.Cut(strings.TrimSpace(c.Body), "\n")
		body := markdown(document.Text{Label: c.Severity, Text: line}, document.Text{Text: more})
		news = append(news, newComment{c.Path, c.Line, "RIGHT", first + "\n" + body})
	}
	if len(news) > 0 { // one request, so that people get one notification
		review := map[string]any{"event": "COMMENT", "commit_id": j.head, "body": fmt.Sprintf("openagent: %d comments", len(news)), "comments": news}
		if err := api.call(ctx, "POST", pull+"/reviews", review, nil); err != nil {
			return "", fmt.Errorf("write the review: %w", err)
		}
	}
	for _, o := range old {
		if answered[o.ID] {
			continue
		}
		if err := api.call(ctx, "DELETE", fmt.Sprintf("repos/%s/pulls/comments/%d", j.repository, o.ID), nil, nil); err != nil {
			return "", fmt.Errorf("delete a comment that no longer applies: %w", err)
		}
	}
	body := r.Body(t.Key, rest)
	t.Key = reviewKey(t.Key)
	return Post(ctx, p, body, t)
}

// identity is what makes two comments the same.
func identity(c schema.ReviewComment) string { return fmt.Sprintf("%s:%d:%s", c.Path, c.Line, c.Body) }

// reviewMarker is the first line of a comment of a review. It holds the text, since the
// text that was posted is escaped; path and line are known to GitHub.
func (t Target) reviewMarker(c schema.ReviewComment) string {
	return marker(fmt.Sprintf("%s:%.16x", reviewKey(t.Key), sha256.Sum256([]byte(c.Severity+c.Body))))
}

// earlier returns the comments of reviews with this key that the author wrote, and the
// ids of those that have an answer.
func (t Target) earlier(ctx context.Context, api client, pull string) (own []posted, answered map[int64]bool, err error) {
	answered = map[int64]bool{}
	begins := strings.TrimSuffix(marker(reviewKey(t.Key)+":"), " -->")
	for c, err := range pages[posted](ctx, api, pull+"/comments") {
		if err != nil {
			return nil, nil, fmt.Errorf("list the comments of reviews: %w", err)
		}
		answered[c.Answers] = true
		if t.wrote(c) && strings.HasPrefix(c.Body, begins) && c.Answers == 0 {
			own = append(own, c)
		}
	}
	return own, answered, nil
}

// change holds the lines of a change that a comment can be on, by path.
type change struct {
	lines   map[string]map[int]bool
	renamed map[string]string // new paths by the old ones
}

// changedLines reads the change of a pull request.
func changedLines(ctx context.Context, api client, pull string) (change, error) {
	c := change{map[string]map[int]bool{}, map[string]string{}}
	type file struct {
		Name     string `json:"filename"`
		Previous string `json:"previous_filename"`
		Patch    string
	}
	for f, err := range pages[file](ctx, api, pull+"/files") {
		if err != nil {
			return c, fmt.Errorf("list the changed files: %w", err)
		}
		c.lines[f.Name] = newLines(f.Patch)
		c.renamed[f.Previous] = f.Name
	}
	return c, nil
}

// newLines returns the lines of the new file that a patch shows. GitHub leaves the patch
// of a binary or very large file out.
func newLines(patch string) map[int]bool {
	lines, next := map[int]bool{}, 0
	for line := range strings.Lines(patch) {
		switch {
		case strings.HasPrefix(line, "@@"):
			_, after, _ := strings.Cut(line, "+")
			next = 0
			fmt.Sscanf(after, "%d", &next)
		case strings.HasPrefix(line, "+"), strings.HasPrefix(line, " "):
			lines[next] = true
			next++
		}
	}
	return lines
}

// current returns the comments under the new names of their files.
func (c change) current(comments []schema.ReviewComment) []schema.ReviewComment {
	comments = slices.Clone(comments)
	for i, comment := range comments {
		if c.lines[comment.Path] == nil {
			comments[i].Path = cmp.Or(c.renamed[comment.Path], comment.Path)
		}
	}
	return comments
}

// split returns the comments that are on lines of the change, at most maxInline, and the
// rest.
func (c change) split(comments []schema.ReviewComment) (inline, rest []schema.ReviewComment) {
	for _, comment := range comments {
		if c.lines[comment.Path][comment.Line] && len(inline) < maxInline {
			inline = append(inline, comment)
		} else {
			rest = append(rest, comment)
		}
	}
	return inline, rest
}
