package cassette

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
)

// normalize replaces in an answer what is another one each time the same is
// asked: ids of replies and of their items, times, fingerprints of the
// endpoint's software, and the padding that hides lengths. The client reads
// none of it. Ids of tool calls and of thoughts stay, since the next request
// repeats them; an id that comes again within the answer gets the same name
// again. series is in front of the numbers of ids.
func normalize(pieces []piece, series string) {
	s := &normalizer{series: series, names: map[string]string{}}
	for i := range pieces {
		s.leaveThoughts(pieces[i].Data)
		s.leaveThoughts(pieces[i].JSON)
	}
	for i := range pieces {
		p := &pieces[i]
		switch {
		case p.Data != nil:
			p.Data = rewrite(p.Data, s.scalar)
		case p.JSON != nil:
			p.JSON = rewrite(p.JSON, s.scalar)
		case p.Text != "":
			p.Text = normalizeText(p.Text)
		}
	}
}

// normalizer names ids in the order in which they come.
type normalizer struct {
	series string // in front of each number
	names  map[string]string
}

// leaveThoughts lets the ids of thoughts stay that an event or an answer holds.
func (n *normalizer) leaveThoughts(raw []byte) {
	type item struct{ Type, ID string }
	var v struct {
		Item     item
		Output   []item
		Response struct{ Output []item }
	}
	if !bytes.Contains(raw, []byte(`"reasoning"`)) || json.Unmarshal(raw, &v) != nil {
		return
	}
	for _, i := range slices.Concat([]item{v.Item}, v.Output, v.Response.Output) {
		if i.Type == "reasoning" && i.ID != "" {
			n.names[i.ID] = i.ID
		}
	}
}

// changing says, by the path of a member, what is another value in each answer.
// The names alone tell the APIs apart: no other member of one has the path of such
// a member of another.
var changing = map[string]func(s *normalizer, v any) any{
	"id": (*normalizer).id, "item_id": (*normalizer).id, "item.id": (*normalizer).id, "output.id": (*normalizer).id,
	"response.id": (*normalizer).id, "response.output.id": (*normalizer).id,
	"message.id": (*normalizer).id, "responseId": (*normalizer).id,
	"created": noTime, "created_at": noTime, "completed_at": noTime, "response.created_at": noTime, "response.completed_at": noTime,
	"createTime":         noDate,
	"system_fingerprint": noText, "obfuscation": noText, "request_id": noText,
}

// scalar returns what stands for the value of a member.
func (n *normalizer) scalar(path string, v any) any {
	if stands, ok := changing[path]; ok {
		return stands(n, v)
	}
	return v
}

func (n *normalizer) id(v any) any {
	if id, ok := v.(string); ok && id != "" {
		return n.name(id)
	}
	return v
}

var noTime, noDate, noText = always(json.Number("0")), always("1970-01-01T00:00:00Z"), always("")

// always puts one value in the place of all of its type.
func always[T any](one T) func(*normalizer, any) any {
	return func(_ *normalizer, v any) any {
		if _, ok := v.(T); ok {
			return one
		}
		return v
	}
}

// idKind matches what endpoints put before the random part of an id.
var idKind = lazyregexp.New(`^(chatcmpl|cmpl|gen|resp|msg|fc|rs)[-_]`)

func (n *normalizer) name(id string) string {
	name, ok := n.names[id]
	if !ok {
		kind := idKind().FindString(id)
		if kind == "" {
			kind = "id-"
		}
		name = kind + n.series + strconv.Itoa(len(n.names)+1)
		n.names[id] = name
	}
	return name
}

// In an event that was cut there are no members to go by; no client reads it.
var (
	tornID      = lazyregexp.New(`("(?:id|responseId)":\s*")[^"\s]*("?)`)
	tornNumber  = lazyregexp.New(`("created(?:_at)?":\s*)[0-9]+`)
	tornPadding = lazyregexp.New(`("(?:system_fingerprint|obfuscation|createTime|request_id)":\s*")[^"\s]*("?)`)
)

func normalizeText(s string) string {
	if !strings.HasPrefix(s, "data:") || strings.HasSuffix(s, "\n") {
		return s
	}
	s = tornID().ReplaceAllString(s, "${1}id${2}")
	s = tornNumber().ReplaceAllString(s, "${1}0")
	return tornPadding().ReplaceAllString(s, "${1}${2}")
}

// rewrite returns valid JSON with each scalar replaced by what visit makes of
// it; members keep their order. A path is the names of the members above the
// scalar with dots between, lists left out.
func rewrite(raw []byte, visit func(path string, v any) any) []byte {
	w := &rewriter{Reader: jsontext.Reader[[]byte]{Src: raw, Room: jsontext.MaxDepth}, visit: visit}
	w.Blanks()
	w.value("")
	return w.out
}

type rewriter struct {
	jsontext.Reader[[]byte]
	visit func(string, any) any
	out   []byte
}

func (w *rewriter) value(path string) {
	switch from := w.Pos; w.Peek() {
	case '{':
		w.out = append(w.out, '{')
		for name := range w.Members() {
			w.comma()
			w.out = append(append(w.out, jsontext.MustMarshal(string(name))...), ':')
			w.value(strings.TrimPrefix(path+"."+string(name), "."))
		}
		w.out = append(w.out, '}')
	case '[':
		w.out = append(w.out, '[')
		for range w.Items() {
			w.comma()
			w.value(path)
		}
		w.out = append(w.out, ']')
	default:
		w.Skip()
		// What stays is not spelt anew: a piece may be half of a surrogate pair.
		spelt := w.Src[from:w.Pos]
		was, _ := jsontext.Decode(spelt) // it is valid
		if v := w.visit(path, was); v != was {
			spelt = jsontext.MustMarshal(v)
		}
		w.out = append(w.out, spelt...)
	}
}

// comma separates an element from the one before, if there is one.
func (w *rewriter) comma() {
	if last := w.out[len(w.out)-1]; last != '{' && last != '[' {
		w.out = append(w.out, ',')
	}
}
