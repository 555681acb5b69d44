package transport

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// settle replaces in an answer what is another one each time the same is
// asked: ids of replies and of their items, times, fingerprints of the
// endpoint's software, and the padding that hides lengths. The client reads
// none of it. Ids of tool calls and of thoughts stay, since the next request
// repeats them; an id that comes again within the answer gets the same name
// again.
func settle(pieces []piece) {
	s := &settler{names: map[string]string{}}
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
			p.Text = settleText(p.Text)
		}
	}
}

// settler names ids in the order in which they come.
type settler struct{ names map[string]string }

// leaveThoughts lets the ids of thoughts stay that an event or an answer holds.
func (s *settler) leaveThoughts(raw []byte) {
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
			s.names[i.ID] = i.ID
		}
	}
}

// scalar returns what stands for the value of a member. Paths of both APIs are
// told apart by their names alone.
func (s *settler) scalar(path string, v any) any {
	switch path {
	case "id", "item_id", "item.id", "response.id", "response.output.id", "output.id":
		if id, ok := v.(string); ok && id != "" {
			return s.name(id)
		}
	case "created", "created_at", "completed_at", "response.created_at", "response.completed_at":
		if _, ok := v.(json.Number); ok {
			return json.Number("0")
		}
	case "system_fingerprint", "obfuscation":
		if _, ok := v.(string); ok {
			return ""
		}
	}
	return v
}

// idKind matches what endpoints put before the random part of an id.
var idKind = regexp.MustCompile(`^(chatcmpl|cmpl|gen|resp|msg|fc|rs)[-_]`)

func (s *settler) name(id string) string {
	name, ok := s.names[id]
	if !ok {
		kind := idKind.FindString(id)
		if kind == "" {
			kind = "id-"
		}
		name = kind + strconv.Itoa(len(s.names)+1)
		s.names[id] = name
	}
	return name
}

// In an event that was cut there are no members to go by; no client reads it.
var (
	tornID      = regexp.MustCompile(`("id":\s*")[^"\s]*("?)`)
	tornNumber  = regexp.MustCompile(`("created(?:_at)?":\s*)[0-9]+`)
	tornPadding = regexp.MustCompile(`("(?:system_fingerprint|obfuscation)":\s*")[^"\s]*("?)`)
)

func settleText(s string) string {
	if !strings.HasPrefix(s, "data:") || strings.HasSuffix(s, "\n") {
		return s
	}
	s = tornID.ReplaceAllString(s, "${1}id${2}")
	s = tornNumber.ReplaceAllString(s, "${1}0")
	return tornPadding.ReplaceAllString(s, "${1}${2}")
}

// rewrite returns valid JSON with each scalar replaced by what visit makes of
// it; members keep their order. A path is the names of the members above the
// scalar with dots between, lists left out.
func rewrite(raw []byte, visit func(path string, v any) any) []byte {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	w := &rewriter{raw: raw, dec: dec, visit: visit}
	w.value("")
	return w.out
}

type rewriter struct {
	raw   []byte
	dec   *json.Decoder
	visit func(string, any) any
	out   []byte
}

func (w *rewriter) value(path string) {
	from := w.dec.InputOffset()
	tok, err := w.dec.Token()
	if err != nil {
		panic("transport: rewrite of invalid JSON: " + err.Error())
	}
	delim, ok := tok.(json.Delim)
	if !ok {
		// What stays is not spelt anew: a piece may be half of a surrogate pair.
		spelt := bytes.TrimLeft(w.raw[from:w.dec.InputOffset()], ":, \t\r\n")
		if v := w.visit(path, tok); v != tok {
			spelt = marshal(v)
		}
		w.out = append(w.out, spelt...)
		return
	}
	w.out = append(w.out, byte(delim))
	for n := 0; w.dec.More(); n++ {
		if n > 0 {
			w.out = append(w.out, ',')
		}
		inner := path
		if delim == '{' {
			inner = w.key(path)
		}
		w.value(inner)
	}
	end, _ := w.dec.Token() // the bracket that ended the loop
	bracket, _ := end.(json.Delim)
	w.out = append(w.out, byte(bracket))
}

// key copies the name of a member and returns its path.
func (w *rewriter) key(path string) string {
	tok, _ := w.dec.Token() // a name, as the JSON is valid
	name, _ := tok.(string)
	w.out = append(append(w.out, marshal(name)...), ':')
	if path == "" {
		return name
	}
	return path + "." + name
}
