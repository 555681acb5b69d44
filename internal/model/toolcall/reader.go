package toolcall

import (
	"slices"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// MaxDepth bounds how many brackets are open inside of each other.
const MaxDepth = 256

// The closed list of repairs.
const (
	RepairTrailingComma = "trailing_comma"
	RepairMissingComma  = "missing_comma"
	RepairQuotes        = "other_quotes"
	RepairMissingQuote  = "missing_quote"
	RepairBareKey       = "bare_key"
	RepairBareName      = "bare_name"
	RepairPython        = "python_literal"
	RepairComment       = "comment"
	RepairControl       = "raw_control_character"
	RepairBlank         = "other_blank"
	RepairEscape        = "unknown_escape"
	RepairCloser        = "missing_closer"
	RepairPunctuation   = "punctuation"
)

// The closed list of reasons for trouble.
const (
	ReasonCut        = "cut" // the reply ends inside
	ReasonUnfinished = "not_closed"
	ReasonSyntax     = "syntax"
	ReasonDoubtful   = "doubtful_string"
	ReasonPath       = "doubtful_path"
	ReasonDepth      = "too_deep"
)

// Trouble is why a candidate, or one element of it, makes no call.
type Trouble struct {
	Reason  string // a word of the list above
	Problem string // a sentence for the model
	At      int    // where it struck
	// Doubtful reports that quotes can be paired in more than one way, so that
	// nobody can say where the candidate ends.
	Doubtful bool

	mismatch bool // only punctuation is wrong
}

// Element is one object of a candidate: the candidate itself, or an entry of
// its array.
type Element struct {
	At, End int
	Object  bool // false when trouble struck between the entries
	Begun   bool // its arguments had begun, not all of it being JSON
	Forced  bool // it was closed for the model
	Inside  bool // something in it was closed for the model
	Members []Member
	Repairs []string // none for JSON

	open string // the last key, whether or not its value was read
	part string // of that value, if it is a tool's name that was cut
}

// Has reports whether the object has one of the keys, its value whole or not.
func (e *Element) Has(keys ...string) bool {
	return slices.Contains(keys, e.open) || slices.ContainsFunc(e.Members, func(m Member) bool { return slices.Contains(keys, m.Key) })
}

// Name returns the tool as far as it was read, and whether it was read whole.
func (e *Element) Name() (name string, whole bool) {
	for _, m := range e.Members {
		if IsNameKey(m.Key) && m.Raw[0] == '"' {
			return jsontext.Unquote(m.Raw), true
		}
	}
	return e.part, false
}

// NameKeys and ArgumentsKeys are the keys under which calls give the tool and
// its arguments, the standard one first.
func NameKeys() []string      { return []string{"tool", "name", "tool_name", "function"} }
func ArgumentsKeys() []string { return []string{"arguments", "args", "parameters", "params", "input"} }

// IsNameKey and IsArgumentsKey report whether key is one of those.
func IsNameKey(key string) bool      { return slices.Contains(NameKeys(), key) }
func IsArgumentsKey(key string) bool { return slices.Contains(ArgumentsKeys(), key) }

// Reading is what was made of a candidate.
type Reading struct {
	Elements []Element // those that came out whole
	Part     Element   // the one that did not
	Trouble  *Trouble  // nil when all of it was read
	End      int
	From     int // a call behind this place may or may not be part of it
	// Closed reports that brackets show the end of what could not be read.
	Closed bool
	// Broken is what counts instead when its punctuation was repaired although
	// the reply was cut: nothing may be made of that but doubt.
	Broken *Reading
}

// Reader reads the candidates of one reply.
type Reader struct {
	Text   string
	Normal bool // the reply ended because the model was done; else it was cut
	// Tools reports whether a tool is known to take no arguments.
	Tools interface{ HasNoArguments(tool string) bool }

	tries int // of the repair library
}

// Read reads the object or array at i: as JSON, else with its slips mended, else
// with its punctuation repaired. tag reports that a closing tag ends it.
func (r *Reader) Read(i int, tag bool) Reading {
	all, ok := r.strict(i)
	if ok {
		return all
	}
	p := newTolerant(r, i, all.End, tag)
	p.elements, p.cur.Members = all.Elements[:0], all.Part.Members
	p.read()
	got := Reading{Trouble: p.trouble, Elements: p.elements, Part: p.cur, End: p.lastEnd}
	if got.Trouble == nil {
		return got
	}
	end, closed := Closing(r.Text, i)
	// What was looked at is not looked at again.
	got.End, got.From, got.Closed = max(end, got.Trouble.At, p.seen), i, closed && end >= got.Trouble.At
	if got.Closed {
		got.From = end
	}
	if !closed || !got.Trouble.mismatch || got.Trouble.Doubtful {
		return got
	}
	mended, ok := r.punctuation(i, end)
	switch {
	case !ok:
		return got
	case !r.Normal:
		broken := got
		mended.Broken = &broken
	}
	return mended
}

// ReadArguments reads the object at i, which holds the arguments of a call, with
// its slips mended. It returns it as JSON, the repairs, and where it ends.
func (r *Reader) ReadArguments(i int) (object string, repairs []string, end int, t *Trouble) {
	p := newTolerant(r, i, i, true)
	if p.brackets('}') {
		return string(p.out), p.repairs, p.lastEnd, nil
	}
	end, _ = Closing(r.Text, i)
	if p.trouble.Doubtful {
		end = len(r.Text)
	}
	return "", nil, max(end, p.trouble.At, p.seen), p.trouble
}

// strict reads JSON as it stands. Of what is none it returns where it broke.
func (r *Reader) strict(i int) (all Reading, ok bool) {
	if r.Text[i] == '{' {
		ms, end, f := Members(r.Text, i, 1)
		all.Elements, all.End = []Element{{At: i, End: end, Members: ms, Object: true}}, end
		if f != jsontext.FaultNone {
			all.Elements = nil
		}
		return all, f == jsontext.FaultNone
	}
	list := Strict(r.Text, i, 1)
	for range list.Items() {
		from := list.Pos
		if list.Skip() && r.Text[from] == '{' {
			ms, _, _ := Members(r.Text, from, 2)
			all.Elements = append(all.Elements, Element{At: from, End: list.Pos, Members: ms, Object: true})
		}
	}
	all.End = list.Pos
	return all, list.Fault == jsontext.FaultNone
}

// Member is one member of an object.
type Member struct {
	Key string // decoded
	Raw string // the JSON of its value
}

// Strict returns a reader of the JSON at s[i], whose brackets are the depth-th
// ones inside of each other.
func Strict(s string, i, depth int) *jsontext.Reader[string] {
	return &jsontext.Reader[string]{Src: s, Pos: i, Room: MaxDepth + 1 - depth}
}

// Members reads the object at s[i] as encoding/json would and returns its
// members and where it ends, or where it broke.
func Members(s string, i, depth int) (ms []Member, end int, f jsontext.Fault) {
	r := Strict(s, i, depth)
	for key := range r.Members() {
		from := r.Pos
		if r.Skip() {
			ms = append(ms, Member{key, s[from:r.Pos]})
		}
	}
	return ms, r.Pos, r.Fault
}

// ValueEnd returns where the JSON value at s[i] ends, or where it broke.
func ValueEnd(s string, i, depth int) (int, jsontext.Fault) {
	r := Strict(s, i, depth)
	r.Skip()
	return r.Pos, r.Fault
}
