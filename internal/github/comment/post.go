package comment

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/url"
	"strings"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// Target is where a comment goes.
type Target struct {
	PullRequest int64
	// Key tells comments of several jobs apart.
	Key string
	// Author is the login that writes the comment, and so that of the one to edit.
	Author string
}

// Check says what is wrong with a target.
func (t Target) Check() error {
	if !record.ValidID(t.Key) {
		return fmt.Errorf("the key is %q: %w", t.Key, record.ErrID)
	}
	if t.Author == "" {
		return fmt.Errorf("the author is empty: want the login that the comment is written by")
	}
	return nil
}

// maxPages bounds the comments that are looked through, 100 a page: GitHub has no more
// on one pull request.
const maxPages = 30

// posted is what the API says of a comment; the path, the line and the comment that it
// answers are those of a comment of a review.
type posted struct {
	ID      int64  `json:"id"`
	Body    string `json:"body"`
	URL     string `json:"html_url"`
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Answers int64  `json:"in_reply_to_id"`
	User    struct {
		Login string `json:"login"`
	} `json:"user"`
}

// Post writes the comment or edits the one that is there, and returns its address.
// The pull request must be that which the job is about.
func Post(ctx context.Context, p *process.Process, body string, t Target) (address string, err error) {
	j, api, err := begin(ctx, p, t)
	if err != nil {
		return "", err
	}
	comments := fmt.Sprintf("repos/%s/issues/%d/comments", j.repository, t.PullRequest)
	old, err := find(ctx, api, comments, t)
	if err != nil {
		return "", err
	}
	method, path := "POST", comments
	if old != 0 {
		method, path = "PATCH", fmt.Sprintf("repos/%s/issues/comments/%d", j.repository, old)
	}
	var now posted
	if err := api.call(ctx, method, path, map[string]string{"body": body}, &now); err != nil {
		return "", fmt.Errorf("write the comment: %w", err)
	}
	switch {
	case strings.EqualFold(now.User.Login, t.Author):
		if old == 0 {
			now = j.single(ctx, api, comments, t, now)
		}
	default:
		p.Logger().Warn("another login than was expected wrote the comment, so the next run will not find it and write another one",
			"login", term.OneLine(now.User.Login, 100), "expected", t.Author, "hint", "name it by --author (input author)")
	}
	return term.OneLine(now.URL, 500), nil
}

// begin returns the job and the API, if the job is about the pull request.
func begin(ctx context.Context, p *process.Process, t Target) (job, client, error) {
	j, err := currentJob(ctx, p)
	api := client{host: j.host, environ: p.ForeignEnviron()}
	if err == nil {
		j.head, err = j.concerns(ctx, api, t.PullRequest)
	}
	return j, api, err
}

// single leaves one comment where another job wrote one at the same time: the first of
// them has the text of now, which goes. Where that cannot be done both stay, and the
// next run edits the first.
func (j job) single(ctx context.Context, api client, comments string, t Target, now posted) posted {
	first, err := find(ctx, api, comments, t)
	if err != nil || first == 0 || first == now.ID {
		return now
	}
	path := fmt.Sprintf("repos/%s/issues/comments/", j.repository)
	edited := now
	if api.call(ctx, "PATCH", fmt.Sprint(path, first), map[string]string{"body": now.Body}, &edited) != nil ||
		api.call(ctx, "DELETE", fmt.Sprint(path, now.ID), nil, nil) != nil {
		return now
	}
	return edited
}

// find returns the id of the comment that is to be edited, 0 for none: the first that
// the author wrote and whose first line is the marker. Anybody can write that line, and
// the author may write other comments.
func find(ctx context.Context, api client, comments string, t Target) (int64, error) {
	for c, err := range pages[posted](ctx, api, comments) {
		if err != nil {
			return 0, fmt.Errorf("list the comments: %w", err)
		}
		if t.wrote(c) && firstLine(c.Body) == marker(t.Key) {
			return c.ID, nil
		}
	}
	return 0, nil
}

