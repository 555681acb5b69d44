package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// Markdown returns a schema that this module publishes as Markdown, as Set.Markdown
// does.
func Markdown(name string) (string, error) { return Set{}.Markdown(name) }

// Markdown returns a published schema as Markdown: a table of members for the
// document itself and for each of its definitions, which have headings of the
// third level, with an example each.
func (s Set) Markdown(name string) (string, error) {
	if name == TypesName {
		return "", fmt.Errorf("schema %s is for programs: its tables are those of %s", name, Version)
	}
	text, err := s.Load(name)
	if err != nil {
		return "", err
	}
	var doc described
	if err := json.Unmarshal(text, &doc); err != nil {
		return "", fmt.Errorf("read schema %s: %w", name, err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", doc.Description)
	doc.table(&b)
	for _, def := range doc.Defs.names {
		node := doc.Defs.members[def]
		fmt.Fprintf(&b, "\n### `%s`\n\n%s\n", def, node.Description)
		node.table(&b)
		node.example(&b, doc.eventOf(Type(def)))
	}
	return b.String(), nil
}

// eventOf returns an event of the type that the schema describes, without its data,
// nil when it describes none of that type.
func (d *described) eventOf(t Type) *Event {
	envelope := d.Defs.members["envelope"]
	if envelope == nil {
		return nil
	}
	version, typ := envelope.Properties.members["schema_version"], envelope.Properties.members["type"]
	if version == nil || typ == nil || !slices.Contains(typ.Enum, string(t)) {
		return nil
	}
	e := &Event{
		SchemaVersion: version.Const, Sequence: 4, TS: "2026-03-03T20:11:12.003Z", RunID: "20260303-201112-4f2a", Step: 1, Type: t,
	}
	if t == TypeRunStarted {
		e.Sequence, e.Step, e.TS = 1, 0, "2026-03-03T20:11:12.000Z"
	}
	return e
}

// described is what a schema says of one member for people.
type described struct {
	Description string
	Type        typeNames
	Required    []string
	Properties  ordered
	Defs        ordered `json:"$defs"`
	Items       *described
	// Others is what members under names that are not fixed are; false is none.
	Others        any `json:"additionalProperties"`
	MaxProperties int
	Enum          []string
	Const         string
	MaxLength     int
	MaxItems      int
	Minimum       *int64
	PropertyNames struct{ MaxLength int }
	Examples      []json.RawMessage
}

// typeNames is JSON Schema's type: a name or a list of names.
type typeNames []string

// UnmarshalJSON reads both forms.
func (t *typeNames) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		*t = typeNames{""}
		return json.Unmarshal(b, &(*t)[0])
	}
	return json.Unmarshal(b, (*[]string)(t))
}

// ordered is an object of schemas with its names in the order of the file.
type ordered struct {
	names   []string
	members map[string]*described
}

// UnmarshalJSON notes the order that a map would lose.
func (o *ordered) UnmarshalJSON(b []byte) error {
	if err := json.Unmarshal(b, &o.members); err != nil {
		return err
	}
	r := jsontext.Reader[string]{Src: string(b), Room: jsontext.MaxDepth}
	for name := range r.Members() {
		o.names = append(o.names, name)
		r.Skip()
	}
	return nil
}

// table writes the members of an object, those of objects in it too.
func (d *described) table(b *strings.Builder) {
	if len(d.Properties.names) == 0 {
		return
	}
	b.WriteString("\n| key | | type | what |\n|---|---|---|---|\n")
	d.rows(b, "")
}

// rows writes a row per member, members of members under their path.
func (d *described) rows(b *strings.Builder, prefix string) {
	for _, name := range d.Properties.names {
		member := d.Properties.members[name]
		presence := "additive"
		if slices.Contains(d.Required, name) {
			presence = "declared"
		}
		path := prefix + name
		text := strings.ReplaceAll(member.Description, "|", `\|`)
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", path, presence, member.kind(name), text)
		member.rows(b, path+".")
		if member.Items != nil {
			member.Items.rows(b, path+"[].")
		}
	}
}

// kind returns the type of a member with its bound.
func (d *described) kind(name string) string {
	if d.Const != "" {
		return "`" + d.Const + "`"
	}
	if len(d.Enum) > 0 {
		return "one of `" + strings.Join(d.Enum, "`, `") + "`"
	}
	kind := strings.Join(d.Type, " or ")
	switch others, _ := d.Others.(map[string]any); {
	case d.Items != nil:
		kind = strings.Replace(kind, "array", "list of "+strings.Join(d.Items.Type, " or "), 1)
		kind += bound(d.MaxItems, "items", d.Items.MaxLength)
	case name == "summary_text" || name == "message_short":
		kind += bound(d.MaxLength, "characters", 0)
	case others["type"] != nil:
		kind += fmt.Sprintf(" of %v", others["type"]) + bound(d.MaxProperties, "names", d.PropertyNames.MaxLength)
	case d.Minimum != nil && *d.Minimum > -MaxSafeInteger:
		kind += fmt.Sprintf(", at least %d", *d.Minimum)
	default:
		kind += bound(d.MaxLength, "bytes", 0)
	}
	return kind
}

// bound returns how many of something there may be, and of how many bytes each.
func bound(most int, of string, each int) string {
	if most == 0 {
		return ""
	}
	text := fmt.Sprintf(", %d %s", most, of)
	if each > 0 {
		text += fmt.Sprintf(" of %d bytes", each)
	}
	return text
}

// example writes the example of a payload as the line of that event, and that of
// another definition, for which there is none, as it is.
func (d *described) example(b *strings.Builder, e *Event) {
	if len(d.Examples) == 0 {
		return
	}
	var compact bytes.Buffer
	if json.Compact(&compact, d.Examples[0]) != nil {
		return
	}
	line := compact.String()
	if e != nil {
		e.Data = json.RawMessage(compact.Bytes())
		encoded, err := Encode(*e)
		if line = strings.TrimSuffix(string(encoded), "\n"); err != nil {
			line = err.Error()
		}
	}
	fmt.Fprintf(b, "\n```json\n%s\n```\n", line)
}
