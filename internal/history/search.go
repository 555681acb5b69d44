package history

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/tool"
)

// Bounds of a search.
const (
	MaxResults     = 50
	DefaultResults = 10
	maxDays        = 1e6
	maxScans       = 2   // sessions that are searched at the same time
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

// Run returns the newest matches, newest first. It reads each file that can hold
// one, maxScans at a time, and holds one line of each.
func (s Search) Run(ctx context.Context) (Matches, error) {
	q, most := newQuery(s.Query), int(min(max(s.Results, 1), MaxResults))
	found := Matches{Query: q.text, Matches: []Match{}, Skipped: []Place{}}
	if q.text == "" {
		return found, ErrNoQuery
	}
	var since time.Time
	if s.Days > 0 {
		since = s.Now.AddDate(0, 0, -int(min(s.Days, maxDays)))
	}
	queue := &queue{dir: s.Dir}
	err := eachSession(s.Dir, "search", func(name string) error { queue.names = append(queue.names, name); return nil })
	if err != nil {
		return found, err
	}
	scans := make([]scan, max(1, min(maxScans, runtime.GOMAXPROCS(0), len(queue.names))))
	waits := make([]func(), len(scans))
	for i := range scans {
		scans[i] = scan{query: q, since: since, most: most, spare: new(hit)}
		waits[i] = tool.Beside(func() { scans[i].run(ctx, queue) })
	}
	for _, wait := range waits {
		wait()
	}
	return merge(scans, found)
}

// queue hands out the sessions of a folder in their order.
type queue struct {
	dir   string
	names []string
	taken atomic.Int64
}

// merge adds to found what several scans found.
func merge(scans []scan, found Matches) (Matches, error) {
	all := &scans[0]
	for _, one := range scans[1:] {
		all.newest, all.broken = append(all.newest, one.newest...), append(all.broken, one.broken...)
		if one.err != nil && (all.err == nil || one.position < all.position) {
			all.err, all.position = one.err, one.position
		}
	}
	slices.SortStableFunc(all.newest, newer)
	for _, h := range all.newest[:min(len(all.newest), all.most)] {
		found.Matches = append(found.Matches, Match{h.session, *h.line.excerpt(), h.before.excerpt(), h.after.excerpt()})
	}
	found.Total = int64(len(found.Matches))
	slices.SortFunc(all.broken, func(a, b brokenSession) int { return cmp.Compare(a.position, b.position) })
	for _, b := range all.broken {
		found.SkippedLines += b.Lines
		found.Broken = append(found.Broken, b.Broken)
		found.Skipped = append(found.Skipped, b.places[:min(len(b.places), maxPlaces-len(found.Skipped))]...)
	}
	return found, all.err
}

// scan is one search on its way through sessions.
type scan struct {
	query    *query
	since    time.Time
	most     int
	newest   []*hit // newest first, at most as many as are asked for
	spare    *hit   // the next one; its memory may have been that of an older one
	before   part   // the line before the one that is searched
	last     *hit   // the hit in that line, nil for none
	broken   []brokenSession
	position int   // of the session that is searched
	err      error // that ended the scan
}

// brokenSession is a session that has broken lines, and its place in the order.
type brokenSession struct {
	Broken
	places   []Place // of the first
	position int
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

// run searches sessions until there are no more.
func (s *scan) run(ctx context.Context, q *queue) {
	for s.err == nil {
		s.position = int(q.taken.Add(1)) - 1
		if s.position >= len(q.names) {
			return
		}
		name := q.names[s.position]
		path := filepath.Join(q.dir, name+linesKind)
		if isPast(path, s.since) {
			continue
		}
		if err := s.session(ctx, path, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.err = fmt.Errorf("search session %s: %w", name, err)
		}
	}
}

// isPast reports whether a session can have no line since a time: its file was
// not written since, and its last line is older. That line is asked too since
// files are restored with times of their own, and clocks can be set.
func isPast(path string, since time.Time) bool {
	info, err := os.Lstat(path)
	if since.IsZero() || err != nil || !info.ModTime().Before(since) {
		return false
	}
	f, err := open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	tail, err := readTail(f, info.Size(), new([tailBytes]byte))
	tail = bytes.TrimSuffix(tail, []byte{'\n'})
	begin := bytes.LastIndexByte(tail, '\n') + 1
	var last record
	last.parse(tail[begin:])
	// What is there of a line may not be all where it begins with the tail.
	return err == nil && begin > 0 && !last.broken && last.ts.Before(since)
}

// session searches one session.
func (s *scan) session(ctx context.Context, path, name string) error {
	s.before.role, s.last = role{}, nil
	broken := brokenSession{Broken: Broken{Session: name}, position: s.position}
	err := readLines(ctx, path, 0, math.MaxInt64, func(rec *record) {
		switch {
		case rec.broken:
			broken.add(rec.offset)
			if len(broken.places) < maxPlaces {
				broken.places = append(broken.places, Place{name, rec.offset})
			}
		case rec.role.isSearched():
			s.line(name, rec)
		}
	})
	if broken.Lines > 0 {
		s.broken = append(s.broken, broken)
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
