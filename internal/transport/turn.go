package transport

import (
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/openagent-ci/openagent/internal/wire"
)

// turn is one entry of a script: what one HTTP attempt gets.
type turn struct {
	line  int
	text  *string
	calls []wire.Call
	// finish is the finish reason; nil stands for the usual one, "" for none
	// at all.
	finish *string
	usage  *wire.Usage
	fault  *fault
	expect *expectation
}

// fault is what goes wrong in an attempt.
type fault struct {
	status     int
	retryAfter string
	body       *string
	// cut is how many bytes of the body arrive, -1 for all.
	cut   int
	delay time.Duration
	hang  bool
}

// replaces reports whether the fault takes the place of a reply; a cut and a
// delay stand beside one.
func (f *fault) replaces() bool {
	return f.status != 0 || f.retryAfter != "" || f.body != nil || f.hang
}

// The keys of a script, one table per mapping: they are what is accepted, and
// what errors list.

func turnFields() []field[turn] {
	return []field[turn]{
		{"text", func(t *turn, n *yaml.Node) error { return setPointer(&t.text, n, stringNode) }},
		{"tool_calls", func(t *turn, n *yaml.Node) (err error) {
			t.calls, err = callsNode(n)
			return err
		}},
		{"finish_reason", func(t *turn, n *yaml.Node) error { return setPointer(&t.finish, n, stringNode) }},
		{"usage", func(t *turn, n *yaml.Node) error {
			t.usage = &wire.Usage{}
			return decode(n, usageFields(), t.usage)
		}},
		{"fault", func(t *turn, n *yaml.Node) error {
			t.fault = &fault{cut: -1}
			return decode(n, faultFields(), t.fault)
		}},
		{"expect", func(t *turn, n *yaml.Node) (err error) {
			t.expect, err = expectNode(n)
			return err
		}},
	}
}

func callFields() []field[wire.Call] {
	return []field[wire.Call]{
		{"tool", func(c *wire.Call, n *yaml.Node) (err error) {
			c.Tool, err = stringNode(n)
			return err
		}},
		{"arguments", func(c *wire.Call, n *yaml.Node) (err error) {
			c.Arguments, err = argumentsNode(n)
			return err
		}},
	}
}

func usageFields() []field[wire.Usage] {
	count := func(n *yaml.Node) (int64, error) { return intNode(n, 0, 1<<53) }
	return []field[wire.Usage]{
		{"input_tokens", func(u *wire.Usage, n *yaml.Node) error { return setPointer(&u.Input, n, count) }},
		{"output_tokens", func(u *wire.Usage, n *yaml.Node) error { return setPointer(&u.Output, n, count) }},
		{"total_tokens", func(u *wire.Usage, n *yaml.Node) error { return setPointer(&u.Total, n, count) }},
		{"cached_input_tokens", func(u *wire.Usage, n *yaml.Node) error { return setPointer(&u.Cached, n, count) }},
		{"reasoning_tokens", func(u *wire.Usage, n *yaml.Node) error { return setPointer(&u.Reasoning, n, count) }},
	}
}

func faultFields() []field[fault] {
	return []field[fault]{
		{"status", func(f *fault, n *yaml.Node) error {
			v, err := intNode(n, 200, 599)
			f.status = int(v)
			return err
		}},
		{"retry_after", func(f *fault, n *yaml.Node) (err error) {
			f.retryAfter, err = retryAfterNode(n)
			return err
		}},
		{"body", func(f *fault, n *yaml.Node) error { return setPointer(&f.body, n, stringNode) }},
		{"cut_after_bytes", func(f *fault, n *yaml.Node) error {
			v, err := intNode(n, 0, defaultMaxBody)
			f.cut = int(v)
			return err
		}},
		{"delay", func(f *fault, n *yaml.Node) (err error) {
			f.delay, err = durationNode(n)
			return err
		}},
		{"hang", func(f *fault, n *yaml.Node) (err error) {
			f.hang, err = boolNode(n)
			return err
		}},
	}
}

func setPointer[T any](dst **T, n *yaml.Node, read func(*yaml.Node) (T, error)) error {
	v, err := read(n)
	*dst = &v
	return err
}

func callsNode(n *yaml.Node) ([]wire.Call, error) {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		return nil, refuse(n, "want a list of calls, each with %s, got %s", keys(callFields()), kindOf(n))
	}
	calls := make([]wire.Call, len(n.Content))
	for i, item := range n.Content {
		calls[i].Arguments = "{}"
		where := fmt.Sprintf("call %d", i+1)
		if err := decode(item, callFields(), &calls[i]); err != nil {
			return nil, within(where, err)
		}
		if calls[i].Tool == "" {
			return nil, refuse(item, "%s: tool is missing", where)
		}
	}
	return calls, nil
}

// argumentsNode returns the text of a call's arguments: a mapping as JSON, a
// string as it is, so that a script can hold arguments that are no JSON.
func argumentsNode(n *yaml.Node) (string, error) {
	if isScalar(n, "!!str") {
		return n.Value, nil
	}
	if n.Kind != yaml.MappingNode {
		return "", refuse(n, "want a mapping, or a string to be sent as it is, got %s", kindOf(n))
	}
	b, err := jsonOf(n)
	return string(b), err
}

// retryAfterNode returns the value of a Retry-After header: seconds or a date.
func retryAfterNode(n *yaml.Node) (string, error) {
	if isScalar(n, "!!int") || isScalar(n, "!!str") {
		if v := strings.TrimSpace(n.Value); v != "" && !strings.ContainsAny(v, "\r\n") {
			return v, nil
		}
	}
	return "", refuse(n, "want seconds or an HTTP date, got %s", kindOf(n))
}

func durationNode(n *yaml.Node) (time.Duration, error) {
	d, err := time.ParseDuration(n.Value)
	if !isScalar(n, "!!str") || err != nil || d < 0 {
		return 0, refuse(n, "want a duration such as 200ms, got %s", kindOf(n))
	}
	return d, nil
}
