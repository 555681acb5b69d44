package golden

import (
	"cmp"
	"encoding/json"
	"slices"
)

// mark is what an event says that shows which calls ran at the same time.
type mark struct {
	typ, id, tool, arguments, decision string
	step                               string
}

const (
	stepStarted  = "step_started"
	callDetected = "tool_call_detected"
	callFinished = "tool_exec_finished"
	runFinished  = "run_finished"
)

// key names the call that an event is about; one without an id goes by its tool.
func (m mark) key() string { return cmp.Or(m.id, "tool "+m.tool) }

// span is when a call ran: from its detection to its end, counted in events.
type span struct {
	from, to int
	// step is the one that it belongs to; stepped reports that the source prints where
	// steps begin.
	step    string
	stepped bool
}

// before reports whether a call comes before another one. Calls of one step have no
// order, and where the source prints no step borders neither has a call that was
// detected before the other one ended.
func (s span) before(t span) bool {
	if s.stepped && t.stepped {
		return s.step != t.step && s.from < t.from
	}
	return s.to < t.from
}

// follower finds out when the calls of a stream ran.
type follower struct {
	stepped bool
	events  int
	open    map[string]*span // also those that have ended
	running int
}

const never = int(^uint(0) >> 1)

// add takes an event and returns the call that it begins or is about, nil for none.
func (f *follower) add(m mark) *span {
	f.events++
	f.stepped = f.stepped || m.typ == stepStarted
	if m.typ == callDetected {
		if f.open == nil {
			f.open = map[string]*span{}
		}
		if before := f.open[m.key()]; before == nil || before.to != never {
			f.running++
		}
		s := &span{from: f.events, to: never, step: m.step, stepped: f.stepped}
		f.open[m.key()] = s
		return s
	}
	s := f.open[m.key()]
	if s != nil && s.to == never && (m.typ == callFinished || m.decision == "deny") {
		s.to = f.events
		f.running--
	}
	return s
}

// maxFree bounds how many parallel calls are compared as a set.
const maxFree = 256

// pair returns for each wanted call the index of the one that is compared with it, -1
// for none. Wanted calls without an order take the one with their id, or else with
// their name and arguments; all others are taken in order.
func pair(got, want []Call) []int {
	to := slices.Repeat([]int{-1}, len(want))
	low := 0 // all wanted calls below have one
	for k := range got {
		for low < len(to) && to[low] >= 0 {
			low++
		}
		var free []int
		for i := low; i < len(want) && len(free) < maxFree; i++ {
			if to[i] >= 0 {
				continue
			}
			if slices.ContainsFunc(free, func(j int) bool { return want[j].before(want[i].span) }) {
				break
			}
			free = append(free, i)
		}
		if len(free) == 0 {
			break
		}
		to[pick(got[k:], want, free)] = k
	}
	return to
}

// pick returns which of the free wanted calls the first of the others belongs to.
func pick(got, want []Call, free []int) int {
	c := got[0]
	for _, i := range free {
		if c.ID != "" && want[i].ID == c.ID {
			return i
		}
	}
	for _, i := range free {
		if want[i].key == c.key {
			return i
		}
	}
	soon := map[string]bool{}
	for _, next := range got[1:min(len(got), len(free))] {
		soon[next.key], soon["id "+next.ID] = true, next.ID != ""
	}
	best := free[0]
	for _, i := range slices.Backward(free) {
		if !soon[want[i].key] && !soon["id "+want[i].ID] && (want[i].Tool == c.Tool || want[best].Tool != c.Tool) {
			best = i
		}
	}
	return best
}

// line is a line of a normalized stream.
type line struct {
	text []byte
	ts   string // "" for none
	mark
	// place is the line of the same stream that stood where this one is compared, nil
	// for this one; detected is the detection of a call at the same place.
	place, detected []byte
}

// What is read ahead to find parallel calls: so many lines, with so many bytes.
const (
	maxBlock      = 10_000
	maxBlockBytes = 16 << 20
)

// block returns the next line, or all lines from the detection of a call to where the
// last call ends that may be parallel to it.
func (s *normalized) block() (block []line, err error) {
	first, ok, err := s.next()
	if !ok {
		return nil, err
	}
	s.follower.stepped = s.follower.stepped || first.typ == stepStarted
	block = []line{first}
	if first.typ != callDetected {
		return block, nil
	}
	f := follower{stepped: s.follower.stepped}
	f.add(first.mark)
	for size := len(first.text); len(block) < maxBlock && size < maxBlockBytes && (f.stepped || f.running > 0); {
		l, ok, err := s.next()
		if err != nil {
			return nil, err
		}
		if ok && (l.typ == runFinished || f.stepped && l.step != first.step) {
			s.pending = &l
			break
		}
		if !ok {
			break
		}
		f.add(l.mark)
		block, size = append(block, l), size+len(l.text)
	}
	return block, nil
}

