package transport

import (
	"slices"

	"github.com/openagent-ci/openagent/internal/text/yamltext"
)

// LoadScript reads a script: a YAML or JSON list of turns, or a mapping that has it
// as turns, as side the text that side requests get, and as judge the answers of the
// judge: objects, or texts that are sent as they are. A turn has
//
//   - text, tool_calls (each with tool and arguments), or both: the reply;
//   - finish_reason: tool_calls beside calls and stop otherwise when absent,
//     left out of the reply when "";
//   - usage: input_tokens, output_tokens, total_tokens, cached_input_tokens,
//     reasoning_tokens;
//   - fault: status with retry_after, body, hang in place of a reply;
//     cut_after_bytes and delay also beside one;
//   - expect: a string that the last message must contain, or a mapping that
//     must be part of it.
//
// name stands for the script in errors, which name the line and what is
// accepted there.
func LoadScript(name string, data []byte) (*Script, error) {
	s := &Script{name: name, side: sideText}
	root, err := yamltext.Parse(data)
	if err == nil {
		err = s.read(root)
	}
	if err != nil {
		return nil, yamltext.In(name, err)
	}
	return s, nil
}

// read reads the root of a script.
func (s *Script) read(root *yamltext.Node) (err error) {
	if yamltext.IsMapping(root) && slices.ContainsFunc(root.Content, func(n *yamltext.Node) bool { return n.Value == "turns" }) {
		return yamltext.Decode(root, []yamltext.Field[Script]{
			yamltext.Given("side", func(s *Script) *string { return &s.side }, yamltext.Text),
			yamltext.Given("judge", func(s *Script) *[]string { return &s.judge }, judgeNode),
			yamltext.Given("turns", func(s *Script) *[]turn { return &s.turns }, turnsNode),
		}, s)
	}
	s.turns, err = turnsNode(root)
	return err
}

func judgeNode(n *yamltext.Node) (answers []string, err error) {
	if !yamltext.IsList(n) {
		return nil, yamltext.Refuse(n, "want a list of answers such as {score: 0.9, pass: true, reasons: [it is right]}, got %s", yamltext.KindOf(n))
	}
	for _, item := range n.Content {
		answer, err := argumentsNode(item)
		if err != nil {
			return nil, err
		}
		answers = append(answers, answer)
	}
	return answers, nil
}

func turnsNode(n *yamltext.Node) ([]turn, error) {
	return yamltext.List(n, "turn", 1, turn{}, turnFields(), func(n *yamltext.Node, t *turn) error {
		t.line = n.Line
		if problem := t.problem(); problem != "" {
			return yamltext.Refuse(n, "%s", problem)
		}
		return nil
	})
}

// problem says why members that are each in order make no turn together.
func (t *turn) problem() string {
	replies := t.text != nil || t.calls != nil
	shaped := t.finish != nil || t.usage != nil
	switch {
	case t.fault == nil && !replies:
		return "want text, tool_calls or fault"
	case t.fault == nil:
		return ""
	case t.fault.replaces() && (replies || shaped):
		return "fault: only cut_after_bytes and delay may stand beside a reply"
	case !t.fault.replaces() && !replies:
		return "fault: want text or tool_calls beside it, or one of status, body, hang"
	case t.fault.retryAfter != "" && t.fault.status == 0:
		return "fault: retry_after needs a status"
	}
	return ""
}
