// Package wire is how a model is asked and how it answers, in each of the HTTP
// APIs that agents speak: the requests read, the replies written. A wire is a row
// of a table over one model of a reply; it knows no script, no socket and no
// cassette.
package wire

import (
	"net/http"
	"net/url"
	"strings"
)

// Wire is an API. Its functions spell the same reply with the same bytes always.
type Wire struct {
	// Name is what flags and logs call it.
	Name string
	// Path is one at which replies are asked for, as errors show it.
	Path string

	// find returns what a path asks for, Nothing for one that is no path of the
	// API.
	find func(path string, h http.Header) (ask Ask, base string)
	// parse reads a request for a reply into r.
	parse func(r *Request, at *url.URL, body []byte) error
	// stream and whole spell a reply as events and as one value. They refuse one
	// that the API cannot express.
	stream, whole func(Reply) ([]byte, error)
	// failure spells an error that the endpoint itself would give.
	failure func(status int, message string) []byte
	// tokens spells the answer to how long a conversation is, models the list of
	// models; nil where the API has no such path.
	tokens func(count int) []byte
	models func(names []string) []byte
}

// Ask is what a request wants.
type Ask int

// What requests want. Nothing is what no API has.
const (
	Nothing Ask = iota
	Answer      // a reply, whole or streamed as the body says
	Tokens      // how many tokens a conversation has
	Models      // which models there are
)

// wires is the table, in the order in which a path is compared.
var wires = []*Wire{chatCompletions, responses}

// ByName returns the wire of that name, nil for none.
func ByName(name string) *Wire {
	for _, w := range wires {
		if w.Name == name {
			return w
		}
	}
	return nil
}

// Names returns the names of all wires.
func Names() (names []string) {
	for _, w := range wires {
		names = append(names, w.Name)
	}
	return names
}

// Paths returns where replies are asked for, one path for each wire.
func Paths() (paths []string) {
	for _, w := range wires {
		paths = append(paths, w.Path)
	}
	return paths
}

// Find returns the wire that a request with this path and these headers, which may
// be nil, speaks, and what it asks for; base is the path in front of what the wire
// adds. All are zero for a path of none.
func Find(path string, h http.Header) (w *Wire, ask Ask, base string) {
	path = strings.TrimSuffix(path, "/")
	for _, w := range wires {
		if ask, base := w.find(path, h); ask != Nothing {
			return w, ask, base
		}
	}
	return nil, Nothing, ""
}

// Method returns the method of requests that want this.
func (a Ask) Method() string {
	if a == Models {
		return http.MethodGet
	}
	return http.MethodPost
}

// below returns a find for an API whose paths end alike.
func below(ends map[string]Ask) func(string, http.Header) (Ask, string) {
	return func(path string, _ http.Header) (Ask, string) {
		for end, ask := range ends {
			if base, ok := strings.CutSuffix(path, end); ok {
				return ask, base
			}
		}
		return Nothing, ""
	}
}

// Stream returns a reply as the events of a stream.
func (w *Wire) Stream(r Reply) ([]byte, error) { return w.stream(r) }

// Whole returns a reply as one value.
func (w *Wire) Whole(r Reply) ([]byte, error) { return w.whole(r) }

// Failure returns the body of an answer with this status, as the endpoint would
// word it.
func (w *Wire) Failure(status int, message string) []byte { return w.failure(status, message) }

// Tokens returns the answer to how many tokens a conversation has.
func (w *Wire) Tokens(count int) []byte { return w.tokens(count) }

// Models returns the list of models.
func (w *Wire) Models(names ...string) []byte { return w.models(names) }
