package page

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

const (
	// maxEnd is how many lines from either end of a stream are on the page.
	maxEnd = 5000
	// maxLine bounds a line, in bytes: longer ones are cut.
	maxLine = 64 << 10
	// lineCost is what a line takes at most beside its text.
	lineCost = 48
)

// lines are those of a stream that are on the page, in their order. total counts
// all of the stream, flagged those with findings that are here.
type lines struct {
	chosen         []line
	total, flagged int
}

// line is one line of a stream, of length bytes where it was cut, else 0.
type line struct {
	n, length int
	text      []byte
}

// append appends the line as a list of its number, its text and its length if there
// is one.
func (l line) append(b []byte) []byte {
	b = append(strconv.AppendInt(append(b, '['), int64(l.n), 10), ',')
	b = appendText(b, l.text)
	if l.length > 0 {
		b = strconv.AppendInt(append(b, ','), int64(l.length), 10)
	}
	return append(b, ']')
}

// cost is what the line takes in a list at most.
func (l line) cost() int { return lineCost + textCost(l.text) }

// selection chooses the lines of a page.
type selection struct {
	head, marked, tail []line
	marks              map[int]bool
	room               struct{ head, marked, tail int } // bytes that are left
	full               bool                             // head takes no more
}

// choose reads a stream and returns its beginning, its end, and the lines with
// findings. want is how many lines it should have, 0 where that is not known: what
// lies too far from its end for the page is only counted.
func choose(stream io.Reader, want int, marks map[int]bool, room int) (lines, error) {
	s := selection{marks: marks}
	s.room.head, s.room.marked, s.room.tail = room*3/8, room/4, room*3/8
	var found lines
	if stream == nil {
		return found, nil
	}
	in := bufio.NewReaderSize(stream, maxLine)
	for {
		text, length, err := readLine(in)
		if length > 0 {
			found.total++
			s.add(found.total, text, length, found.total+maxEnd < want)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return found, fmt.Errorf("read stream for the page: %w", err)
		}
	}
	found.chosen = s.all()
	for _, l := range found.chosen {
		if marks[l.n] {
			found.flagged++
		}
	}
	return found, nil
}

// readLine returns the beginning of a line without its LF, which is valid until the
// next call, and the length of the whole with it.
func readLine(in *bufio.Reader) (text []byte, length int, err error) {
	text, err = in.ReadSlice('\n')
	length = len(text)
	if !errors.Is(err, bufio.ErrBufferFull) {
		return bytes.TrimSuffix(text, []byte("\n")), length, err
	}
	text = bytes.Clone(text)
	for errors.Is(err, bufio.ErrBufferFull) {
		var more []byte
		more, err = in.ReadSlice('\n')
		length += len(more)
	}
	return text, length, err
}

// add chooses or leaves out a line. far says that it is no line of the end.
func (s *selection) add(n int, text []byte, length int, far bool) {
	marked := s.marks[n]
	s.full = s.full || n > maxEnd
	if s.full && far && !marked {
		return
	}
	l := line{n: n, text: bytes.Clone(text)}
	if length > len(text)+1 {
		l.length = length
	}
	cost := l.cost()
	s.full = s.full || cost > s.room.head
	switch {
	case !s.full:
		s.room.head -= cost
		s.head = append(s.head, l)
	case marked && cost <= s.room.marked:
		s.room.marked -= cost
		s.marked = append(s.marked, l)
	default:
		s.push(l)
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

// all returns the chosen lines in the order of the stream.
func (s *selection) all() []line {
	all := s.head
	tail := s.tail
	for _, l := range s.marked {
		for len(tail) > 0 && tail[0].n < l.n {
			all, tail = append(all, tail[0]), tail[1:]
		}
		all = append(all, l)
	}
	return append(all, tail...)
}
