package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/clip"
)

// Bounds of a search.
const (
	MaxResults     = 50
	DefaultResults = 10
	maxDays        = 1e6
	shown          = 300 // characters of a line
	cutMark        = "..."
	// reach is how many bytes on either side of a match these can take, and
	// one more character, which shows that something is cut.
	reach = (shown + 1) * utf8.UTFMax
)

// Search looks for a text in what was said and done in all sessions of a
// folder. Only Dir and Query are required.
type Search struct {
	Dir     string
	Query   string
	Days    int64 // drops older matches; 0 or less drops none
	Results int64 // the most matches, from 1 to MaxResults
	Now     time.Time
}

// ErrNoQuery says that a query is empty or blank.
var ErrNoQuery = errors.New("query is required")

// Run returns the newest matches, newest first. It reads each file that can hold
// one, and holds one line of it.
func (s Search) Run(ctx context.Context) (Matches, error) {
	found := Matches{Query: strings.TrimSpace(clip.UTF8(s.Query)), Matches: []Match{}, Skipped: []Place{}}
	if found.Query == "" {
		return found, ErrNoQuery
	}
	names, err := Names(s.Dir)
	if err != nil {
		return found, err
	}
	all := hits{
		query: regexp.MustCompile("(?i)" + regexp.QuoteMeta(found.Query)), most: int(min(max(s.Results, 1), MaxResults)),
		since: DaysBefore(s.Now, s.Days),
	}
	for _, name := range names {
		broken, err := all.find(ctx, s.Dir, name)
		if err != nil {
			return found, err
		}
		found.add(broken)
	}
	for _, h := range slices.Backward(all.newest) {
		found.Matches = append(found.Matches, h.Match)
	}
	found.Total = int64(len(found.Matches))
	return found, nil
}

// DaysBefore returns the time so many days before now, no time for 0 or less.
func DaysBefore(now time.Time, days int64) (since time.Time) {
	if days > 0 {
		since = now.AddDate(0, 0, -int(min(days, maxDays)))
	}
	return since
}

// add counts the broken lines of a session.
func (m *Matches) add(b Broken) {
	if b.Lines == 0 {
		return
	}
	m.Broken = append(m.Broken, b)
	m.SkippedLines += b.Lines
	for _, offset := range b.Offsets[:min(len(b.Offsets), MaxPlaces-len(m.Skipped))] {
		m.Skipped = append(m.Skipped, Place{b.Session, offset})
	}
}

// hits are what was found in all sessions so far.
type hits struct {
	query  *regexp.Regexp
	since  time.Time
	most   int
	newest []*hit // newest last, at most as many as are asked for
}

// hit is a line that matches, between its neighbors.
type hit struct {
	Match
	ts time.Time
}

// add adds a hit, and drops the oldest if there are too many. Of those of one time, that
// of the session whose name comes first counts as newer, and in it the line that is
// added later.
func (a *hits) add(h *hit) {
	at, _ := slices.BinarySearchFunc(a.newest, h, func(one, other *hit) int {
		return cmp.Or(one.ts.Compare(other.ts), strings.Compare(other.Session, one.Session), -1)
	})
	a.newest = slices.Insert(a.newest, at, h)
	if len(a.newest) > a.most {
		a.newest = slices.Delete(a.newest, 0, 1)
	}
}

// find searches a session, unless it can have no match or goes meanwhile.
func (a *hits) find(ctx context.Context, dir, session string) (Broken, error) {
	if IsPast(ctx, dir, session, a.since) {
		return Broken{}, nil
	}
	var before *Excerpt
	var last *hit // the one in that line, nil for none
	broken, err := Read(ctx, dir, session, func(rec *Record) {
		if !rec.Role.IsSearched() {
			return
		}
		line := excerpt(rec, 0, 0)
		if last != nil {
			last.After, last = line, nil
		}
		if at := a.query.FindIndex(rec.Text); at != nil && !rec.TS.Before(a.since) {
			last = &hit{Match{session, *excerpt(rec, at[0], at[1]), before, nil}, rec.TS}
			a.add(last)
		}
		before = line
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return broken, fmt.Errorf("search session %s: %w", session, err)
	}
	return broken, nil
}

// excerpt returns the characters of a line around a match, from-to, that are shown, with
// marks where more are.
func excerpt(rec *Record, from, to int) *Excerpt {
	to = min(to, from+reach)
	begin := max(from-reach, 0)
	part := rec.Text[begin:min(to+reach, len(rec.Text))]
	chars := []rune(string(part))
	from, to = utf8.RuneCount(part[:from-begin]), utf8.RuneCount(part[:to-begin])
	room := max(shown-(to-from), 0)
	first := max(from-max(room/2, room-(len(chars)-to)), 0)
	end := min(first+shown, len(chars))
	text := string(chars[first:end])
	if first > 0 {
		text = cutMark + text
	}
	if end < len(chars) {
		text += cutMark
	}
	return &Excerpt{rec.TS.UTC().Format(time.RFC3339Nano), rec.Role.String(), text}
}
