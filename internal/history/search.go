package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	// maxPlaces is how many broken lines are named one by one.
	maxPlaces = 20
	// shown is how many characters of a line a match shows.
	shown = 300
	// reach is how many bytes on either side of a match these can take, and
	// one more character, which shows that something is cut.
	reach   = (shown + 1) * utf8.UTFMax
	cutMark = "..."
)

// Search looks for a text in what was said and done in all sessions of a
// folder. Only Dir and Query are required.
type Search struct {
	Dir   string
	Query string
	// Days drops matches that are older; 0 or less drops none.
	Days int64
	// Results is the most matches, from 1 to MaxResults.
	Results int64
	Now     time.Time
}

// ErrNoQuery says that a query is empty or blank.
var ErrNoQuery = errors.New("query is required")

// Run returns the newest matches, newest first. It reads each file once and
// holds one line at a time.
func (s Search) Run(ctx context.Context) (Matches, error) {
	q := newQuery(s.Query)
	found := Matches{Query: q.text, Matches: []Match{}, Skipped: []Place{}}
	if q.text == "" {
		return found, ErrNoQuery
	}
	names, err := sessions(s.Dir)
	if err != nil {
		return found, err
	}
	sc := scan{query: q, since: s.since(), most: int(min(max(s.Results, 1), MaxResults)), reader: newReader(), spare: new(hit), found: &found}
	for _, name := range names {
		if err := sc.session(ctx, s.Dir, name); err != nil {
			return found, fmt.Errorf("search session %s: %w", name, err)
		}
	}
	for _, h := range sc.newest {
		found.Matches = append(found.Matches, Match{
			Session: h.session, Excerpt: *h.line.render(), Before: h.before.render(), After: h.after.render(),
		})
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

// scan is one search on its way through the sessions.
type scan struct {
	query  *query
	since  time.Time
	most   int
	reader *reader
	newest []*hit // newest first, at most as many as are asked for
	spare  *hit   // the next one; its memory may have been that of an older one
	before part   // the line before the one that is searched
	last   *hit   // the hit in that line, nil for none
	found  *Matches
}

// hit is a line that matches, between its neighbors.
type hit struct {
	session             string
	offset              int64
	before, line, after part
}

// newer orders hits: by time, then by name of the session, then by place.
func newer(a, b *hit) int {
	return cmp.Or(b.line.ts.Compare(a.line.ts), strings.Compare(a.session, b.session), cmp.Compare(b.offset, a.offset))
}

// session searches one session. One that has gone meanwhile has no matches.
func (s *scan) session(ctx context.Context, dir, name string) error {
	f, err := open(filepath.Join(dir, name+linesKind))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	s.before.role, s.last = role{}, nil
	return s.reader.each(ctx, f, 0, func(rec record) error {
		switch {
		case rec.broken:
			s.skip(name, rec.offset)
		case rec.role.isSearched():
			s.line(name, rec)
		}
		return nil
	})
}

// skip counts a broken line.
func (s *scan) skip(session string, offset int64) {
	s.found.SkippedLines++
	if len(s.found.Skipped) < maxPlaces {
		s.found.Skipped = append(s.found.Skipped, Place{Session: session, Offset: offset})
	}
	last := len(s.found.Broken) - 1
	if last < 0 || s.found.Broken[last].Session != session {
		s.found.Broken = append(s.found.Broken, Broken{Session: session, Offset: offset})
		last++
	}
	s.found.Broken[last].Lines++
}

// line searches one line.
func (s *scan) line(session string, rec record) {
	text := s.reader.text(rec.content)
	if s.last != nil {
		s.last.after.set(rec, text, 0, 0)
		s.last = nil
	}
	if !rec.ts.Before(s.since) {
		if from, to := s.query.index(text); from >= 0 {
			s.add(session, rec, text, from, to)
		}
	}
	s.before.set(rec, text, 0, 0)
}

// add adds a hit, and drops the oldest if there are too many.
func (s *scan) add(session string, rec record, text []byte, from, to int) {
	h := s.spare
	h.session, h.offset = session, rec.offset
	h.line.set(rec, text, from, to)
	at, _ := slices.BinarySearchFunc(s.newest, h, newer)
	h.before, s.before = s.before, h.before
	h.after.role = role{}
	s.newest = slices.Insert(s.newest, at, h)
	s.last = h
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
func (p *part) set(rec record, text []byte, from, to int) {
	to = min(to, from+reach)
	begin, end := max(from-reach, 0), min(to+reach, len(text))
	*p = part{rec.role, rec.ts, append(p.text[:0], text[begin:end]...), from - begin, to - begin}
}

// render returns what is shown of a part, nil for that of no line.
func (p part) render() *Excerpt {
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
	return &Excerpt{TS: stamp(p.ts), Role: p.role.name, Content: text}
}
