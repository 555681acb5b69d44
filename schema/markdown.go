package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Markdown returns a published schema as Markdown: a table of members for the
// document itself and for each of its definitions, which have headings of the
// third level, with an example each.
func Markdown(name string) (string, error) {
	text, err := Load(name)
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
		node.example(&b, Type(def))
	}
	return b.String(), nil
}

// described is what a schema tells people of one member.
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
	dec := json.NewDecoder(bytes.NewReader(b))
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		var skipped json.RawMessage
		if err := dec.Decode(&skipped); err != nil {
			return err
		}
		o.names = append(o.names, fmt.Sprint(name))
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
		for _, required := range d.Required {
			if required == name {
				presence = "declared"
			}
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
	switch {
	case d.Items != nil:
		kind = strings.Replace(kind, "array", "list of "+d.Items.kind(""), 1)
	case d.MaxLength > 0 && (name == "summary_text" || name == "message_short"):
		kind += fmt.Sprintf(", %d characters", d.MaxLength)
	case d.MaxLength > 0:
		kind += fmt.Sprintf(", %d bytes", d.MaxLength)
	case d.MaxProperties > 0:
		others, _ := d.Others.(map[string]any)
		kind += fmt.Sprintf(" of %v, %d names", others["type"], d.MaxProperties)
	}
	if d.MaxItems > 0 {
		kind += fmt.Sprintf(", %d items", d.MaxItems)
	}
	return kind
}

// example writes the example of a payload as a line of a stream, and that of
// another definition as it is.
func (d *described) example(b *strings.Builder, t Type) {
	if len(d.Examples) == 0 {
		return
	}
	var compact bytes.Buffer
	if json.Compact(&compact, d.Examples[0]) != nil {
		return
	}
	line := compact.String()
	if NewPayload(t) != nil {
		line = exampleLine(t, compact.Bytes())
	}
	fmt.Fprintf(b, "\n```json\n%s\n```\n", line)
}

// exampleLine puts a payload into an envelope that suits its type.
func exampleLine(t Type, payload json.RawMessage) string {
	e := Event{
		SchemaVersion: Version, Sequence: 4, TS: "2026-03-03T20:11:12.003Z",
		RunID: "20260303-201112-4f2a", Step: 1, Type: t, Data: payload,
	}
	if t == TypeRunStarted {
		e.Sequence, e.Step, e.TS = 1, 0, "2026-03-03T20:11:12.000Z"
	}
	line, err := Encode(e)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(string(line), "\n")
}