// atLeast adds blocks to lines until there are so many, or no more.
func (s *normalized) atLeast(lines []line, n int) ([]line, error) {
	for len(lines) < n {
		block, err := s.block()
		if err != nil || len(block) == 0 {
			return lines, err
		}
		lines = append(lines, block...)
	}
	return lines, nil
}

// callsIn returns the calls of a block, and for each line which of them it is about, -1
// for none.
func callsIn(block []line, stepped bool) (calls []Call, of []int) {
	f := follower{stepped: stepped}
	at := map[*span]int{nil: -1}
	for _, l := range block {
		s := f.add(l.mark)
		if l.typ == callDetected {
			at[s] = len(calls)
			calls = append(calls, Call{ID: l.id, Tool: l.tool, key: l.tool + "\x00" + l.arguments})
		}
		of = append(of, at[s])
	}
	for s, i := range at {
		if i >= 0 {
			calls[i].span = *s
		}
	}
	return calls, of
}

// arrange returns the lines of a block in the order of the wanted ones, as far as
// they are about parallel calls.
func arrange(got, want []line, gotStepped, wantStepped bool) []line {
	g, gotOf := callsIn(got, gotStepped)
	w, wantOf := callsIn(want, wantStepped)
	if len(g) < 2 || len(w) < 2 {
		return got
	}
	to := pair(g, w)
	left := map[int][]int{} // the lines of each call, -1 for the others
	for i, call := range gotOf {
		left[call] = append(left[call], i)
	}
	order, used := slices.Repeat([]int{-1}, len(got)), make([]bool, len(got))
	for i, call := range wantOf[:min(len(got), len(want))] {
		if call >= 0 {
			if call = to[call]; call < 0 {
				continue
			}
		}
		if lines := left[call]; len(lines) > 0 {
			order[i], used[lines[0]], left[call] = lines[0], true, lines[1:]
		}
	}
	next := 0
	for i := range order {
		if order[i] >= 0 {
			continue
		}
		for used[next] {
			next++
		}
		order[i], used[next] = next, true
	}
	return moved(got, order)
}

// moved returns the lines in an order, each with what stays where it was.
func moved(lines []line, order []int) (out []line) {
	var detected [][]byte
	for _, l := range lines {
		if l.typ == callDetected {
			detected = append(detected, l.text)
		}
	}
	for i, from := range order {
		l := lines[from]
		if from != i {
			l.place = lines[i].text
		}
		if l.typ == callDetected {
			l.detected, detected = detected[0], detected[1:]
		}
		out = append(out, l)
	}
	return out
}

// value returns the JSON value of a line. Where it was moved, it has the members that
// belong to the place: its number and time, and of a detection its index in the reply
// and what the model said before.
func (l line) value() any {
	v := parse(l.text)
	if l.place != nil {
		take(v, parse(l.place), "sequence", "ts")
	}
	if l.place != nil && l.detected != nil {
		_, data := typeAndData(v)
		_, other := typeAndData(parse(l.detected))
		take(data, other, "index", "text_preview", "text_bytes")
	}
	return v
}

// take replaces members of an object by those of another one.
func take(to, from any, names ...string) {
	object, _ := to.(map[string]any)
	other, _ := from.(map[string]any)
	for _, name := range names {
		if v, ok := other[name]; ok && object != nil {
			object[name] = v
		} else {
			delete(object, name)
		}
	}
}

// markOf reads the mark of an event.
func markOf(text []byte) (m mark, sequence int64, ok bool) {
	var event struct {
		Sequence, Step json.Number
		Type           string
		Data           struct {
			ID        string `json:"tool_call_id"`
			Tool      string
			Decision  string
			Arguments string `json:"arguments_preview"`
		}
	}
	if !isJSON(text) || json.Unmarshal(text, &event) != nil {
		return m, 0, false
	}
	sequence, _ = event.Sequence.Int64() // 0 for none
	d := event.Data
	return mark{event.Type, d.ID, d.Tool, d.Arguments, d.Decision, event.Step.String()}, sequence, true
}
