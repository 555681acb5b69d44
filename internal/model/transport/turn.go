package transport

import (
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/model/wire"
	"github.com/openagent-ci/openagent/internal/text/yamltext"
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

func turnFields() []yamltext.Field[turn] {
	return []yamltext.Field[turn]{
		yamltext.Optional("text", func(t *turn) **string { return &t.text }, yamltext.Text),
		yamltext.Given("tool_calls", func(t *turn) *[]wire.Call { return &t.calls }, callsNode),
		yamltext.Optional("finish_reason", func(t *turn) **string { return &t.finish }, yamltext.Text),
		yamltext.Optional("usage", func(t *turn) **wire.Usage { return &t.usage }, func(n *yamltext.Node) (u wire.Usage, err error) {
			err = yamltext.Decode(n, usageFields(), &u)
			return u, err
		}),
		yamltext.Optional("fault", func(t *turn) **fault { return &t.fault }, func(n *yamltext.Node) (fault, error) {
			f := fault{cut: -1}
			err := yamltext.Decode(n, faultFields(), &f)
			return f, err
		}),
		yamltext.Given("expect", func(t *turn) **expectation { return &t.expect }, expectNode),
	}
}

func callFields() []yamltext.Field[wire.Call] {
	return []yamltext.Field[wire.Call]{
		yamltext.Given("tool", func(c *wire.Call) *string { return &c.Tool }, yamltext.Text),
		yamltext.Given("arguments", func(c *wire.Call) *string { return &c.Arguments }, argumentsNode),
	}
}

func usageFields() []yamltext.Field[wire.Usage] {
	count := yamltext.Whole[int64](0, 1<<53)
	return []yamltext.Field[wire.Usage]{
		yamltext.Optional("input_tokens", func(u *wire.Usage) **int64 { return &u.Input }, count),
		yamltext.Optional("output_tokens", func(u *wire.Usage) **int64 { return &u.Output }, count),
		yamltext.Optional("total_tokens", func(u *wire.Usage) **int64 { return &u.Total }, count),
		yamltext.Optional("cached_input_tokens", func(u *wire.Usage) **int64 { return &u.Cached }, count),
		yamltext.Optional("reasoning_tokens", func(u *wire.Usage) **int64 { return &u.Reasoning }, count),
	}
}

func faultFields() []yamltext.Field[fault] {
	return []yamltext.Field[fault]{
		yamltext.Given("status", func(f *fault) *int { return &f.status }, yamltext.Whole(200, 599)),
		yamltext.Given("retry_after", func(f *fault) *string { return &f.retryAfter }, retryAfterNode),
		yamltext.Optional("body", func(f *fault) **string { return &f.body }, yamltext.Text),
		yamltext.Given("cut_after_bytes", func(f *fault) *int { return &f.cut }, yamltext.Whole(0, defaultMaxBody)),
		yamltext.Given("delay", func(f *fault) *time.Duration { return &f.delay }, durationNode),
		yamltext.Given("hang", func(f *fault) *bool { return &f.hang }, yamltext.Bool),
	}
}

func callsNode(n *yamltext.Node) ([]wire.Call, error) {
	return yamltext.List(n, "call", 1, wire.Call{Arguments: "{}"}, callFields(), func(n *yamltext.Node, c *wire.Call) error {
		if c.Tool == "" {
			return yamltext.Refuse(n, "tool is missing")
		}
		return nil
	})
}

// argumentsNode returns the text of a call's arguments: a mapping as JSON, a
// string as it is, so that a script can hold arguments that are no JSON.
func argumentsNode(n *yamltext.Node) (string, error) {
	if yamltext.IsScalar(n, "!!str") {
		return n.Value, nil
	}
	if !yamltext.IsMapping(n) {
		return "", yamltext.Refuse(n, "want a mapping, or a string to be sent as it is, got %s", yamltext.KindOf(n))
	}
	return yamltext.JSON(n)
}

// retryAfterNode returns the value of a Retry-After header: seconds or a date.
func retryAfterNode(n *yamltext.Node) (string, error) {
	if yamltext.IsScalar(n, "!!int") || yamltext.IsScalar(n, "!!str") {
		if v := strings.TrimSpace(n.Value); v != "" && !strings.ContainsAny(v, "\r\n") {
			return v, nil
		}
	}
	return "", yamltext.Refuse(n, "want seconds or an HTTP date, got %s", yamltext.KindOf(n))
}

func durationNode(n *yamltext.Node) (time.Duration, error) {
	d, err := time.ParseDuration(n.Value)
	if !yamltext.IsScalar(n, "!!str") || err != nil || d < 0 {
		return 0, yamltext.Refuse(n, "want a duration such as 200ms, got %s", yamltext.KindOf(n))
	}
	return d, nil
}
