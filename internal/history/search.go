package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/tool"
)

// Bounds of a search.
const (
	MaxResults     = 50
	DefaultResults = 10
	// maxTold is how many broken lines are told of one by one.
	maxTold = 20
	maxDays = 1e6
)

// Search looks for a text in what was said and done in all sessions of a
// folder. Only Dir and Query are required.
type Search struct {
	Dir   string
	Query string
	// Days keeps matches that are no older; any age when 0 or less.
	Days int64
	// Results is the most matches, from 1 to MaxResults.
	Results int64
	Now     time.Time
}

// ErrNoQuery tells of a query that is empty or blank.
var ErrNoQuery = errors.New("query is required")

// Run returns the newest matches, newest first. It reads each file once, and
// the lines to be shown once more; it holds one line at a time.
func (s Search) Run(ctx context.Context) (tool.HistoryMatches, error) {
	q := newQuery(s.Query)
	found := tool.HistoryMatches{Query: q.text, Matches: []tool.HistoryMatch{}, Skipped: []tool.HistoryPlace{}}
	if q.text == "" {
		return found, ErrNoQuery
	}
	list, err := sessions(s.Dir)
	if err != nil {
		return found, err
	}
	sc := scan{
		dir: s.Dir, since: s.since(), most: int(min(max(s.Results, 1), MaxResults)),
		reader: newReader(ctx), query: q, found: &found,
	}
	sc.hits = make([]hit, 0, sc.most) // pointers to them stay good
	for _, name := range list {
		if err := sc.session(name); err != nil {
			return found, fmt.Errorf("search session %s: %w", name, err)
		}
	}
	for _, i := range sc.order {
		h := &sc.hits[i]
		m, err := sc.show(h)
		if err != nil {
			return found, fmt.Errorf("read session %s: %w", h.session, err)
		}
		if m != nil {
			found.Matches = append(found.Matches, *m)
		}
	}
	found.Total = int64(len(found.Matches))
	return found, nil
}

// since returns the time of the oldest match that counts.
func (s Search) since() time.Time {
	if s.Days <= 0 {
		return time.Time{}
	}
	return s.Now.AddDate(0, 0, -int(min(s.Days, maxDays)))
}

// hit is a line that matches, and its neighbours.
type hit struct {
	session string
	head    head
	// from and to are where the match begins and ends in the content.
	from, to int
	// before and after are the neighbours' offsets, -1 for none.
	before, after int64
}

// newer orders hits: by time, then by name of the session, then by place.
func newer(a, b *hit) int {
	if c := b.head.ts.Compare(a.head.ts); c != 0 {
		return c
	}
	if c := strings.Compare(a.session, b.session); c != 0 {
		return c
	}
	return cmp.Compare(b.head.offset, a.head.offset)
}

// scan is one search on its way through the sessions.
type scan struct {
	dir    string
	since  time.Time
	most   int
	reader *reader
	query  *query
	hits   []hit // the newest so far, at most as many as are asked for
	order  []int // their places in hits, sorted
	found  *tool.HistoryMatches
}

// session looks through one session. One that has gone meanwhile has no hits.
func (s *scan) session(name string) error {
	f, err := open(s.dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	before := int64(-1)
	var last *hit // the line before, if it is a hit
	return eachLine(s.reader, f, func(h head, content []byte, err error) error {
		switch {
		case err != nil:
			s.skip(name, h.offset)
			return nil
		case !h.role.isSearched():
			return nil
		}
		if last != nil {
			last.after = h.offset
			last = nil
		}
		if !h.ts.Before(s.since) {
			if from, to := s.query.index(s.reader.text(content)); from >= 0 {
				last = s.keep(hit{session: name, head: h, from: from, to: to, before: before, after: -1})
			}
		}
		before = h.offset
		return nil
	})
}

// skip notes a broken line.
func (s *scan) skip(session string, offset int64) {
	s.found.SkippedLines++
	if len(s.found.Skipped) < maxTold {
		s.found.Skipped = append(s.found.Skipped, tool.HistoryPlace{Session: session, Offset: offset})
	}
}

// keep sorts a hit in, unless there are enough newer ones, and returns it as
// it is kept.
func (s *scan) keep(h hit) *hit {
	place := len(s.hits)
	if place < s.most {
		s.hits = append(s.hits, h)
	} else {
		last := len(s.order) - 1
		if place = s.order[last]; newer(&h, &s.hits[place]) > 0 {
			return nil
		}
		s.hits[place], s.order = h, s.order[:last]
	}
	at, _ := slices.BinarySearchFunc(s.order, &h, func(i int, h *hit) int { return newer(&s.hits[i], h) })
	s.order = slices.Insert(s.order, at, place)
	return &s.hits[place]
}
