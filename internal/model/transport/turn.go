package transport

import (
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/openagent-ci/openagent/internal/model/wire"
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
		optional("text", func(t *turn) **string { return &t.text }, stringNode),
		given("tool_calls", func(t *turn) *[]wire.Call { return &t.calls }, callsNode),
		optional("finish_reason", func(t *turn) **string { return &t.finish }, stringNode),
		optional("usage", func(t *turn) **wire.Usage { return &t.usage }, func(n *yaml.Node) (u wire.Usage, err error) {
			err = decode(n, usageFields(), &u)
			return u, err
		}),
		optional("fault", func(t *turn) **fault { return &t.fault }, func(n *yaml.Node) (fault, error) {
			f := fault{cut: -1}
			err := decode(n, faultFields(), &f)
			return f, err
		}),
		given("expect", func(t *turn) **expectation { return &t.expect }, expectNode),
	}
}

func callFields() []field[wire.Call] {
	return []field[wire.Call]{
		given("tool", func(c *wire.Call) *string { return &c.Tool }, stringNode),
		given("arguments", func(c *wire.Call) *string { return &c.Arguments }, argumentsNode),
	}
}

func usageFields() []field[wire.Usage] {
	count := whole[int64](0, 1<<53)
	return []field[wire.Usage]{
		optional("input_tokens", func(u *wire.Usage) **int64 { return &u.Input }, count),
		optional("output_tokens", func(u *wire.Usage) **int64 { return &u.Output }, count),
		optional("total_tokens", func(u *wire.Usage) **int64 { return &u.Total }, count),
		optional("cached_input_tokens", func(u *wire.Usage) **int64 { return &u.Cached }, count),
		optional("reasoning_tokens", func(u *wire.Usage) **int64 { return &u.Reasoning }, count),
	}
}

func faultFields() []field[fault] {
	return []field[fault]{
		given("status", func(f *fault) *int { return &f.status }, whole(200, 599)),
		given("retry_after", func(f *fault) *string { return &f.retryAfter }, retryAfterNode),
		optional("body", func(f *fault) **string { return &f.body }, stringNode),
		given("cut_after_bytes", func(f *fault) *int { return &f.cut }, whole(0, defaultMaxBody)),
		given("delay", func(f *fault) *time.Duration { return &f.delay }, durationNode),
		given("hang", func(f *fault) *bool { return &f.hang }, boolNode),
	}
}

func callsNode(n *yaml.Node) ([]wire.Call, error) {
	return list(n, "call", wire.Call{Arguments: "{}"}, callFields(), func(n *yaml.Node, c *wire.Call) error {
		if c.Tool == "" {
			return refuse(n, "tool is missing")
		}
		return nil
	})
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
	return jsonOf(n)
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
