// Package recall owns the search over what was said and done in all sessions, which
// is also a tool.
package recall

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/internal/history"
	"github.com/openagent-ci/openagent/internal/search"
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
	query := strings.TrimSpace(clip.UTF8(s.Query))
	found := Matches{Query: query, Matches: []Match{}, Skipped: []Place{}}
	if query == "" {
		return found, ErrNoQuery
	}
	all := scan{query: search.NewAnyCase(query), most: int(min(max(s.Results, 1), MaxResults))}
	if s.Days > 0 {
		all.since = s.Now.AddDate(0, 0, -int(min(s.Days, maxDays)))
	}
	err := history.Each(s.Dir, "search", func(name string) error {
		if history.IsPast(ctx, s.Dir, name, all.since) {
			return nil
		}
		all.before.role, all.last = history.Role{}, nil
		broken := history.Broken{Session: name}
		err := history.Read(ctx, s.Dir, name, func(rec *history.Record) {
			switch {
			case rec.Broken:
				broken.Add(rec.Offset)
			case rec.Role.IsSearched():
				all.line(name, rec)
			}
		})
		if broken.Lines > 0 {
			found.add(broken)
		}
		return err
	})
	for _, h := range all.newest {
		found.Matches = append(found.Matches, Match{h.session, *h.line.excerpt(), h.before.excerpt(), h.after.excerpt()})
	}
	found.Total = int64(len(found.Matches))
	return found, err
}

// add counts the broken lines of a session.
func (m *Matches) add(b history.Broken) {
	m.Broken = append(m.Broken, b)
	m.SkippedLines += b.Lines
	for _, offset := range b.Offsets[:min(len(b.Offsets), history.MaxPlaces-len(m.Skipped))] {
		m.Skipped = append(m.Skipped, Place{b.Session, offset})
	}
}

// scan is what was found so far.
type scan struct {
	query  *search.AnyCase
	since  time.Time
	most   int
	newest []*hit // newest first, at most as many as are asked for
	spare  *hit   // one that is not among these any more, for its memory
	before part   // the line before the one that is searched
	last   *hit   // the hit in that line, nil for none
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
func (s *scan) line(session string, rec *history.Record) {
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
			h.session, h.after.role = session, history.Role{}
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
