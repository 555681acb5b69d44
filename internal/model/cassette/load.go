package cassette

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/nearest"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// quoteSchema is the name of a schema as an error may quote it.
func quoteSchema(name string) string {
	if strings.HasPrefix(name, "openagent.") {
		return strconv.Quote(name)
	}
	return nearest.Quote(name)
}

// Load reads a cassette for replay. name stands for it in errors,
// which name the line. Known secrets of r were masked when it was recorded and
// are masked in requests before these are compared. A file that ends inside an
// exchange is refused: what is missing could not be told from what never came.
func Load(name string, data []byte, r *redact.Redactor) (*Cassette, error) {
	l := &loader{redactor: r, body: map[string]string{}}
	for len(data) > 0 {
		l.line++
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		if !whole && !isEnd(line) { // an editor may leave the last line end out
			return nil, fmt.Errorf("%s:%d: %w", name, l.line, l.torn("inside this line"))
		}
		if err := l.read(line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, l.line, err)
		}
		data = rest
	}
	switch {
	case l.open != nil:
		return nil, fmt.Errorf("%s:%d: %w", name, l.line, l.torn("after this line"))
	case len(l.exchanges) == 0:
		return nil, fmt.Errorf("%s: the cassette holds no exchange", name)
	}
	return &Cassette{name: name, agent: l.agent, exchanges: l.exchanges, masks: newMasks(r)}, nil
}

// isEnd reports whether a line ends an exchange, which half a line never does.
func isEnd(line []byte) bool {
	var e endLine
	return strict(line, &e) == nil && e.End != ""
}

// loader takes a cassette line by line.
type loader struct {
	redactor  *redact.Redactor
	line      int
	exchanges []exchange
	agent     *Agent
	open      *exchange         // the exchange under way, nil between two
	body      map[string]string // parts of the latest request
}

// torn tells of a file that ends too early, and the way out.
func (l *loader) torn(where string) error {
	from := l.line
	if l.open != nil {
		from = l.open.line
	}
	return fmt.Errorf("the file ends %s, inside an exchange: record it anew, or delete its lines from %d on", where, from)
}

// read reads one line, which the marker among its members names.
func (l *loader) read(line []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(line, &members); err != nil {
		if l.line == 1 {
			return fmt.Errorf("no cassette, which begins with %s; --cassette-mode record makes one", jsontext.MustMarshal(headerLine{Schema: schemaName}))
		}
		return fmt.Errorf("no JSON object: %w", err)
	}
	if l.line == 1 {
		return l.header(line)
	}
	for _, kind := range []struct {
		marker string
		read   func([]byte) error
	}{
		{"request", strictly(l.request)}, {"part", strictly(l.part)}, {"status", strictly(l.status)}, {"end", strictly(l.end)},
		{"data", strictly(l.piece)}, {"json", strictly(l.piece)}, {"text", strictly(l.piece)}, {"base64", strictly(l.piece)},
	} {
		if _, ok := members[kind.marker]; ok {
			return kind.read(line)
		}
	}
	return fmt.Errorf("want a line with request, part, status, data, json, text, base64 or end")
}

func (l *loader) header(line []byte) error {
	var h headerLine
	err := strict(line, &h)
	switch {
	case h.Schema != schemaName && h.Schema != schemaAgent:
		return fmt.Errorf("schema is %s, want %q or %q: no cassette, or one for another version of this program",
			quoteSchema(h.Schema), schemaName, schemaAgent)
	case err != nil:
		return err
	case (h.Schema == schemaAgent) != (h.Agent != nil && h.Agent.Name != ""):
		return fmt.Errorf("want the name of an agent with %q and with no other schema", schemaAgent)
	}
	l.agent = h.Agent
	return nil
}

func (l *loader) request(q requestLine) error {
	if l.open != nil {
		return fmt.Errorf("a request inside an exchange: the end of the one that begins on line %d is missing", l.open.line)
	}
	if want := len(l.exchanges) + 1; q.Request != want {
		return fmt.Errorf("request is %d, want %d", q.Request, want)
	}
	if q.Method == "" || !strings.HasPrefix(q.Path, "/") {
		return fmt.Errorf("want a method and a path that begins with a slash")
	}
	l.open = &exchange{line: l.line, method: q.Method, path: q.Path}
	return nil
}

func (l *loader) part(p partLine) error {
	if l.open == nil || l.open.status != 0 {
		return fmt.Errorf("a part of a request outside one")
	}
	_, known := l.body[p.Part]
	switch {
	case p.Gone && p.Value == nil && known:
		delete(l.body, p.Part)
		return nil
	case p.Gone || p.Value == nil:
		return fmt.Errorf("want a value, or gone for a part of the request before")
	}
	v, err := jsontext.Decode(p.Value)
	if err != nil {
		return err
	}
	l.body[p.Part] = string(jsontext.MustMarshal(v))
	return nil
}

func (l *loader) status(s statusLine) error {
	if l.open == nil || l.open.status != 0 {
		return fmt.Errorf("a status outside an exchange, or a second one")
	}
	if s.Status < 200 || s.Status > 999 {
		return fmt.Errorf("status is %d, want 200 to 999", s.Status)
	}
	for name := range s.Headers {
		if !slices.Contains(keptHeaders(), name) {
			return fmt.Errorf("header %q; known: %s", name, strings.Join(keptHeaders(), ", "))
		}
	}
	l.open.status, l.open.headers = s.Status, s.Headers
	return nil
}

func (l *loader) piece(p piece) error {
	if l.open == nil || l.open.status == 0 {
		return fmt.Errorf("a piece of an answer before its status")
	}
	if p.kinds() != 1 || p.Event != "" && p.Data == nil {
		return fmt.Errorf("want one of data (with or without event), json, text and base64")
	}
	l.open.answer = append(l.open.answer, p)
	return nil
}

func (l *loader) end(e endLine) error {
	broken := e.End == endCut || e.End == endTimeout
	switch {
	case l.open == nil:
		return fmt.Errorf("an end outside an exchange")
	case !broken && e.End != endWhole && e.End != endLeft:
		return fmt.Errorf("end is %q, want whole, left, cut or timeout", e.End)
	case l.open.status == 0 && !broken:
		return fmt.Errorf("end is %q without a status, want cut or timeout", e.End)
	}
	for key, value := range l.body {
		l.open.body = append(l.open.body, part{key, value})
	}
	slices.SortFunc(l.open.body, compareParts)
	l.open.end = e.End
	l.exchanges = append(l.exchanges, *l.open)
	l.open = nil
	return nil
}

// strict decodes one line, which is an object, and refuses members that are not
// known.
func strict(line []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	return dec.Decode(into)
}

// strictly returns a function that decodes a line and reads it.
func strictly[T any](read func(T) error) func([]byte) error {
	return func(line []byte) error {
		var v T
		if err := strict(line, &v); err != nil {
			return err
		}
		return read(v)
	}
}
