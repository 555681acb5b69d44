package observe

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// BaselineVersion is the value of schema in every baseline.
const BaselineVersion = "openagent.schema_baseline.v1"

// Baseline is what was seen of streams before, without counts: sizes are classes, so
// that it does not change with every run.
type Baseline struct {
	// Schema is BaselineVersion.
	Schema string `json:"schema"`
	// Streams are sorted by agent and format.
	Streams []BaselineStream `json:"streams"`
}

// BaselineStream is what was seen of an agent in one format, of all its versions.
type BaselineStream struct {
	Agent    string   `json:"agent"`
	Format   string   `json:"format"`
	Versions []string `json:"versions"`
	// Types has, by type of line and path of key, what was seen of the key; that of
	// the line itself is under no path.
	Types map[string]map[string]Shape `json:"types"`
}

// Shape is what was seen of a key.
type Shape struct {
	// Always tells a key that was in each object that can hold it.
	Always bool     `json:"always,omitempty"`
	Kinds  []string `json:"kinds,omitempty"`
	// Bytes, Items and Bits are the classes of the largest text, array and integer;
	// 0 where there was none.
	Bytes int64 `json:"bytes,omitempty"`
	Items int64 `json:"items,omitempty"`
	Bits  int   `json:"bits,omitempty"`
	// Values are the words of a choice, Open tells one with texts that are none.
	Values []string `json:"values,omitempty"`
	Open   bool     `json:"open,omitempty"`
}

// Classes of sizes: each is four times the one before.
const (
	leastBytes = 256  // of a text
	leastLine  = 4096 // of a line, in bytes
	leastItems = 4
	classStep  = 4
)

// class returns the class of a size, of which the first one ends at least.
func class(n, least int64) int64 {
	for least < n {
		least *= classStep
	}
	return least
}

// bits returns the class of the integers between two: those that hold them in 32 and
// 64 bits, and between them that which a float64 holds.
func bits(least, most int64) int {
	switch n := max(most, -max(least, -most)); {
	case least >= -1<<31 && most < 1<<31:
		return 32
	case n <= 1<<53 && -least <= 1<<53:
		return 53
	}
	return 64
}

// shape returns what a baseline holds of a key.
func (k Key) shape() Shape {
	s := Shape{Always: k.Count == k.Of, Kinds: k.KindNames(), Values: slices.Sorted(maps.Keys(k.Values)), Open: k.Open}
	if n := k.node; n.kinds[kindString].n > 0 {
		s.Bytes = class(n.bytes.n, leastBytes)
	}
	if n := k.node; n.kinds[kindArray].n > 0 {
		s.Items = class(n.list.n, leastItems)
	}
	if k.Most != nil {
		s.Bits = bits(*k.Least, *k.Most)
	}
	return s
}

// ParseBaseline reads a baseline. A document of another form is an error.
func ParseBaseline(text []byte) (*Baseline, error) {
	var form struct{ Schema string }
	if err := json.Unmarshal(text, &form); err != nil {
		return nil, fmt.Errorf("read baseline: %w", whatIsWrong(text, err))
	}
	if form.Schema != BaselineVersion {
		return nil, fmt.Errorf("read baseline: schema is %q, want %q", short(form.Schema), BaselineVersion)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	var b Baseline
	if err := dec.Decode(&b); err != nil {
		return nil, fmt.Errorf("read baseline: %w", whatIsWrong(text, err))
	}
	if jsontext.Repeats(text) {
		return nil, errors.New("read baseline: a member stands twice in an object")
	}
	for _, s := range b.Streams {
		if err := s.check(); err != nil {
			return nil, fmt.Errorf("read baseline: %w", err)
		}
		if s.Format != Native && load(s.Format) == nil {
			return nil, fmt.Errorf("read baseline: it has streams of %q, which is no version of the contract that is published here", short(s.Format))
		}
	}
	b.sort()
	return &b, nil
}

// check reports shapes that no stream has.
func (s BaselineStream) check() error {
	for _, shapes := range s.Types {
		for path, shape := range shapes {
			if shape.Bytes < 0 || shape.Items < 0 || shape.Bits < 0 || shape.Bits > 64 {
				return fmt.Errorf("a size of %.60q is below 0, or of more than 64 bits", short(path))
			}
			for _, name := range shape.Kinds {
				if !slices.Contains(kindNames[:], name) {
					return fmt.Errorf("%.60q has a kind that no value is of; kinds are %s", short(path), strings.Join(kindNames[:], ", "))
				}
			}
		}
	}
	return nil
}

// whatIsWrong returns what is wrong with a document without words of it: it may be
// another file than was meant.
func whatIsWrong(text []byte, err error) error {
	var syntax *json.SyntaxError
	var value *json.UnmarshalTypeError
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return errors.New("it is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("its end is missing")
	case errors.As(err, &syntax):
		return fmt.Errorf("no JSON from byte %d on", syntax.Offset)
	case errors.As(err, &value):
		return fmt.Errorf("the value that ends at byte %d is of the wrong type", value.Offset)
	}
	return errors.New("it holds a member that no baseline has")
}

// short returns the begin of a text of a file.
func short(text string) string { return text[:min(len(text), maxName)] }

func (b *Baseline) sort() {
	slices.SortFunc(b.Streams, func(x, y BaselineStream) int {
		return cmp.Or(cmp.Compare(x.Agent, y.Agent), cmp.Compare(x.Format, y.Format))
	})
}

// Encode returns the baseline as a JSON document with a line for each key.
func (b *Baseline) Encode() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "{\n  \"schema\": %s,\n  \"streams\": [", jsontext.MustMarshal(BaselineVersion))
	for i, s := range b.Streams {
		fmt.Fprintf(&out, "%s\n    {\n      \"agent\": %s,\n      \"format\": %s,\n      \"versions\": %s,\n      \"types\": {",
			comma(i), jsontext.MustMarshal(s.Agent), jsontext.MustMarshal(s.Format), spaced(s.Versions))
		for j, name := range slices.Sorted(maps.Keys(s.Types)) {
			fmt.Fprintf(&out, "%s\n        %s: {", comma(j), jsontext.MustMarshal(name))
			for l, path := range slices.Sorted(maps.Keys(s.Types[name])) {
				fmt.Fprintf(&out, "%s\n          %s: %s", comma(l), jsontext.MustMarshal(path), spaced(s.Types[name][path]))
			}
			out.WriteString("\n        }")
		}
		out.WriteString("\n      }\n    }")
	}
	out.WriteString("\n  ]\n}\n")
	return out.Bytes()
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

// spaced returns a value on one line. No text in a baseline holds a quote.
func spaced(v any) string {
	return strings.NewReplacer(`,"`, `, "`, `":`, `": `).Replace(string(jsontext.MustMarshal(v)))
}

// find returns what the baseline has of a stream, nil for nothing.
func (b *Baseline) find(s Stream) *BaselineStream {
	if b == nil {
		return nil
	}
	i := slices.IndexFunc(b.Streams, func(other BaselineStream) bool { return other.Agent == s.Agent && other.Format == s.Format })
	if i < 0 {
		return nil
	}
	return &b.Streams[i]
}

// typed returns what is known of a type of lines, nil for nothing.
func (s *BaselineStream) typed(name string) map[string]Shape {
	if s == nil {
		return nil
	}
	return s.Types[name]
}
