package agent

import (
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/runlog/record"
)

// recordMessages records the messages that are not on record yet, and those
// that were shortened since; all that is recorded is on disk when sync is set.
func (r *run) recordMessages(sync bool) *ending {
	if r.cfg.Record == nil {
		return nil
	}
	var lines []record.Message
	for _, at := range r.shortened {
		if at < r.recorded {
			lines = append(lines, r.messageLine(at))
		}
	}
	for at := r.recorded; at < len(r.messages); at++ {
		lines = append(lines, r.messageLine(at))
	}
	r.shortened, r.recorded = nil, len(r.messages)
	return internal(r.cfg.Record.Messages(lines, sync))
}

// messageLine is a message of the conversation as it is recorded.
func (r *run) messageLine(at int) record.Message {
	m := r.messages[at]
	mask := masking{r: r}
	line := record.Message{
		Index: at, Step: r.turnOf(at), Requests: r.requests, Role: m.Role, Text: mask.string(m.Content),
		ToolCallID: mask.string(m.ToolCallID), ToolFailed: m.ToolFailed, ToolResult: m.ToolResult, Extra: mask.extra(m.Extra),
	}
	if at == 0 {
		about := r.cfg.About
		line.About = &record.About{
			RunID: r.cfg.RunID, Session: r.cfg.Session, Provider: mask.string(about.Provider), Model: mask.string(about.Model), Tools: r.names,
		}
	}
	for _, c := range m.ToolCalls {
		line.Calls = append(line.Calls, record.MessageCall{
			ID: mask.string(c.ID), Tool: mask.string(c.Name), Arguments: mask.string(c.Arguments), Extra: mask.extra(c.Extra),
		})
	}
	line.Masked = mask.signed && mask.changed
	return line
}

// masking masks the secrets in the parts of one message.
type masking struct {
	r       *run
	signed  bool // the endpoint gave more than is known here, such as a signature
	changed bool // a part held a secret
}

func (m *masking) string(s string) string {
	masked := m.r.cfg.Redact.String(s)
	m.changed = m.changed || masked != s
	return masked
}

func (m *masking) extra(e chat.Extra) *chat.Extra {
	if e.Size() == 0 {
		return nil
	}
	m.signed = true
	masked := chat.Extra{Members: m.json(e.Members), Before: m.json(e.Before)}
	return &masked
}

func (m *masking) json(raw []byte) []byte {
	if raw == nil {
		return nil
	}
	masked := m.r.cfg.Redact.JSON(raw)
	m.changed = m.changed || string(masked) != string(raw)
	return masked
}
