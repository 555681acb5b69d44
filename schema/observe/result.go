package observe

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Result is what was seen, sorted by name: but for the places in Drift, the order of
// streams and lines does not change it, unless something was omitted.
type Result struct {
	Streams []Stream `json:"streams"`
	// Drift has the first differences of each stream, Drifts counts all.
	Drift  []Drift `json:"drift"`
	Drifts int     `json:"drifts"`
	// Omitted is nil when there was room for all.
	Omitted *Omitted `json:"omitted,omitempty"`
}

// Omitted counts what was gathered under * or not at all, since there was no room
// for it.
type Omitted struct {
	Streams int `json:"streams"`
	Types   int `json:"types"`
	Keys    int `json:"keys"`
}

// Stream is what was seen of one agent, its version, and the format of its streams:
// a version of the contract, or Native.
type Stream struct {
	Agent   string `json:"agent"`
	Version string `json:"version"`
	Format  string `json:"format"`
	Files   int    `json:"files"`
	Lines   int    `json:"lines"`
	// Unread counts lines that are no line of such a stream.
	Unread int `json:"unread"`
	// Types are those of the lines, each with the keys of its data; of the contract
	// also envelope, which has the members that every line has.
	Types []Type `json:"types"`
}

// Type is what was seen of the lines of one type.
type Type struct {
	Name  string `json:"type"`
	Lines int    `json:"lines"`
	// Bytes is the size of the longest line.
	Bytes int64 `json:"bytes,omitempty"`
	Keys  []Key `json:"keys"`

	at      place
	longest place
}

// What a schema says of a key.
const (
	Declared = "declared" // it is on every line
	Additive = "additive" // it may be there
	Free     = "free"     // it is the producer's own
	Unknown  = "unknown"  // its name is reserved
)

// Key is what was seen of one key.
type Key struct {
	// Path leads to it from data, or from the line of a native stream, with points
	// between names; [] stands for the values of an array and * for names that are
	// not told apart.
	Path string `json:"path"`
	// Standing is what the schema says of it, empty without one.
	Standing string `json:"standing,omitempty"`
	// Count is in how many of the Of objects it is.
	Count int `json:"count"`
	Of    int `json:"of"`
	// Kinds counts its values by their kind, as JSON Schema calls it.
	Kinds map[string]int `json:"kinds"`
	// Sizes are the largest of its texts and arrays.
	Sizes []Size `json:"sizes,omitempty"`
	// Least and Most are those of its integers.
	Least *int64 `json:"least,omitempty"`
	Most  *int64 `json:"most,omitempty"`
	// Values counts the words that its texts are, where its name is that of a choice.
	Values map[string]int `json:"values,omitempty"`
	// Open tells a key with such a name whose texts are not a few words.
	Open bool `json:"open,omitempty"`

	node   *node
	parent string
	nested bool // in what the schema does not know
}

// Size is a largest size and the bound that the schema has for it, 0 for none.
type Size struct {
	Unit  string `json:"unit"` // bytes, characters or items
	Most  int64  `json:"most"`
	Bound int64  `json:"bound,omitempty"`
	at    place
}

// Result returns what was seen, with its drift from the published schemas and from
// the baseline, unless that is nil.
func (o *Observer) Result(b *Baseline) Result {
	d := drifting{files: o.files}
	r := Result{Streams: []Stream{}, Drift: []Drift{}}
	for _, s := range o.sorted() {
		stream := s.result()
		r.Streams = append(r.Streams, stream)
		d.schema(s, stream, b)
		if b != nil {
			d.baseline(stream, b)
		}
	}
	r.Drift, r.Drifts = append(r.Drift, d.list...), d.all
	if o.omitted != (Omitted{}) {
		r.Omitted = &o.omitted
	}
	return r
}

// sorted returns the sets in the order of their names.
func (o *Observer) sorted() []*set {
	list := slices.Collect(maps.Values(o.sets))
	slices.SortFunc(list, func(a, b *set) int {
		return cmp.Or(cmp.Compare(a.agent, b.agent), cmp.Compare(a.version, b.version), cmp.Compare(a.format, b.format))
	})
	return list
}

func (s *set) result() Stream {
	r := Stream{Agent: s.agent, Version: s.version, Format: s.format, Files: s.files, Lines: s.lines, Unread: s.unread, Types: []Type{}}
	for _, name := range slices.Sorted(maps.Keys(s.types)) {
		k := s.types[name]
		t := Type{Name: cmp.Or(name, envelopeType), Lines: k.lines, Bytes: k.bytes.n, Keys: []Key{}, at: k.node.first, longest: k.bytes.at}
		t.add(k.node, "", "")
		r.Types = append(r.Types, t)
	}
	return r
}

// add adds the keys below a node, whose path and standing these are.
func (t *Type) add(n *node, path, standing string) {
	nested := standing == Free || standing == Unknown
	for _, name := range slices.Sorted(maps.Keys(n.children)) {
		c, own := n.children[name], standing
		if !nested {
			own = n.spec.standing(name)
		}
		t.key(c, join(path, name), path, own, n.kinds[kindObject].n, nested)
	}
	if n.items != nil {
		t.key(n.items, path+"[]", path, standing, n.items.count, true)
	}
}

// join returns the path of a key of an object.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// key adds a key and what is below it.
func (t *Type) key(n *node, path, parent, standing string, of int, nested bool) {
	k := Key{
		Path: path, Standing: standing, Count: n.count, Of: of, Kinds: map[string]int{},
		Open: n.open, node: n, parent: parent, nested: nested,
	}
	for kind, seen := range n.kinds {
		if seen.n > 0 {
			k.Kinds[kindNames[kind]] = seen.n
		}
	}
	k.Sizes = n.sizes(path[strings.LastIndexByte(path, '.')+1:])
	if n.kinds[kindInteger].n > 0 {
		k.Least, k.Most = new(-n.least.n), new(n.most.n)
	}
	for text, w := range n.words {
		if k.Values == nil {
			k.Values = map[string]int{}
		}
		k.Values[text] = w.n
	}
	t.Keys = append(t.Keys, k)
	t.add(n, path, standing)
}

// sizes returns the largest sizes of a key of that name.
func (n *node) sizes(name string) (list []Size) {
	bound := n.spec.of()
	switch {
	case n.kinds[kindString].n == 0:
	case slices.Contains(inCharacters, name) && bound.length > 0:
		list = append(list, Size{"characters", n.chars.n, bound.length, n.chars.at})
	default:
		list = append(list, Size{"bytes", n.bytes.n, bound.length, n.bytes.at})
	}
	if n.kinds[kindArray].n > 0 {
		list = append(list, Size{"items", n.list.n, bound.count, n.list.at})
	}
	return list
}
