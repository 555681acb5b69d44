package projection

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/schema"
)

// otherNames lists the names of members for which a saved log may use more than
// one. The first that holds a text counts.
var otherNames = map[string][]string{
	"tool_call_id":    {"tool_call_id", "id"},
	"tool":            {"tool", "name"},
	"content_preview": {"content", "content_preview"},
	"exit_reason":     {"exit_reason", "reason"},
}

// object is a JSON object as it was written.
type object = map[string]json.RawMessage

// saved returns what the members of a saved event become, nil for no type. A
// member of another type counts as absent.
func saved(typ schema.Type, data object) any {
	payload := schema.NewPayload(typ)
	if payload == nil {
		return nil
	}
	fill(payload, data)
	switch p := payload.(type) {
	case *schema.StepBlocked:
		if code, ok := p.Code.Get(); ok && p.Reason == nil {
			p.Reason = &code
		}
	case *schema.RunFinished:
		if parse[bool](data["ok"]) == nil {
			p.OK = p.ExitReason == schema.ExitOK
		}
	}
	return payload
}

// fill sets the members of a struct that data has.
func fill(of any, data object) {
	for name, member := range schema.Members(of) {
		if names := otherNames[name]; names != nil {
			i := slices.IndexFunc(names, func(name string) bool { return bytes.HasPrefix(data[name], []byte(`"`)) })
			name = names[max(0, i)]
		}
		if raw, ok := data[name]; ok {
			read(raw, member)
		}
	}
}

// read sets a member to a value of its type, and to nothing for any other.
func read(raw json.RawMessage, member any) {
	switch m := member.(type) {
	case **schema.Agent:
		a := event.Value(parse[object](raw))
		if name, version := parse[string](a["name"]), parse[string](a["version"]); name != nil && version != nil {
			*m = &schema.Agent{Name: *name, Version: *version}
		}
	case *schema.Optional[schema.Usage]:
		if o := parse[object](raw); o != nil {
			var u schema.Usage
			fill(&u, *o)
			*m = schema.Some(u)
		} else if string(raw) == "null" {
			*m = schema.Null[schema.Usage]()
		}
	case *[]string:
		*m = list(event.Value(parse[[]*string](raw)), func(item *string) *string { return item })
	case **schema.SandboxStatus:
		o := event.Value(parse[object](raw))
		if level, network := parse[string](o["level"]), parse[string](o["network"]); level != nil && network != nil {
			s := &schema.SandboxStatus{}
			fill(s, o)
			s.Missing = orEmpty(s.Missing)
			*m = s
		}
	case *[]schema.MCPServer:
		*m = list(event.Value(parse[[]object](raw)), mcpServer)
	case **schema.StreamSource, **schema.TerminalSource:
		// No internal event has them: what stands under their names is something else.
	case *[]schema.Artifact:
		*m = list(event.Value(parse[[]object](raw)), func(item object) *schema.Artifact {
			path := parse[string](item["path"])
			if path == nil {
				return nil
			}
			return &schema.Artifact{Path: *path}
		})
	default:
		if json.Unmarshal(raw, member) != nil {
			reflect.ValueOf(member).Elem().SetZero()
		}
	}
}

// mcpServer returns the server that an object describes whole, nil for any other.
func mcpServer(o object) *schema.MCPServer {
	name, tools, status := parse[string](o["name"]), parse[int64](o["tools"]), parse[string](o["status"])
	if name == nil || tools == nil || status == nil {
		return nil
	}
	return &schema.MCPServer{Name: *name, Tools: *tools, Status: *status}
}

// parse returns the value of that type, nil for any other and for null.
func parse[T any](raw json.RawMessage) *T {
	var v *T
	if json.Unmarshal(raw, &v) != nil {
		return nil
	}
	return v
}

// orEmpty returns the list, or an empty one for none.
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
