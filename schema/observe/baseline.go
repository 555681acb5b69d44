package observe

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// BaselineVersion is the value of schema in every baseline.
const BaselineVersion = "openagent.schema_baseline.v2"

// Baseline is what was seen of streams before, without counts, so that it does not
// change with every run.
type Baseline struct {
	// Schema is BaselineVersion.
	Schema string `json:"schema"`
	// Streams has by "agent format", and then by "type: path", what was seen of a key:
	// words with blanks between, as Key.Seen has them, after always where each object
	// that can hold the key did.
	Streams map[string]map[string]string `json:"streams"`
}

const (
	always    = "always"
	separator = ": "
)

// nameOf is how a baseline names a key.
func nameOf(typ, path string) string { return typ + separator + path }

// ParseBaseline reads a baseline. A document of another form is an error, which holds
// no words of it: it may be another file than was meant.
func ParseBaseline(text []byte) (*Baseline, error) {
	var b Baseline
	err := json.Unmarshal(text, &b)
	switch at := new(json.SyntaxError); {
	case errors.As(err, &at):
		return nil, fmt.Errorf("read baseline: no JSON from byte %d on", at.Offset)
	case b.Schema != BaselineVersion:
		return nil, fmt.Errorf("read baseline: schema is %.64q, want %q", b.Schema, BaselineVersion)
	case err != nil:
		return nil, errors.New("read baseline: a value is of the wrong type")
	case jsontext.Repeats(text):
		return nil, errors.New("read baseline: a member stands twice in an object")
	}
	return &b, nil
}

// Encode returns the baseline as a JSON document with a line for each key.
func (b *Baseline) Encode() []byte {
	text, _ := json.MarshalIndent(b, "", "  ") // texts in maps have no error
	return append(text, '\n')
}

// Merge adds what was seen to the baseline, which forgets nothing but that a key was
// always there. Streams of versions that are not published are left out.
func (b *Baseline) Merge(o *Observer) {
	b.Schema = BaselineVersion
	if b.Streams == nil {
		b.Streams = map[string]map[string]string{}
	}
	for _, s := range o.streams {
		if s.Format == Native || s.contract != nil {
			b.Streams[s.name()] = s.merged(b.Streams[s.name()])
		}
	}
}

// name is how a baseline names a stream, for all versions of its agent.
func (id ident) name() string { return id.Agent + " " + id.Format }

// fieldsWithout returns the words of a key but for one.
func fieldsWithout(was, word string) []string {
	return slices.DeleteFunc(strings.Fields(was), func(w string) bool { return w == word })
}

// merged returns what was seen before together with the stream.
func (s *Stream) merged(before map[string]string) map[string]string {
	all, byName := maps.Clone(before), s.settle()
	if all == nil {
		all = map[string]string{}
	}
	for name := range before {
		if missing(byName, name) > 0 {
			all[name] = strings.Join(fieldsWithout(all[name], always), " ")
		}
	}
	for name, k := range byName {
		words := append(strings.Fields(all[name]), k.Seen...)
		// Where it was not seen before, objects may have been that did not have it.
		_, known := before[name]
		held := strings.HasSuffix(k.Path, items) || !slices.Contains(strings.Fields(before[nameOf(k.Type, parentOf(k.Path))]), kindObject)
		if !known && held && k.Path != "" && k.Count == k.Of {
			words = append(words, always)
		}
		slices.SortFunc(words, inOrder) // always comes before all kinds
		words = slices.Compact(words)
		isValue := func(word string) bool { return word[0] == '=' }
		if at := slices.IndexFunc(words, isValue); slices.Contains(words, anyWord) || at >= 0 && len(words)-at > maxWords {
			words = append(slices.DeleteFunc(words, isValue), anyWord)
		}
		all[name] = strings.Join(words, " ")
	}
	return all
}
