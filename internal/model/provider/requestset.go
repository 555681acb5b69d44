package provider

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// Pair is a header or a parameter of the query that goes with each request.
type Pair struct {
	Name, Value string
	Secret      bool // no sink may show the value
}

// Edit sets the value at a JSON pointer in each request, or takes it away where
// the value is null.
type Edit struct {
	pointer string
	value   json.RawMessage
}

// ParseEdit reads an edit written as POINTER=JSON.
func ParseEdit(text string) (Edit, error) {
	pointer, value, ok := strings.Cut(text, "=")
	switch {
	case !ok || len(pointer) < 2 || pointer[0] != '/' || !json.Valid([]byte(value)):
		return Edit{}, errors.New(`want a JSON pointer, = and JSON, such as /stream_options=null or /user="ci"`)
	case strings.Contains(strings.NewReplacer("~0", "", "~1", "").Replace(pointer), "~"):
		return Edit{}, errors.New("want a JSON pointer, in which ~ is written ~0 and a / within a name ~1")
	case jsontext.Repeats(value):
		return Edit{}, errors.New("want JSON in which no member stands twice")
	}
	return Edit{pointer, json.RawMessage(value)}, nil
}

// String returns e as ParseEdit reads it.
func (e Edit) String() string { return e.pointer + "=" + string(e.value) }

// Edits are made one after the other.
type Edits []Edit

// String returns e as ParseEdit reads them, one a line.
func (e Edits) String() string {
	all := make([]string, len(e))
	for i, one := range e {
		all[i] = one.String()
	}
	return strings.Join(all, "\n")
}

// edited returns a request with the edits of the configuration made.
func (c *Client) edited(b body) (body, error) {
	if len(c.config.Edits) == 0 {
		return b, nil
	}
	t := parseTree(b.whole())
	for _, e := range c.config.Edits {
		if err := e.apply(t); err != nil {
			return body{}, &chat.Failure{Kind: chat.FailClient, Message: fmt.Sprintf("set %s in the request: %v", e.pointer, err)}
		}
	}
	return body{end: [][]byte{t.json()}}, nil
}

// parseTree returns valid JSON as a tree.
func parseTree(whole []byte) *tree {
	t := &tree{}
	t.merge(whole, &budget{bytes: len(whole), parts: len(whole)})
	return t
}

func (e Edit) apply(t *tree) error {
	names := strings.Split(e.pointer[1:], "/")
	for i, name := range names {
		at, err := t.find(jsontext.PointerName.Replace(name))
		switch {
		case err != nil:
			return err
		case at < 0 && string(e.value) == "null":
			return nil
		case at < 0:
			t.parts, at = append(t.parts, &tree{kind: '{'}), len(t.parts)
			if t.kind == '{' {
				t.names = append(t.names, name)
			}
		}
		if i < len(names)-1 {
			t = t.parts[at]
			continue
		}
		if string(e.value) != "null" {
			t.parts[at] = parseTree(e.value)
			return nil
		}
		t.parts = slices.Delete(t.parts, at, at+1)
		if t.kind == '{' {
			t.names = slices.Delete(t.names, at, at+1)
		}
	}
	return nil
}

// find returns the place of a member or of an item, -1 for one that could be
// added: a member, or the item behind the last, which is also called "-".
func (t *tree) find(name string) (int, error) {
	switch t.kind {
	case '{':
		return slices.Index(t.names, name), nil
	case '[':
		n, err := strconv.Atoi(name)
		if name == "-" || err == nil && n == len(t.parts) {
			return -1, nil
		}
		if err != nil || n < 0 || n > len(t.parts) {
			return 0, fmt.Errorf("%q is no place in a list of %d", name, len(t.parts))
		}
		return n, nil
	}
	return 0, fmt.Errorf("%q is below a value that has no members", name)
}
