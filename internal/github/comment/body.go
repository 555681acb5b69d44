// Package comment writes the summary of a saved run to its pull request as one
// comment, which later runs edit, or its answer as a review.
package comment

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/document"
	"github.com/openagent-ci/openagent/internal/report/transcript"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

const (
	// maxBody bounds what is held for a comment, and maxFinal the answer in it, in
	// bytes; GitHub takes 65,536 characters, of which marks can be a part.
	maxBody  = 60 << 10
	maxFinal = 16 << 10
)

// RefusedError says why nothing is posted: the evidence is not to be believed, or the
// pull request is not that of the job.
type RefusedError struct{ Err error }

func (e *RefusedError) Error() string { return e.Err.Error() }

func (e *RefusedError) Unwrap() error { return e.Err }

func refused(format string, args ...any) error {
	return &RefusedError{fmt.Errorf(format, args...)}
}

// Body returns the comment about the run whose evidence is in the folder dir. It is
// made anew of the manifest, the stream and the final text, which must be as they were
// saved and agree.
func Body(ctx context.Context, p process.Env, dir, key string) (string, error) {
	run := transcript.New(maxBody)
	saved, err := read(ctx, p, dir, run)
	if err != nil {
		return "", err
	}
	defer saved.Close()
	m := saved.Manifest
	v := report.SavedView(m, run, evidence.LacksTexts(m), nil)
	v.Answer = inert(saved.Text(evidence.FinalOutputFile, 1<<20, false))
	return marker(key) + "\n" + document.Markdown(v.Comment(runAddress(p, m.Job), maxFinal)...), nil
}

// read opens the evidence of a run, which it checks; run is filled from the stream. The
// caller must close it.
func read(ctx context.Context, p process.Env, dir string, run *transcript.Run) (*evidence.Saved, error) {
	saved, err := evidence.Read(p.Path(dir))
	if err != nil {
		return nil, hint.With(refused("read evidence in %s: %w", dir, err), "name a folder of evidence, which has manifest.json")
	}
	again, err := saved.Scan(ctx, runner.Lines(run.Line))
	if err != nil {
		again = nil
	}
	if d := saved.Problem(again); d != nil {
		saved.Close()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, refused("the evidence in %s %s: %s", dir, d.Why, strings.Join(d.What, "; "))
	}
	return saved, nil
}

var runID = lazyregexp.New(`^[0-9]{1,20}$`)

// runAddress returns where the run of a job is shown, empty where that is not known.
// Only its number is the manifest's, so it leads nowhere but to a run of the repository.
func runAddress(p process.Env, j *schema.ManifestJob) string {
	repository := p.Getenv("GITHUB_REPOSITORY")
	server, err := url.Parse(p.Getenv("GITHUB_SERVER_URL"))
	if j == nil || !runID().MatchString(j.RunID) || !repositoryName().MatchString(repository) || err != nil || server.Host == "" {
		return ""
	}
	return (&url.URL{Scheme: server.Scheme, Host: server.Host, Path: repository + "/actions/runs/" + j.RunID}).String()
}

// marker is the first line of a comment, by which it is found again.
func marker(key string) string { return "<!-- openagent:" + key + " -->" }

// breakers put a mark that is not seen into what acts upon being read: mentions, markup
// and links. Bots read a comment as it is written, whatever is a quotation in it.
var breakers = strings.NewReplacer("@", "@"+mark, "<", "<"+mark, "://", ":"+mark+"//", "www.", "www"+mark+".", "`", "'")

// mark is a blank without any width.
const mark = "\u200b"

// inert returns text in which nothing pings a person, starts a bot, or is a link.
func inert(text string) string {
	lines := strings.Split(breakers.Replace(text), "\n")
	for i, line := range lines {
		if rest := strings.TrimLeft(line, " "); strings.HasPrefix(rest, "/") {
			lines[i] = line[:len(line)-len(rest)] + mark + rest
		}
	}
	return strings.Join(lines, "\n")
}
