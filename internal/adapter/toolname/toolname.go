// Package toolname maps the tools that all agents have to neutral names and back. A
// script that calls execute_command, read_file or write_file drives every agent.
package toolname

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// Call is a tool call; Arguments are JSON, or whatever else a script sends.
type Call struct{ Tool, Arguments string }

// Tool is a tool on offer; Parameters is the JSON Schema of its arguments.
type Tool struct {
	Name       string
	Parameters json.RawMessage
}

// Own returns a call as the agent that offers these tools has to make it. A call of
// a tool on offer stays as it is, a neutral one that the agent has under other names
// is translated, and a file that it has no tool for is read or written by its shell.
// The workspace is asked for where a path has to be absolute, and may be empty. The
// error lists what is on offer.
func Own(c Call, offered []Tool, workspace func() string) (Call, error) {
	offers := func(t Tool) bool { return t.Name == c.Tool }
	if members := c.members(); members != nil {
		if own, ok := translate(c, members, offered, workspace); ok {
			return own, nil
		}
		if command := shellForm(c.Tool, members); command != "" && !slices.ContainsFunc(offered, offers) {
			run := map[string]json.RawMessage{"command": jsontext.MustMarshal(command)}
			if own, ok := translate(Call{Tool: execute}, run, offered, workspace); ok {
				return own, nil
			}
		}
	}
	if slices.ContainsFunc(offered, offers) {
		return c, nil
	}
	return c, fmt.Errorf("no tool %s is on offer, but %s", jsontext.MustMarshal(c.Tool), list(offered))
}

// maxList bounds what an error says of the tools on offer, in bytes.
const maxList = 8 << 10

// list names the tools on offer, as many as maxList has room for.
func list(offered []Tool) string {
	if len(offered) == 0 {
		return "none at all"
	}
	var names []string
	room := maxList
	for i, t := range offered {
		if room -= len(t.Name) + len(", "); room < 0 {
			names = append(names, fmt.Sprintf("and %d more", len(offered)-i))
			break
		}
		names = append(names, t.Name)
	}
	return strings.Join(names, ", ")
}

// translate returns a neutral call as one of the first tool in the table that is on
// offer.
func translate(c Call, members map[string]json.RawMessage, offered []Tool, workspace func() string) (Call, bool) {
	for _, r := range table {
		if r.neutral != c.Tool {
			continue
		}
		for _, t := range offered {
			if t.Name != r.tool {
				continue
			}
			if s := schemaOf(t.Parameters); s.has(r.names) {
				return r.own(c, members, s, workspace), true
			}
		}
	}
	if best, r := shell(offered); best != nil && c.Tool == execute {
		return r.own(c, members, schemaOf(best.Parameters), workspace), true
	}
	return c, false
}

// shell returns the tool of which the schema shows that it runs commands: one of its
// required members is a command. Of several it is the one that requires the least.
func shell(offered []Tool) (best *Tool, r row) {
	least := 0
	for i, t := range offered {
		s := schemaOf(t.Parameters)
		name, n := s.command()
		if n == 1 && (best == nil || len(s.Required) < least) {
			best, least, r = &offered[i], len(s.Required), runs(t.Name, name)
		}
	}
	return best, r
}

// own returns a neutral call as one of the row's tool, whose schema is s. Arguments
// that are not neutral stay as they are.
func (r row) own(c Call, members map[string]json.RawMessage, s schema, workspace func() string) Call {
	out := map[string]json.RawMessage{}
	for name, value := range members {
		if as, ok := r.names[name]; ok {
			name = as
		}
		out[name] = value
	}
	if path, ok := text(out, r.names["path"]); ok && r.absolute {
		out[r.names["path"]] = jsontext.MustMarshal(absolute(workspace, path))
	}
	command := r.names["command"]
	if line, ok := text(out, command); ok && s.Properties[command].kind() == "array" {
		argv := []string{"bash", "-lc", line}
		if command == "commands" {
			argv = []string{line}
		}
		out[command] = jsontext.MustMarshal(argv)
	}
	s.complete(out, strings.ReplaceAll(r.neutral, "_", " "))
	if r.tool == c.Tool && maps.EqualFunc(out, members, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
		return c // as it was written, to the byte
	}
	return Call{r.tool, string(jsontext.MustMarshal(out))}
}

// Neutral returns the call of an agent by its neutral name and arguments, of which
// it has no others; a call without a neutral name stays as it is. Paths below the
// workspace, which may be empty, are relative to it. A command that does no more
// than read or write a file, as Own makes it, is a call that does so. Arguments that are
// no object, or the start of one, stay as they are.
func Neutral(c Call, workspace string) Call {
	members := c.members()
	for _, r := range table {
		if r.tool != c.Tool {
			continue
		}
		if members == nil {
			return Call{r.neutral, c.Arguments}
		}
		if neutral := r.neutralOf(members); neutral != nil {
			return finish(r, neutral, workspace)
		}
	}
	return c
}

// neutralOf returns the neutral arguments among those of a call, nil if they are not
// those of the row.
func (r row) neutralOf(members map[string]json.RawMessage) map[string]string {
	out := map[string]string{}
	for neutral, own := range r.names {
		value, ok := text(members, own)
		if !ok && neutral == "command" {
			value, ok = argv(members[own])
		}
		if !ok {
			return nil
		}
		out[neutral] = value
	}
	return out
}

// finish returns the neutral call of a row.
func finish(r row, arguments map[string]string, workspace string) Call {
	tool := r.neutral
	if command, ok := arguments["command"]; ok {
		if r.wrapped {
			command = unwrapped(command)
			arguments["command"] = command
		}
		if t, a := fileCommand(command); t != "" {
			tool, arguments = t, a
		}
	}
	if path, ok := arguments["path"]; ok {
		arguments["path"] = relative(workspace, path)
	}
	return Call{tool, string(jsontext.MustMarshal(arguments))}
}

// members returns the members of a call's arguments, nil if those are no object.
func (c Call) members() (members map[string]json.RawMessage) {
	if json.Unmarshal([]byte(c.Arguments), &members) != nil {
		return nil
	}
	return members
}

// text returns the string at name.
func text(members map[string]json.RawMessage, name string) (s string, ok bool) {
	value, ok := members[name]
	return s, ok && json.Unmarshal(value, &s) == nil
}
