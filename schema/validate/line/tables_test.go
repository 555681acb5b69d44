package line_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/format"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate/line"
)

var update = flag.Bool("update", false, "write tables.go")

// The tables are those of the published schema.
func TestTables(t *testing.T) {
	want := generate(t)
	if *update {
		if err := os.WriteFile("tables.go", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return // what this test was built with is what stood there before
	}
	got, err := os.ReadFile("tables.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("tables.go is not what the schema says; run go generate in this folder")
	}
	if line.Digest != schema.Digest() {
		t.Errorf("Digest = %s, want %s, that of the schema", line.Digest, schema.Digest())
	}
}

// node is a schema in the published file. A keyword that it does not have is one
// that the scanner knows nothing of.
type node struct {
	Title, Description   string
	Examples             []any
	Type                 any
	Required             []string
	Properties           map[string]*node
	AdditionalProperties any
	MaxProperties        int64
	PropertyNames        *node
	Items                *node
	MaxItems             int64
	MinLength, MaxLength int64
	Minimum, Maximum     *int64
	Format, Pattern      string
	Const                *string
	Enum                 []string
}

// generator writes the tables as Go.
type generator struct {
	t testing.TB
	bytes.Buffer
	listed bool              // in a list
	forms  map[string]string // the objects in others, by what they are
}

// generate returns tables.go.
func generate(t testing.TB) []byte {
	t.Helper()
	text, err := schema.Load(schema.Version)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Defs map[string]json.RawMessage `json:"$defs"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	g := &generator{t: t, forms: map[string]string{}}
	fmt.Fprintf(g, "// Code generated from the published schema by go test -run TestTables -update; DO NOT EDIT.\n\npackage line\n\n"+
		"// Version is the schema_version that the tables are of, and Digest that of its schema.\nconst (\nVersion = %q\nDigest = %q\n)\n", schema.Version, schema.Digest())
	defs := map[string]*node{}
	for name, raw := range doc.Defs {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.DisallowUnknownFields()
		if err := dec.Decode(pointer(defs, name)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	g.object("envelope", defs["envelope"], "")
	types := &node{Properties: map[string]*node{}}
	for _, typ := range schema.Types() {
		types.Properties[string(typ)] = defs[string(typ)]
		g.object(goName(string(typ)), withCallID(defs[string(typ)]), "data")
	}
	g.object("types", types, "types")
	out, err := format.Source(g.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, g.Bytes())
	}
	return out
}

func pointer(defs map[string]*node, name string) *node {
	defs[name] = new(node)
	return defs[name]
}

// withCallID adds the one name that the rules look for in data of every type.
func withCallID(n *node) *node {
	if n.Properties["tool_call_id"] == nil {
		n.Properties["tool_call_id"] = &node{Type: "unknown"}
	}
	return n
}

// object writes an object as a variable, after the objects in it.
func (g *generator) object(name string, n *node, place string) {
	var entries bytes.Buffer
	var required uint32
	names := slices.Sorted(maps.Keys(n.Properties))
	if len(names) > 32 {
		g.t.Fatalf("%s has %d members, more than a set has bits", name, len(names))
	}
	next, heads := g.chains(names)
	for i, member := range names {
		m := n.Properties[member]
		if slices.Contains(n.Required, member) {
			required |= 1 << i
		}
		entry := g.entry(name, member, m, place)
		fmt.Fprintf(&entries, "{name: %q, first: %#x, next: %d, bit: %#x, %s},\n", member, firstWord(member), next[member], 1<<i, entry)
	}
	factor, index := g.index(heads)
	fmt.Fprintf(g, "\nvar %s = object{factor: %#x, index: [1 << indexBits]uint8{%s}, required: %#x, closed: %t, entries: []entry{{},\n%s}}\n",
		name, factor, index, required, n.AdditionalProperties == false, entries.String())
}

// entry returns what an entry says beside its name, and writes the object that it
// may need.
func (g *generator) entry(owner, member string, m *node, place string) string {
	switch {
	case place == "types":
		return "object: &" + goName(member)
	case member == "data" && place == "":
		return "kind: kindData"
	}
	kind, null := g.kind(m, member, place)
	out := fmt.Sprintf("kind: %s, null: %t", kind, null)
	if slot := slots[place+"/"+member]; slot != "" {
		out += ", slot: " + slot
	}
	switch kind {
	case "kindText", "kindChars", "kindOneLine":
		out += fmt.Sprintf(", min: %d, max: %d", m.MinLength, m.MaxLength)
	case "kindInteger":
		out += fmt.Sprintf(", min: %d, max: %d", *m.Minimum, *m.Maximum)
	case "kindObject":
		out += ", object: &" + g.form(owner+goName("_"+member), m)
	case "kindList":
		if g.listed {
			g.t.Fatalf("%s: a list in a list", member)
		}
		g.listed = true
		out += fmt.Sprintf(", max: %d, size: %d, item: &entry{%s}", m.MaxItems, schema.MaxListBytes, g.entry(owner, member+"_item", m.Items, "inside"))
		g.listed = false
	case "kindCounts":
		var item node
		g.decode(m.AdditionalProperties, &item)
		out += fmt.Sprintf(", max: %d, size: %d, name1: %d, item: &entry{%s}", m.MaxProperties, schema.MaxListBytes, m.PropertyNames.MaxLength, g.entry(owner, "", &item, "inside"))
	}
	return out
}

// form writes an object that is in another one, unless there is one like it, and
// returns its name.
func (g *generator) form(name string, n *node) string {
	form, err := json.Marshal(n)
	if err != nil {
		g.t.Fatal(err)
	}
	if g.forms[string(form)] == "" {
		g.forms[string(form)] = name
		g.object(name, n, "inside")
	}
	return g.forms[string(form)]
}

// decode reads a schema that was read as any value.
func (g *generator) decode(from any, to *node) {
	text, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		g.t.Fatal(err)
	}
}

// slots are the members whose values later rules ask for.
var slots = map[string]string{
	"/sequence": "slotSequence", "/step": "slotStep", "/run_id": "slotRunID",
	"data/tool_call_id": "slotCallID", "data/decision": "slotDecision", "data/tool": "slotTool",
	"data/exit_reason": "slotReason", "data/ok": "slotOK", "data/error": "slotError",
	"data/tool_calls":      "slotTotal",
	"data/content_preview": "slotText", "data/final_output": "slotText", "data/truncated": "slotTruncated", "data/original_bytes": "slotOriginal",
}

// kinds are those that a type, or what else is said of a member, tells.
var kinds = map[string]string{
	"string": "kindText", "integer": "kindInteger", "number": "kindDecimal", "boolean": "kindBool", "object": "kindObject", "array": "kindList",
	"/ts": "kindTime", "/type": "kindType", "/schema_version": "kindVersion",
	"data/summary_text": "kindChars", "data/message_short": "kindOneLine", "unknown": "kindUnknown",
}

// kind returns what a member must be, and whether it may be null.
func (g *generator) kind(m *node, member, place string) (kind string, null bool) {
	typ, _ := m.Type.(string)
	if list, ok := m.Type.([]any); ok {
		typ, null = list[0].(string), true
		if len(list) != 2 || list[1] != "null" {
			g.t.Fatalf("%s is of the types %v, want one and null", member, list)
		}
	}
	if kind = kinds[place+"/"+member]; kind == "" {
		kind = kinds[typ]
	}
	if kind == "kindObject" && m.Properties == nil {
		kind = "kindCounts"
	}
	if kind == "" || m.Pattern != "" && kind == "kindText" || kind == "kindText" && m.MaxLength == 0 {
		g.t.Fatalf("%s/%s: no kind for %+v", place, member, m)
	}
	return kind, null
}

// chains returns, of names that start with the same word, the number of the next
// one, and the number of the first by that word.
func (g *generator) chains(names []string) (next map[string]int, heads map[uint64]int) {
	next, heads = map[string]int{}, map[uint64]int{}
	for i := len(names) - 1; i >= 0; i-- {
		w := firstWord(names[i])
		next[names[i]], heads[w] = heads[w], i+1
	}
	return next, heads
}

// index finds a factor that gives each word a place of its own.
func (g *generator) index(heads map[uint64]int) (factor uint64, index string) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 1_000_000 {
		factor = random.Uint64() | 1
		places := map[uint64]int{}
		for w, head := range heads {
			places[w*factor>>58] = head
		}
		if len(places) < len(heads) {
			continue
		}
		var list []string
		for _, place := range slices.Sorted(maps.Keys(places)) {
			list = append(list, fmt.Sprintf("%d: %d", place, places[place]))
		}
		return factor, strings.Join(list, ", ")
	}
	g.t.Fatal("no factor found")
	return 0, ""
}

// firstWord has the first bytes of a name and its quote.
func firstWord(name string) (w uint64) {
	name += `"`
	for k := range min(len(name), 8) {
		w |= uint64(name[k]) << (8 * k)
	}
	return w
}

// goName writes a name of the contract as one of Go.
func goName(name string) string {
	parts := strings.Split(name, "_")
	for i := range parts {
		if i > 0 && parts[i] != "" {
			parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
		}
	}
	return strings.Join(parts, "")
}
