package observe

import (
	"maps"
	"slices"
	"strings"
)

// baseline finds how a stream differs from what was seen of it before. Of an agent
// that was never seen nothing can differ, and neither of a version of the contract
// that is not published.
func (d *drifting) baseline(stream Stream, b *Baseline) {
	d.stream = stream
	if stream.Format != Native && load(stream.Format) == nil {
		return
	}
	before := b.find(stream)
	if before == nil {
		d.add(newStream, "", "", place{}, "the baseline has no %s stream of %s", stream.Format, stream.Agent)
		return
	}
	for _, t := range stream.Types {
		shapes := before.Types[t.Name]
		if shapes == nil {
			d.add(newType, t.Name, "", t.at, "a type of lines that was never seen")
			continue
		}
		d.typed(t, shapes)
	}
}

// typed finds how the lines of a type differ.
func (d *drifting) typed(t Type, shapes map[string]Shape) {
	if longest := shapes[""].Bytes; longest > 0 && class(t.Bytes, leastLine) > longest {
		d.add(newSize, t.Name, "", t.longest, "a line of %d bytes, none before had more than %d", t.Bytes, longest)
	}
	seen := map[string]Key{}
	for _, k := range t.Keys {
		seen[k.Path] = k
		if before, ok := shapes[k.Path]; ok {
			d.shape(t, k, before)
		} else if _, within := shapes[k.parent]; within || k.parent == "" {
			d.add(newKey, t.Name, k.Path, k.node.first, "a key that was never seen, %s in %d of %d", k.kinds(), k.Count, k.Of)
		} // else its parent is new
	}
	for _, path := range slices.Sorted(maps.Keys(shapes)) {
		k, ok := seen[path]
		if !shapes[path].Always || path == "" || ok && k.Count == k.Of {
			continue
		}
		of := k.Of
		if !ok {
			of = t.objects(seen, path)
		}
		if of > 0 {
			d.add(goneKey, t.Name, path, place{}, "was always there, missing in %d of %d", of-k.Count, of)
		}
	}
}

// objects counts the objects that could have held a key that was not seen.
func (t *Type) objects(seen map[string]Key, path string) int {
	if strings.HasSuffix(path, "[]") {
		return 0 // an array may be empty
	}
	parent := parentOf(path)
	if parent == "" {
		return t.Lines
	}
	return seen[parent].Kinds[kindNames[kindObject]]
}

// parentOf returns the path of the object, or the array, that holds a key.
func parentOf(path string) string {
	if array, ok := strings.CutSuffix(path, "[]"); ok {
		return array
	}
	return path[:max(strings.LastIndexByte(path, '.'), 0)]
}

// shape finds how a key differs.
func (d *drifting) shape(t Type, k Key, before Shape) {
	is := k.shape()
	for i, seen := range k.node.kinds {
		if seen.n > 0 && !before.has(kind(i)) {
			d.add(newKind, t.Name, k.Path, seen.at, "%s, before always %s", kindNames[i], strings.Join(before.Kinds, " or "))
		}
	}
	if before.has(kindString) && !before.Open {
		d.words(t, k, before)
	}
	if before.Bytes > 0 && is.Bytes > before.Bytes {
		d.add(newSize, t.Name, k.Path, k.node.bytes.at, "a text of %d bytes, none before had more than %d", k.node.bytes.n, before.Bytes)
	}
	if before.Items > 0 && is.Items > before.Items {
		d.add(newSize, t.Name, k.Path, k.node.list.at, "an array of %d items, none before had more than %d", k.node.list.n, before.Items)
	}
	if before.Bits > 0 && is.Bits > before.Bits {
		at := k.node.most.at
		if bits(0, *k.Most) < is.Bits {
			at = k.node.least.at
		}
		d.add(newSize, t.Name, k.Path, at, "integers from %d to %d, before %d bits were enough", *k.Least, *k.Most, before.Bits)
	}
}

// words finds the words of a choice that were never seen.
func (d *drifting) words(t Type, k Key, before Shape) {
	if k.Open {
		d.add(newValue, t.Name, k.Path, k.node.first, "other texts than a few words, before %s", strings.Join(before.Values, ", "))
		return
	}
	for _, text := range slices.Sorted(maps.Keys(k.Values)) {
		if !slices.Contains(before.Values, text) {
			d.add(newValue, t.Name, k.Path, k.node.words[text].at, "%q, before %s", text, strings.Join(before.Values, ", "))
		}
	}
}

// has reports whether a kind was seen: an integer is a number too.
func (s Shape) has(k kind) bool {
	return slices.Contains(s.Kinds, kindNames[k]) || k == kindInteger && slices.Contains(s.Kinds, kindNames[kindNumber])
}

// Merge adds what was seen to the baseline, which forgets nothing but that a key was
// always there. Streams of versions that are not published are left out.
func (b *Baseline) Merge(r Result) {
	b.Schema = BaselineVersion
	for _, s := range r.Streams {
		if s.Lines == 0 || s.Format != Native && load(s.Format) == nil {
			continue
		}
		before := b.find(s)
		if before == nil {
			b.Streams = append(b.Streams, BaselineStream{Agent: s.Agent, Format: s.Format, Types: map[string]map[string]Shape{}})
			before = &b.Streams[len(b.Streams)-1]
		}
		before.merge(s)
	}
	b.sort()
}

func (s *BaselineStream) merge(r Stream) {
	s.Versions = union(s.Versions, []string{r.Version})
	if s.Types == nil {
		s.Types = map[string]map[string]Shape{}
	}
	for _, t := range r.Types {
		before := s.Types[t.Name]
		after := maps.Clone(before)
		if after == nil {
			after = map[string]Shape{}
		}
		if t.Bytes > 0 {
			after[""] = Shape{Bytes: max(before[""].Bytes, class(t.Bytes, leastLine))}
		} else {
			after[""] = before[""]
		}
		seen := map[string]Key{}
		for _, k := range t.Keys {
			seen[k.Path] = k
			earlier, ok := before[k.Path]
			after[k.Path] = k.shape().with(earlier, ok, holds(before, k.parent))
		}
		for path, shape := range before {
			if _, ok := seen[path]; !ok && shape.Always && t.objects(seen, path) > 0 {
				shape.Always = false
				after[path] = shape
			}
		}
		s.Types[t.Name] = after
	}
}

// holds reports whether objects were seen at a path of a type before.
func holds(before map[string]Shape, path string) bool {
	if path == "" {
		return before != nil
	}
	return before[path].has(kindObject)
}

// with returns the shape of a key together with what was known of it; without that,
// objects says whether there were objects that did not have it.
func (s Shape) with(earlier Shape, ok, objects bool) Shape {
	if !ok {
		s.Always = s.Always && !objects
		return s
	}
	s.Always = s.Always && earlier.Always
	s.Kinds = slices.DeleteFunc(slices.Clone(kindNames[:]), func(name string) bool {
		return !slices.Contains(s.Kinds, name) && !slices.Contains(earlier.Kinds, name)
	})
	s.Bytes, s.Items, s.Bits = max(s.Bytes, earlier.Bytes), max(s.Items, earlier.Items), max(s.Bits, earlier.Bits)
	s.Values = union(s.Values, earlier.Values)
	if s.Open = s.Open || earlier.Open || len(s.Values) > maxWords; s.Open {
		s.Values = nil
	}
	return s
}

// union returns the texts of both lists, sorted.
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
