package history

import (
	"cmp"
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Bounds of a search.
const (
	MaxResults     = 50
	DefaultResults = 10
	maxDays        = 1e6
	maxPlaces      = 20  // broken lines that are named one by one
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

// Run returns the newest matches, newest first. It reads each file once and
// holds one line at a time.
func (s Search) Run(ctx context.Context) (Matches, error) {
	sc := scan{query: newQuery(s.Query), most: int(min(max(s.Results, 1), MaxResults)), spare: new(hit)}
	sc.found = Matches{Query: sc.query.text, Matches: []Match{}, Skipped: []Place{}}
	if sc.query.text == "" {
		return sc.found, ErrNoQuery
	}
	if s.Days > 0 {
		sc.since = s.Now.AddDate(0, 0, -int(min(s.Days, maxDays)))
	}
	err := eachSession(s.Dir, "search", func(name string) error { return sc.session(ctx, s.Dir, name) })
	for _, h := range sc.newest {
		sc.found.Matches = append(sc.found.Matches, Match{h.session, *h.line.excerpt(), h.before.excerpt(), h.after.excerpt()})
	}
	sc.found.Total = int64(len(sc.newest))
	return sc.found, err
}

// scan is one search on its way through the sessions.
type scan struct {
	query  *query
	since  time.Time
	most   int
	newest []*hit // newest first, at most as many as are asked for
	spare  *hit   // the next one; its memory may have been that of an older one
	before part   // the line before the one that is searched
	last   *hit   // the hit in that line, nil for none
	found  Matches
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

// session searches one session.
func (s *scan) session(ctx context.Context, dir, name string) error {
	s.before.role, s.last = role{}, nil
	broken := Broken{Session: name}
	err := readLines(ctx, filepath.Join(dir, name+linesKind), 0, math.MaxInt64, func(rec *record) {
		switch {
		case rec.broken:
			broken.add(rec.offset)
			if len(s.found.Skipped) < maxPlaces {
				s.found.Skipped = append(s.found.Skipped, Place{name, rec.offset})
			}
		case rec.role.isSearched():
			s.line(name, rec)
		}
	})
	if broken.Lines > 0 {
		s.found.SkippedLines += broken.Lines
		s.found.Broken = append(s.found.Broken, broken)
	}
	return err
}

// line searches one line.
func (s *scan) line(session string, rec *record) {
	text := rec.text()
	if s.last != nil {
		s.last.after.set(rec, text, 0, 0)
		s.last = nil
	}
	if !rec.ts.Before(s.since) {
		if from, to := s.query.index(text); from >= 0 {
			h := s.spare
			h.session, h.after.role = session, role{}
			h.line.set(rec, text, from, to)
			h.before, s.before = s.before, h.before
			s.add(h)
		}
	}
	s.before.set(rec, text, 0, 0)
}

// add adds a hit, and drops the oldest if there are too many.
func (s *scan) add(h *hit) {
	at, _ := slices.BinarySearchFunc(s.newest, h, newer)
	s.newest, s.last = slices.Insert(s.newest, at, h), h
	if len(s.newest) > s.most {
		s.newest, s.spare = s.newest[:s.most], s.newest[s.most]
	} else {
		s.spare = new(hit)
	}
}

// part is as much of a line as can be shown: its match, from-to, which may be
// empty, and what is around it.
type part struct {
	role     role // none for no line
	ts       time.Time
	text     []byte
	from, to int
}

// set makes p the part of a line's text around from-to. It uses p's memory again.
func (p *part) set(rec *record, text []byte, from, to int) {
	to = min(to, from+reach)
	begin, end := max(from-reach, 0), min(to+reach, len(text))
	*p = part{rec.role, rec.ts, append(p.text[:0], text[begin:end]...), from - begin, to - begin}
}

// excerpt returns what is shown of a part, nil for that of no line.
func (p part) excerpt() *Excerpt {
	if p.role == (role{}) {
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
	return &Excerpt{stamp(p.ts), p.role.name, text}
}
