// Package recall owns the search over what was said and done in all sessions, which
// is also a tool.
package recall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/internal/history"
	"github.com/openagent-ci/openagent/internal/search"
	"github.com/openagent-ci/openagent/internal/tool"
)

// Bounds of a search.
const (
	MaxResults     = 50
	DefaultResults = 10
	maxDays        = 1e6
	maxScans       = 2   // sessions that are searched at the same time
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
// one, maxScans at a time, and holds one line of each.
func (s Search) Run(ctx context.Context) (Matches, error) {
	found := Matches{Query: strings.TrimSpace(clip.UTF8(s.Query)), Matches: []Match{}, Skipped: []Place{}}
	if found.Query == "" {
		return found, ErrNoQuery
	}
	names, err := history.Names(s.Dir)
	if err != nil {
		return found, err
	}
	all := hits{query: search.NewAnyCase(found.Query), most: int(min(max(s.Results, 1), MaxResults))}
	if s.Days > 0 {
		all.since = s.Now.AddDate(0, 0, -int(min(s.Days, maxDays)))
	}
	broken, errs := make([]history.Broken, len(names)), make([]error, len(names))
	var next atomic.Int64
	some := func() {
		for i := next.Add(1) - 1; i < int64(len(names)); i = next.Add(1) - 1 {
			if broken[i], errs[i] = all.find(ctx, s.Dir, names[i]); errs[i] != nil {
				return
			}
		}
	}
	waits := make([]func(), min(maxScans, runtime.GOMAXPROCS(0), len(names)))
	for i := range waits {
		waits[i] = tool.Beside(some)
	}
	for _, wait := range waits {
		wait()
	}
	for _, h := range slices.Backward(all.newest) {
		found.Matches = append(found.Matches, h.Match)
	}
	found.Total = int64(len(found.Matches))
	found.add(broken)
	return found, cmp.Or(errs...)
}

// add counts the broken lines of sessions.
func (m *Matches) add(all []history.Broken) {
	for _, b := range all {
		if b.Lines == 0 {
			continue
		}
		m.Broken = append(m.Broken, b)
		m.SkippedLines += b.Lines
		for _, offset := range b.Offsets[:min(len(b.Offsets), history.MaxPlaces-len(m.Skipped))] {
			m.Skipped = append(m.Skipped, Place{b.Session, offset})
		}
	}
}

// hits are what was found in all sessions so far.
type hits struct {
	query  *search.AnyCase
	since  time.Time
	most   int
	adding sync.Mutex
	newest []*hit // newest last, at most as many as are asked for
}

// hit is a match with the time of its line.
type hit struct {
	ts time.Time
	Match
}

// add adds a hit, unless there are enough that are newer. Of those of one time, that of
// the session whose name comes first counts as newer, and in it the line that is added
// later.
func (a *hits) add(h *hit) {
	a.adding.Lock()
	defer a.adding.Unlock()
	at, _ := slices.BinarySearchFunc(a.newest, h, func(one, other *hit) int {
		return cmp.Or(one.ts.Compare(other.ts), strings.Compare(other.Session, one.Session), -1)
	})
	a.newest = slices.Insert(a.newest, at, h)
	a.newest = a.newest[max(len(a.newest)-a.most, 0):]
}

// find searches a session, unless it can have no match or goes meanwhile.
func (a *hits) find(ctx context.Context, dir, session string) (history.Broken, error) {
	if history.IsPast(ctx, dir, session, a.since) {
		return history.Broken{}, nil
	}
	var before history.Record // as much of it as is shown
	var last *hit             // the one in that line, nil for none
	broken, err := history.Read(ctx, dir, session, func(rec *history.Record) {
		if !rec.Role.IsSearched() {
			return
		}
		if last != nil {
			last.After, last = excerpt(rec, 0, 0), nil
		}
		if from, to := a.query.Index(rec.Text); from >= 0 && !rec.TS.Before(a.since) {
			last = &hit{rec.TS, Match{session, *excerpt(rec, from, to), excerpt(&before, 0, 0), nil}}
			a.add(last)
		}
		before = history.Record{Role: rec.Role, TS: rec.TS, Text: append(before.Text[:0], rec.Text[:min(len(rec.Text), reach)]...)}
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return broken, fmt.Errorf("search session %s: %w", session, err)
	}
	return broken, nil
}

// excerpt returns as much of a line as is shown around its match, which may be empty,
// nil for no line.
func excerpt(rec *history.Record, from, to int) *Excerpt {
	if rec.Role == (history.Role{}) {
		return nil
	}
	text := string(rec.Text)
	if len(text) > shown {
		text = around(rec.Text, from, min(to, from+reach))
	}
	return &Excerpt{rec.TS.UTC().Format(time.RFC3339Nano), rec.Role.String(), text}
}

// around returns the characters of a text around from-to that are shown, with marks
// where more are.
func around(text []byte, from, to int) string {
	begin, end := max(from-reach, 0), min(to+reach, len(text))
	chars := []rune(string(text[begin:end]))
	from, to = utf8.RuneCount(text[begin:from]), utf8.RuneCount(text[begin:to])
	room := max(shown-(to-from), 0)
	first := max(from-max(room/2, room-(len(chars)-to)), 0)
	last := min(first+shown, len(chars))
	around := string(chars[first:last])
	if first > 0 {
		around = cutMark + around
	}
	if last < len(chars) {
		around += cutMark
	}
	return around
}
