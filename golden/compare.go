package golden

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/lines"
)

// Difference is one place in which a stream differs from the wanted one.
type Difference struct {
	// Line counts from 1; both streams have the same number there, but where Call
	// says which tool call is compared, from 1: then it is the wanted stream's, or
	// that of the extra call.
	Line int `json:"line"`
	Call int `json:"call,omitempty"`
	// Sequence is that of the wanted line, or of the extra line; 0 when it
	// cannot be read.
	Sequence int64 `json:"sequence"`
	// Pointer is the JSON pointer of the member, empty for the whole line.
	Pointer string `json:"pointer"`
	// Got and Want are JSON texts, cut when long; empty for what is missing.
	Got  string `json:"got"`
	Want string `json:"want"`
}

// String returns the difference as one sentence.
func (d Difference) String() string {
	where := fmt.Sprintf("line %d (sequence %d)", d.Line, d.Sequence)
	if d.Call > 0 {
		where = fmt.Sprintf("call %d in line %d", d.Call, d.Line)
	}
	if d.Pointer != "" {
		where += " " + d.Pointer
	}
	return where + ": got " + orNothing(d.Got) + ", want " + orNothing(d.Want)
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

// Compare returns the differences between two streams, line by line, none when
// they are equal. What differs from run to run (times, run ids, durations) is
// normalised first; see Roots.Normalize.
func Compare(got, want []byte) []Difference { return Roots{}.Compare(got, want) }

// Compare is like the function Compare, and also normalises paths below the
// roots. Keys of data that the wanted line does not have are allowed; missing
// keys are differences. Of two lines with different types only the types are
// compared.
func (r Roots) Compare(got, want []byte) []Difference {
	found, _ := r.compare(bytes.NewReader(got), bytes.NewReader(want), math.MaxInt) // memory can be read
	return found
}

// MaxLine bounds a line of a stream that CompareStreams reads, in bytes.
const MaxLine = 64 << 20

// CompareStreams is Compare for streams of any length, which it reads line by line.
func (r Roots) CompareStreams(got, want io.Reader) ([]Difference, error) {
	return r.compare(got, want, MaxLine)
}

func (r Roots) compare(got, want io.Reader, maxLine int) ([]Difference, error) {
	g, w := r.normalized(got, maxLine), r.normalized(want, maxLine)
	var gotLines, wantLines []line
	var c comparison
	for c.line = 1; ; c.line++ {
		both, err := len(gotLines) == 0 && len(wantLines) == 0, error(nil)
		if gotLines, err = g.atLeast(gotLines, 1); err != nil {
			return nil, err
		}
		if wantLines, err = w.atLeast(wantLines, max(1, len(gotLines))); err != nil {
			return nil, err
		}
		if gotLines, err = g.atLeast(gotLines, len(wantLines)); err != nil {
			return nil, err
		}
		if both {
			gotLines = arrange(gotLines, wantLines, g.follower.stepped, w.follower.stepped)
		}
		switch {
		case len(gotLines) == 0 && len(wantLines) == 0:
			return c.found, nil
		case len(wantLines) == 0:
			got := gotLines[0].value()
			c.sequence = sequence(got)
			c.add("", got, missing{})
			gotLines = gotLines[1:]
		case len(gotLines) == 0:
			want := parse(wantLines[0].text)
			c.sequence = sequence(want)
			c.add("", missing{}, want)
			wantLines = wantLines[1:]
		default:
			c.lines(gotLines[0], wantLines[0])
			gotLines, wantLines = gotLines[1:], wantLines[1:]
		}
	}
}

// normalized is a stream that is normalized while it is read.
type normalized struct {
	in       *lines.Reader
	n        *normalizer
	follower follower // which knows only whether there are steps
	pending  *line    // that was read ahead
}

func (r Roots) normalized(in io.Reader, maxLine int) *normalized {
	return &normalized{in: lines.NewReader(in, 64<<10, maxLine), n: r.normalizer()}
}

// next returns the next line, as Normalize has it, and whether there was one.
func (s *normalized) next() (l line, ok bool, err error) {
	if s.pending != nil {
		l, s.pending = *s.pending, nil
		return l, true, nil
	}
	switch text, err := s.in.Next(); err {
	case nil:
		s.n.ts = ""
		text = bytes.Clone(rewrite(text, s.n.value))
		m, _, _ := markOf(text)
		return line{text: text, ts: s.n.ts, mark: m}, true, nil
	case io.EOF:
		return line{}, false, nil
	default:
		return line{}, false, err
	}
}

// maxLine is the longest line that is read as JSON, in bytes: no reader of events
// accepts a longer one by default, and values take many times as much as their text.
const maxLine = 1 << 20

func isJSON(line []byte) bool { return len(line) <= maxLine && json.Valid(line) }

// parse returns the value of a line, its text when it is no JSON.
func parse(line []byte) any {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	var v any
	if !isJSON(line) || dec.Decode(&v) != nil {
		return string(line)
	}
	return v
}

func sequence(line any) int64 {
	members, _ := line.(map[string]any)
	n, _ := members["sequence"].(json.Number)
	i, err := n.Int64()
	if err != nil {
		return 0
	}
	return i
}

// comparison gathers differences.
type comparison struct {
	line     int
	call     int // of those that are compared alone, 0 for lines
	sequence int64
	// above are the times of the lines before, got and wanted.
	above [2]string
	found []Difference
}

// missing stands for a value that is not there.
type missing struct{}

func (c *comparison) add(pointer string, got, want any) {
	c.found = append(c.found, Difference{c.line, c.call, c.sequence, pointer, show(got), show(want)})
}

// lines compares two lines.
func (c *comparison) lines(gotLine, wantLine line) {
	if gotLine.place == nil && bytes.Equal(gotLine.text, wantLine.text) && c.above[0] == c.above[1] {
		if gotLine.ts != "" {
			c.above = [2]string{gotLine.ts, wantLine.ts}
		}
		return
	}
	got, want := gotLine.value(), parse(wantLine.text)
	c.sequence = sequence(want)
	g, isObject := got.(map[string]any)
	w, wantObject := want.(map[string]any)
	if !isObject || !wantObject {
		c.values("", got, want)
		return
	}
	if show(g["type"]) != show(w["type"]) {
		c.add("/type", g["type"], w["type"])
		return
	}
	c.times(g, w)
	c.values("", g, w)
	for _, name := range slices.Sorted(maps.Keys(g)) {
		if _, ok := w[name]; !ok {
			c.add("/"+jsontext.Pointer.Replace(name), g[name], missing{})
		}
	}
}

// times compares whether time falls, and takes times that can be compared out
// of both lines.
func (c *comparison) times(got, want map[string]any) {
	g, gotOK := got["ts"].(string)
	w, wantOK := want["ts"].(string)
	if !gotOK || !wantOK {
		return
	}
	gotFalls, wantFalls := g < c.above[0], w < c.above[1]
	if gotFalls && !wantFalls {
		c.add("/ts", g, "not before "+c.above[0])
	}
	c.above = [2]string{g, w}
	delete(got, "ts")
	delete(want, "ts")
}

// values compares what want has.
func (c *comparison) values(pointer string, got, want any) {
	switch want := want.(type) {
	case map[string]any:
		if got, ok := got.(map[string]any); ok {
			for _, name := range slices.Sorted(maps.Keys(want)) {
				member, ok := got[name]
				if !ok {
					member = missing{}
				}
				c.values(pointer+"/"+jsontext.Pointer.Replace(name), member, want[name])
			}
			return
		}
	case []any:
		if got, ok := got.([]any); ok && len(got) == len(want) {
			for i := range want {
				c.values(pointer+"/"+strconv.Itoa(i), got[i], want[i])
			}
			return
		}
	default:
		if got == want {
			return
		}
	}
	c.add(pointer, got, want)
}

// maxShown bounds the text of a value in a difference, in characters.
const maxShown = 300

// show returns the JSON text of a value, cut.
func show(v any) string {
	if v == (any)(missing{}) {
		return ""
	}
	b, err := jsontext.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return clip.Short(string(b), maxShown)
}