// wrote reports whether the author of the target wrote a comment.
func (t Target) wrote(c posted) bool { return strings.EqualFold(c.User.Login, t.Author) }

func firstLine(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	return strings.TrimRight(first, "\r")
}

// pages returns the items of a list of the API, or the error that ended it.
func pages[T any](ctx context.Context, api client, path string) iter.Seq2[T, error] {
	const each = 100
	return func(yield func(T, error) bool) {
		var zero T
		for page := range maxPages {
			var list []T
			if err := api.call(ctx, "GET", fmt.Sprintf("%s?per_page=%d&page=%d", path, each, page+1), nil, &list); err != nil {
				yield(zero, err)
				return
			}
			for _, item := range list {
				if !yield(item, nil) {
					return
				}
			}
			if len(list) < each {
				return
			}
		}
		yield(zero, fmt.Errorf("there are more than %d", maxPages*each))
	}
}

// job is the job of GitHub Actions that the process runs in.
type job struct {
	repository string // owner/name
	host       string // of the server
	head       string // the commit that the run is of, empty where the event names a pull request by number
	number     int64  // of the pull request that the event names so, else 0
}

var (
	repositoryName = lazyregexp.New(`^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$`)
	commitName     = lazyregexp.New(`^[0-9a-f]{40,64}$`)
)

// currentJob reads the variables and the event of the job.
func currentJob(ctx context.Context, p *process.Process) (j job, err error) {
	j.repository, j.head, j.host = p.Getenv("GITHUB_REPOSITORY"), p.Getenv("GITHUB_SHA"), "github.com"
	path := p.Getenv("GITHUB_EVENT_PATH")
	if path == "" || !repositoryName().MatchString(j.repository) {
		return j, fmt.Errorf("no job of GitHub Actions: GITHUB_REPOSITORY and GITHUB_EVENT_PATH have to say which pull request may be written to")
	}
	if server, err := url.Parse(p.Getenv("GITHUB_SERVER_URL")); err == nil && server.Host != "" {
		j.host = server.Host
	}
	text, err := p.Read(ctx, path)
	if err != nil {
		return j, fmt.Errorf("read the event: %w", err)
	}
	var event struct {
		PullRequest *struct{ Head struct{ SHA string } } `json:"pull_request"`
		WorkflowRun *struct {
			Head string `json:"head_sha"`
		} `json:"workflow_run"`
		Issue *struct {
			Number      int64
			PullRequest *struct{} `json:"pull_request"`
		}
	}
	if err := json.Unmarshal(text, &event); err != nil {
		return j, fmt.Errorf("read the event: %w", err)
	}
	switch {
	case event.PullRequest != nil:
		j.head = event.PullRequest.Head.SHA
	case event.WorkflowRun != nil:
		j.head = event.WorkflowRun.Head
	case event.Issue != nil && event.Issue.PullRequest != nil:
		j.head, j.number = "", event.Issue.Number
		return j, nil
	}
	if !commitName().MatchString(j.head) {
		return j, fmt.Errorf("read the event: it names no commit")
	}
	return j, nil
}

// concerns refuses a pull request that the job is not about: the number may come from
// what an agent or a stranger left. It returns the head of the pull request.
func (j job) concerns(ctx context.Context, api client, number int64) (head string, err error) {
	if j.head == "" && j.number != number {
		return "", refused("the job is about pull request %d, not %d", j.number, number)
	}
	var pull struct{ Head struct{ SHA string } }
	if err := api.call(ctx, "GET", fmt.Sprintf("repos/%s/pulls/%d", j.repository, number), nil, &pull); err != nil {
		return "", fmt.Errorf("look at pull request %d of %s: %w", number, j.repository, err)
	}
	if j.head != "" && pull.Head.SHA != j.head {
		return "", refused("the head of pull request %d of %s is %.10s, and the run is of %.10s: it is another one, or has moved on since", number, j.repository, term.OneLine(pull.Head.SHA, 40), j.head)
	}
	return pull.Head.SHA, nil
}
