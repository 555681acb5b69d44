package provider

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

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

// edited returns a request with the parameters and the edits of the configuration.
func (c *Client) edited(body []byte) ([]byte, error) {
	for _, e := range slices.Concat(c.config.Parameters.edits(c.config.API), c.config.Edits) {
		whole, err := e.apply(gjson.ParseBytes(body), strings.Split(e.pointer[1:], "/"))
		if err != nil {
			return nil, &chat.Failure{Kind: chat.FailClient, Message: fmt.Sprintf("set %s in the request: %v", e.pointer, err)}
		}
		body = []byte(whole)
	}
	return body, nil
}

// apply returns the JSON of v with the value at names set, "" for one that is
// removed. Names are those of members and the numbers of items. A member that is
// missing is added, as is the item after the last, which is also called "-".
func (e Edit) apply(v gjson.Result, names []string) (string, error) {
	remove := string(e.value) == "null"
	switch {
	case len(names) == 0 && remove:
		return "", nil
	case len(names) == 0:
		return string(e.value), nil
	case !v.IsObject() && !v.IsArray():
		return "", fmt.Errorf("%q is below a value that has no members", names[0])
	}
	name, found := jsontext.PointerName.Replace(names[0]), false
	var parts []string
	add := func(key, part string) {
		if v.IsObject() {
			part = key + ":" + part
		}
		parts = append(parts, part)
	}
	for key, item := range v.All() {
		if key.String() != name {
			add(key.Raw, item.Raw)
			continue
		}
		found = true
		part, err := e.apply(item, names[1:])
		if err != nil {
			return "", err
		}
		if part != "" {
			add(key.Raw, part)
		}
	}
	switch {
	case found:
	case v.IsArray() && name != "-" && name != strconv.Itoa(len(parts)):
		return "", fmt.Errorf("%q is no place in a list of %d", name, len(parts))
	case !remove:
		part, err := e.apply(gjson.Parse("{}"), names[1:])
		if err != nil {
			return "", err
		}
		add(string(jsontext.MustMarshal(name)), part)
	}
	return v.Raw[:1] + strings.Join(parts, ",") + v.Raw[len(v.Raw)-1:], nil
}
