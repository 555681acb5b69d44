package observe

import (
	"encoding/json"
	"errors"
	"fmt"
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
	var form struct{ Schema string }
	var b Baseline
	err := json.Unmarshal(text, &form)
	if err == nil && form.Schema != BaselineVersion {
		return nil, fmt.Errorf("read baseline: schema is %.64q, want %q", form.Schema, BaselineVersion)
	}
	switch at := new(json.SyntaxError); {
	case errors.As(err, &at):
		return nil, fmt.Errorf("read baseline: no JSON from byte %d on", at.Offset)
	case err != nil, json.Unmarshal(text, &b) != nil:
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

// stream returns what the baseline has of a stream, of all versions of its agent.
func (b *Baseline) stream(id ident) (keys map[string]string, ok bool) {
	if b != nil {
		keys, ok = b.Streams[id.Agent+" "+id.Format]
	}
	return keys, ok
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
			before, _ := b.stream(s.ident)
			b.Streams[s.Agent+" "+s.Format] = s.merged(before)
		}
	}
}

// merged returns what was seen before together with the stream.
func (s *Stream) merged(before map[string]string) map[string]string {
	all, byName := map[string]string{}, s.settle()
	for name, was := range before {
		words := strings.Fields(was)
		if missing(byName, name) > 0 {
			words = slices.DeleteFunc(words, func(word string) bool { return word == always })
		}
		all[name] = strings.Join(words, " ")
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
