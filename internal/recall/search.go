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
	query := strings.TrimSpace(clip.UTF8(s.Query))
	found := Matches{Query: query, Matches: []Match{}, Skipped: []Place{}}
	if query == "" {
		return found, ErrNoQuery
	}
	names, err := history.Names(s.Dir)
	if err != nil {
		return found, err
	}
	all := scan{query: search.NewAnyCase(query), most: int(min(max(s.Results, 1), MaxResults))}
	if s.Days > 0 {
		all.since = s.Now.AddDate(0, 0, -int(min(s.Days, maxDays)))
	}
	broken, errs := make([]history.Broken, len(names)), make([]error, len(names))
	var next atomic.Int64
	var adding sync.Mutex
	some := func() {
		for i := next.Add(1) - 1; i < int64(len(names)); i = next.Add(1) - 1 {
			one := scan{query: all.query, since: all.since, most: all.most, broken: history.Broken{Session: names[i]}}
			if errs[i] = one.read(ctx, s.Dir); errs[i] != nil {
				return
			}
			broken[i] = one.broken
			adding.Lock()
			for _, h := range slices.Backward(one.newest) { // of one time the later line stays first
				all.add(h)
			}
			adding.Unlock()
		}
	}
	waits := make([]func(), min(maxScans, runtime.GOMAXPROCS(0), len(names)))
	for i := range waits {
		waits[i] = tool.Beside(some)
	}
	for _, wait := range waits {
		wait()
	}
	for _, h := range all.newest {
		found.Matches = append(found.Matches, Match{h.session, *h.line.excerpt(), h.before.excerpt(), h.after.excerpt()})
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

// scan is the search of one session, or what was found in all.
type scan struct {
	query  *search.AnyCase
	since  time.Time
	most   int
	newest []*hit // newest first, at most as many as are asked for
	spare  *hit   // one that is not among these any more, for its memory
	before part   // the line before the one that is searched
	last   *hit   // the hit in that line, nil for none
	broken history.Broken
}

// read searches a session, unless it can have no match or went meanwhile.
func (s *scan) read(ctx context.Context, dir string) error {
	if history.IsPast(dir, s.broken.Session, s.since) {
		return nil
	}
	err := history.Read(ctx, dir, s.broken.Session, s.line)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("search session %s: %w", s.broken.Session, err)
	}
	return nil
}

// hit is a line that matches, between its neighbors.
type hit struct {
	session             string
	before, line, after part
}

// newer orders hits by time, then by the name of the session. Of one session the
// later line comes first, since it is added later.
func newer(a, b *hit) int {
	return cmp.Or(b.line.ts.Compare(a.line.ts), strings.Compare(a.session, b.session))
}

// line searches one line.
func (s *scan) line(rec *history.Record) {
	if rec.Broken {
		s.broken.Add(rec.Offset)
		return
	}
	if !rec.Role.IsSearched() {
		return
	}
	text := rec.Text()
	if s.last != nil {
		s.last.after.set(rec, text, 0, 0)
		s.last = nil
	}
	if !rec.TS.Before(s.since) {
		if from, to := s.query.Index(text); from >= 0 {
			h := s.spare
			if h == nil {
				h = new(hit)
			}
			h.session, h.after.role = s.broken.Session, history.Role{}
			h.line.set(rec, text, from, to)
			h.before, s.before = s.before, h.before
			s.last, s.spare = h, s.add(h)
		}
	}
	s.before.set(rec, text, 0, 0)
}

// add adds a hit and returns the oldest if there are too many.
func (s *scan) add(h *hit) (dropped *hit) {
	at, _ := slices.BinarySearchFunc(s.newest, h, newer)
	s.newest = slices.Insert(s.newest, at, h)
	if len(s.newest) > s.most {
		dropped = s.newest[s.most]
		s.newest = s.newest[:s.most]
	}
	return dropped
}

// part is as much of a line as can be shown: its match, from-to, which may be
// empty, and what is around it.
type part struct {
	role     history.Role // none for no line
	ts       time.Time
	text     []byte
	from, to int
}

// set makes p the part of a line's text around from-to. It uses p's memory again.
func (p *part) set(rec *history.Record, text []byte, from, to int) {
	to = min(to, from+reach)
	begin, end := max(from-reach, 0), min(to+reach, len(text))
	*p = part{rec.Role, rec.TS, append(p.text[:0], text[begin:end]...), from - begin, to - begin}
}

// excerpt returns what is shown of a part, nil for that of no line.
func (p part) excerpt() *Excerpt {
	if p.role == (history.Role{}) {
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
