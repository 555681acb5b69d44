package adapter

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/schema"
)

// messages is what the streams of claude and qwen have in common: lines that
// hold messages, whose blocks are texts, tool calls and their results.
type messages struct {
	*emit.Emitter
	// lines has what converts a line, by its type and, where that is system, its
	// subtype; dropped are those that the agent prints for clients of its own.
	// notice converts a line of any session of which no event is made, unless its name
	// is none of those.
	lines   map[string]func(object) bool
	notice  func(name string, line object) bool
	dropped []string

	tools []string
	mode  *string
}

func (m *messages) Convert(line object) bool {
	name := line.Str("type")
	if name == "system" {
		name = emit.TypeOf(line)
	}
	if convert := m.lines[name]; convert != nil {
		return !m.InSession(line.Str("session_id")) || convert(line)
	}
	return m.notice(name, line) || slices.Contains(m.dropped, name)
}

// maxToolNames bounds the names of tools that are kept, in bytes. Of more than
// that none are: they would be bounded again at each step.
const maxToolNames = 64 << 10

// beginWith begins the run with the line that names it; version and mode name the
// members that the agents call differently.
func (m *messages) beginWith(line object, version, mode string) bool {
	m.Resume() // what ended was a turn before
	if v := line.Str(version); v != "" {
		m.About.Agent.Version = v
	}
	if model := line.Str("model"); model != "" {
		m.About.Model = schema.Some(model)
	}
	m.tools, m.mode = []string{}, line.Get(mode).Optional()
	size := 0
	for name := range line.Get("tools").Items() {
		if size += len(name); size > maxToolNames {
			m.tools = nil
			break
		}
		m.tools = append(m.tools, name.Text())
	}
	m.Begin()
	return true
}

// turn opens the step of the model's message of that id.
func (m *messages) turn(id string) {
	s := schema.StepStarted{AllowedTools: m.tools, EnforcementMode: m.mode}
	if id != "" {
		s.StepID = &id
	}
	m.StartStep(s)
}

// message returns the message of a line and its content, and whether they have
// the shape of one.
func (m *messages) message(line object) (message object, content value, ok bool) {
	message = line.Object("message")
	content = message.Get("content")
	return message, content, content.Is('[') || content.Is('"')
}

// blocks yields the blocks of a content with their types.
func blocks(content value) iter.Seq2[string, object] {
	return func(yield func(string, object) bool) {
		for item := range content.Items() {
			block := item.Object()
			if !yield(block.Str("type"), block) {
				return
			}
		}
	}
}

// texts returns what the text blocks of a content, or the content itself, say,
// and whether it has any.
func texts(content value) (all string, ok bool) {
	if content.Is('"') {
		return content.Text(), true
	}
	for block := range content.Items() {
		if block.Get("type").Text() == "text" {
			all, ok = all+block.Get("text").Text(), true
		}
	}
	return all, ok
}

// subagent returns the sub-agent that a line is of, by the call that started it or an
// id of its own, empty for the main loop.
func subagent(line object) string {
	return cmp.Or(line.Str("parent_tool_use_id"), line.Str("agent_id"))
}

// calls prints the calls that the blocks of a message ask for, with what is said
// between them.
func (m *messages) calls(line object, content value) {
	agent := subagent(line)
	for kind, block := range blocks(content) {
		switch kind {
		case "text":
			m.Say(agent, block.Str("text")+"\n")
		case "tool_use", "server_tool_use", "mcp_tool_use":
			name := block.Str("name")
			if server := block.Str("server_name"); server != "" {
				name = server + "." + name
			}
			m.Hold(emit.Call{ID: block.Str("id"), Tool: name, Args: block.Get("input"), Agent: agent})
		default:
			id := block.Str("tool_use_id")
			if id != "" && strings.HasSuffix(kind, "_tool_result") { // of a tool that the provider runs
				m.FinishTool(emit.Call{ID: id, Agent: agent}, outcome(block))
			}
		}
	}
}

// results hands the tool results of a content to finish, and reports whether all
// of them say whose they are.
func (m *messages) results(line object, content value, finish func(c emit.Call, block object)) bool {
	for kind, block := range blocks(content) {
		if kind != "tool_result" {
			continue
		}
		id := block.Str("tool_use_id")
		if id == "" {
			return false
		}
		finish(emit.Call{ID: id, Agent: subagent(line)}, block)
	}
	return true
}

// listed converts the calls that a result line lists as denied.
func (m *messages) listed(line object) {
	for item := range line.Get("permission_denials").Items() {
		if o := item.Object(); o.Str("tool_use_id") != "" {
			m.DenyListed(emit.Call{ID: o.Str("tool_use_id"), Tool: o.Str("tool_name"), Args: o.Get("tool_input")})
		}
	}
}

// answer notes the answer that a result line has: its text or, where that is empty,
// its structured output.
func (m *messages) answer(line object) {
	text := line.Str("result")
	if structured := line.Get("structured_output"); text == "" && !structured.IsNull() {
		text = string(structured)
		if structured.Is('"') {
			text = structured.Text()
		}
	}
	m.SetFinal(text)
}

// outcome reads how a call ended as far as both agents tell it alike: by its
// text and whether that is an error.
func outcome(block object) schema.ToolExecFinished {
	content := block.Get("content")
	whole := content.Object() // of a tool that the provider runs
	failed := block.Get("is_error").IsTrue() || strings.HasSuffix(whole.Str("type"), "_error")
	r := schema.ToolExecFinished{OK: new(!failed), Status: statusOf(!failed), ExitStatus: schema.Null[int64]()}
	if text, ok := shown(content); ok {
		r.ContentPreview = &text
	} else if whole != nil {
		r.ContentPreview = new(cmp.Or(whole.Str("stdout")+whole.Str("stderr"), whole.Str("error_code"), string(content)))
		ran(&r, whole.Get("return_code").Integer())
	}
	return r
}

// leadingStatus cuts an HTTP status and a blank from the beginning of a text.
func leadingStatus(text string) (status *int64, rest string) {
	head, rest, _ := strings.Cut(text, " ")
	if len(head) == 3 {
		if n := value(head).Integer(); n != nil && *n >= 100 {
			return n, rest
		}
	}
	return nil, text
}
