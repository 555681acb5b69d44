package history

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

	"github.com/openagent-ci/openagent/internal/text/clip"

	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/search"
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
	names, err := Names(s.Dir)
	if err != nil {
		return found, err
	}
	all := hits{query: search.NewAnyCase(found.Query), most: int(min(max(s.Results, 1), MaxResults))}
	if s.Days > 0 {
		all.since = s.Now.AddDate(0, 0, -int(min(s.Days, maxDays)))
	}
	broken, errs := make([]Broken, len(names)), make([]error, len(names))
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
		found.Matches = append(found.Matches, Match{h.session, *h.line.excerpt(), h.before.excerpt(), h.after.excerpt()})
	}
	found.Total = int64(len(found.Matches))
	found.add(broken)
	return found, cmp.Or(errs...)
}

// add counts the broken lines of sessions.
func (m *Matches) add(all []Broken) {
	for _, b := range all {
		if b.Lines == 0 {
			continue
		}
		m.Broken = append(m.Broken, b)
		m.SkippedLines += b.Lines
		for _, offset := range b.Offsets[:min(len(b.Offsets), MaxPlaces-len(m.Skipped))] {
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

// hit is a line that matches, between its neighbors. Most are soon dropped for newer
// ones, so what is shown of it is worked out at the end.
type hit struct {
	session             string
	before, line, after part
}

// add adds a hit and returns the oldest if there are too many. Of those of one time, that
// of the session whose name comes first counts as newer, and in it the line that is
// added later.
func (a *hits) add(h *hit) (dropped *hit) {
	at, _ := slices.BinarySearchFunc(a.newest, h, func(one, other *hit) int {
		return cmp.Or(one.line.ts.Compare(other.line.ts), strings.Compare(other.session, one.session), -1)
	})
	a.newest = slices.Insert(a.newest, at, h)
	if len(a.newest) > a.most {
		dropped = a.newest[0]
		a.newest = slices.Delete(a.newest, 0, 1)
	}
	return dropped
}

// find searches a session, unless it can have no match or goes meanwhile.
func (a *hits) find(ctx context.Context, dir, session string) (Broken, error) {
	if IsPast(ctx, dir, session, a.since) {
		return Broken{}, nil
	}
	own := hits{most: a.most}
	var before Record    // as much of it as is shown
	var last, spare *hit // the one in that line, and one that was dropped, nil for none
	broken, err := Read(ctx, dir, session, func(rec *Record) {
		if !rec.Role.IsSearched() {
			return
		}
		if last != nil {
			last.after.set(rec, 0, 0)
			last = nil
		}
		if from, to := a.query.Index(rec.Text); from >= 0 && !rec.TS.Before(a.since) {
			if last = spare; last == nil {
				last = &hit{session: session}
			}
			last.before.set(&before, 0, 0)
			last.line.set(rec, from, to)
			last.after.role = Role{}
			spare = own.add(last)
		}
		before = Record{Role: rec.Role, TS: rec.TS, Text: append(before.Text[:0], rec.Text[:min(len(rec.Text), reach)]...)}
	})
	a.adding.Lock()
	defer a.adding.Unlock()
	for _, h := range own.newest {
		a.add(h)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return broken, fmt.Errorf("search session %s: %w", session, err)
	}
	return broken, nil
}

// part is as much of a line as can be shown: its match, from-to, which may be empty,
// and what is around it.
type part struct {
	role     Role // none for no line
	ts       time.Time
	text     []byte
	from, to int
}

// set makes p the part of a line around from-to. It uses the memory of p again.
func (p *part) set(rec *Record, from, to int) {
	to = min(to, from+reach)
	begin, end := max(from-reach, 0), min(to+reach, len(rec.Text))
	*p = part{rec.Role, rec.TS, append(p.text[:0], rec.Text[begin:end]...), from - begin, to - begin}
}

// excerpt returns the characters around the match that are shown, with marks where more
// are, nil for the part of no line.
func (p *part) excerpt() *Excerpt {
	if p.role == (Role{}) {
		return nil
	}
	chars := []rune(string(p.text))
	from, to := utf8.RuneCount(p.text[:p.from]), utf8.RuneCount(p.text[:p.to])
	room := max(shown-(to-from), 0)
	begin := max(from-max(room/2, room-(len(chars)-to)), 0)
	end := min(begin+shown, len(chars))
	text := string(chars[begin:end])
	if begin > 0 {
		text = cutMark + text
	}
	if end < len(chars) {
		text += cutMark
	}
	return &Excerpt{p.ts.UTC().Format(time.RFC3339Nano), p.role.String(), text}
}
