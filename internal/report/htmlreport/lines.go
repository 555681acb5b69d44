package htmlreport

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/openagent-ci/openagent/internal/text/lines"
	"github.com/openagent-ci/openagent/runner"
)

const (
	// maxEnd is how many lines from either end of a stream are on the page.
	maxEnd = 5000
	// MaxFlagged is how many lines with findings there can be room for, or more.
	MaxFlagged = 1 << 16
	// maxLine bounds a line, in bytes: longer ones are cut.
	maxLine = 64 << 10
	// lineCost is what a line takes at most beside its text.
	lineCost = 48
)

// excerpt has the lines of a stream that are on the page, in their order. total counts
// all of the stream, flagged those with findings that are here.
type excerpt struct {
	chosen         []line
	total, flagged int
}

// line is one line of a stream, of length bytes where it was cut, else 0.
type line struct {
	n, length int
	text      []byte
	mark      mark
}

// mark says how bad the findings of a line are.
type mark int

const (
	unmarked mark = iota
	markedError
	markedLess
)

// append appends the line as a list of its number and its text, then its length if it
// was cut, and 1 if it has findings.
func (l line) append(b []byte) []byte {
	b = append(strconv.AppendInt(append(b, '['), int64(l.n), 10), ',')
	b = appendText(b, l.text)
	if l.length > 0 || l.mark != unmarked {
		b = strconv.AppendInt(append(b, ','), int64(l.length), 10)
	}
	if l.mark != unmarked {
		b = append(b, ",1"...)
	}
	return append(b, ']')
}

// cost is what the line takes in a list at most.
func (l line) cost() int { return lineCost + textCost(l.text) }

// selection chooses the lines of a page.
type selection struct {
	marks      runner.Flagged // of the lines that are still to come
	head, tail []line
	// errors and others are marked lines behind the head. They may fill what the head
	// has left; what they took of the room for the tail they give back at the end.
	errors, others []line
	room           struct{ head, marked, tail int } // bytes that are left
	full           bool                             // head takes no more
}

// choose reads a stream and returns its beginning, its end, and the lines with
// findings. want is how many lines it should have, 0 where that is not known: what
// lies too far from its end for the page is only counted.
func choose(stream io.Reader, want int, marks runner.Flagged, room int) (excerpt, error) {
	s := selection{marks: marks}
	s.room.head, s.room.tail = room*3/8, room*3/8
	s.room.marked = room - s.room.head
	var found excerpt
	if stream == nil {
		return found, nil
	}
	in := lines.NewReader(stream, maxLine, maxLine)
	for {
		text, err := in.Next()
		length := len(text)
		if err == lines.ErrLong {
			text = bytes.Clone(text) // what is skipped takes its place
			var rest int64
			rest, err = in.Rest()
			length += int(rest)
		}
		if length > 0 {
			found.total++
			s.add(found.total, bytes.TrimSuffix(text, []byte("\n")), length, found.total+maxEnd < want)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return found, fmt.Errorf("read stream for the page: %w", err)
		}
	}
	found.chosen = s.all(room*3/8 - s.room.tail)
	for _, l := range found.chosen {
		if l.mark != unmarked {
			found.flagged++
		}
	}
	return found, nil
}

// markOf returns the mark of the line n, the lines being asked for in their order.
func (s *selection) markOf(n int) mark {
	is := func(list *[]int) bool {
		for len(*list) > 0 && (*list)[0] < n {
			*list = (*list)[1:]
		}
		return len(*list) > 0 && (*list)[0] == n
	}
	switch {
	case is(&s.marks.Errors):
		return markedError
	case is(&s.marks.Others):
		return markedLess
	}
	return unmarked
}

// add chooses or leaves out a line. far says that it is no line of the end.
func (s *selection) add(n int, text []byte, length int, far bool) {
	m := s.markOf(n)
	if (s.full || n > maxEnd) && far && m == unmarked {
		s.endHead()
		return
	}
	l := line{n: n, text: bytes.Clone(text), mark: m}
	if length > len(text)+1 {
		l.length = length
	}
	cost := l.cost()
	if n > maxEnd || cost > s.room.head {
		s.endHead()
	}
	switch {
	case !s.full:
		s.room.head -= cost
		s.head = append(s.head, l)
	case m == unmarked || !s.addMarked(l, cost):
		s.push(l)
	}
}

// endHead says that the head takes no more, and gives its room to marked lines.
func (s *selection) endHead() {
	if !s.full {
		s.full = true
		s.room.marked += s.room.head
	}
}

// addMarked adds a marked line where there is room; errors take that of other lines.
func (s *selection) addMarked(l line, cost int) bool {
	list := &s.others
	if l.mark == markedError {
		s.makeRoom(&s.others, cost)
		list = &s.errors
	}
	if cost > s.room.marked {
		return false
	}
	s.room.marked -= cost
	*list = append(*list, l)
	return true
}

// makeRoom drops lines from the end of a list until there is room for so many bytes
// of marked lines.
func (s *selection) makeRoom(list *[]line, cost int) {
	for ; cost > s.room.marked && len(*list) > 0; *list = (*list)[:len(*list)-1] {
		s.room.marked += (*list)[len(*list)-1].cost()
	}
}

// push adds a line to the end of the stream as far as it is known, which loses its
// first lines where it becomes too long.
func (s *selection) push(l line) {
	s.tail = append(s.tail, l)
	s.room.tail -= l.cost()
	drop := max(len(s.tail)-maxEnd, 0)
	for _, old := range s.tail[:drop] {
		s.room.tail += old.cost()
	}
	for s.room.tail < 0 && drop < len(s.tail) {
		s.room.tail += s.tail[drop].cost()
		drop++
	}
	s.tail = s.tail[drop:]
}

// all returns the chosen lines in the order of the stream, the tail of which takes so
// many bytes.
func (s *selection) all(tail int) []line {
	s.room.marked -= tail
	s.makeRoom(&s.others, 0)
	s.makeRoom(&s.errors, 0)
	all := slices.Concat(s.head, s.errors, s.others, s.tail)
	slices.SortFunc(all, func(a, b line) int { return cmp.Compare(a.n, b.n) })
	return all
}
