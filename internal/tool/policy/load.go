package policy

import (
	"github.com/openagent-ci/openagent/internal/sandbox"
	"github.com/openagent-ci/openagent/internal/text/yamltext"
)

// Load reads a policy file. Errors name the file and, where one line is at fault, the
// line; what is unknown is refused, since a rule that is silently ignored protects
// nobody.
func Load(name string, data []byte) (*Policy, error) {
	p := &Policy{source: name}
	root, err := yamltext.Parse(data)
	if err == nil {
		err = p.load(root)
	}
	if err != nil {
		return nil, yamltext.In("policy "+name, err)
	}
	return p, nil
}

// load fills p from the root of a file.
func (p *Policy) load(root *yamltext.Node) error {
	versioned := false
	err := yamltext.Decode(root, []yamltext.Field[Policy]{
		{Key: "version", Set: func(_ *Policy, n *yamltext.Node) error {
			versioned = true
			_, err := yamltext.OneOf("1")(n)
			return err
		}},
		yamltext.Given("default", func(p *Policy) *Verdict { return &p.fallback }, verdictNode),
		yamltext.Given("rules", func(p *Policy) *[]rule { return &p.rules }, rulesNode),
		yamltext.Given("sandbox", func(p *Policy) *sandbox.Policy { return &p.Sandbox }, sandboxNode),
	}, p)
	switch {
	case err != nil:
		return err
	case !versioned:
		return yamltext.Refuse(root, "version is missing, want 1")
	case p.fallback == "":
		return yamltext.Refuse(root, "default is missing, want allow or deny")
	}
	return nil
}

func verdictNode(n *yamltext.Node) (Verdict, error) { return yamltext.OneOf(Allow, Deny)(n) }

func rulesNode(n *yamltext.Node) ([]rule, error) {
	return yamltext.List(n, "rule", 0, rule{}, []yamltext.Field[rule]{
		{Key: "tool", Set: func(r *rule, n *yamltext.Node) (err error) {
			r.line = n.Line
			if r.pattern, err = yamltext.Plain(n); err == nil {
				r.tool = newGlob(r.pattern)
			}
			return err
		}},
		yamltext.Given("decision", func(r *rule) *Verdict { return &r.verdict }, verdictNode),
		yamltext.Given("when", func(r *rule) *[]condition { return &r.when }, conditionsNode),
		yamltext.Given("reason", func(r *rule) *string { return &r.reason }, yamltext.Plain),
	}, func(n *yamltext.Node, r *rule) error {
		switch {
		case r.pattern == "":
			return yamltext.Refuse(n, `rule has no tool; name one or use "*"`)
		case r.verdict == "":
			return yamltext.Refuse(n, "decision is missing, want allow or deny")
		}
		return nil
	})
}

// fileCondition is a condition as a file has it.
type fileCondition struct {
	condition
	op, value string
	at        *yamltext.Node // the value
}

func conditionsNode(n *yamltext.Node) (all []condition, err error) {
	_, err = yamltext.List(n, "condition", 0, fileCondition{}, []yamltext.Field[fileCondition]{
		yamltext.Given("arg", func(c *fileCondition) *string { return &c.arg }, yamltext.Plain),
		yamltext.Given("op", func(c *fileCondition) *string { return &c.op }, yamltext.OneOf(operators()...)),
		{Key: "value", Set: func(c *fileCondition, n *yamltext.Node) (err error) {
			c.at = n
			c.value, err = yamltext.Plain(n)
			return err
		}},
	}, func(n *yamltext.Node, f *fileCondition) error {
		switch {
		case f.arg == "":
			return yamltext.Refuse(n, "condition has no arg")
		case f.op == "":
			return yamltext.Refuse(n, "condition on %q has no op", f.arg)
		case f.at == nil:
			return yamltext.Refuse(n, "condition on %q has no value", f.arg)
		}
		c, err := newCondition(f.arg, f.op, f.value)
		if err != nil {
			return yamltext.Refuse(f.at, "%v", err)
		}
		c.line = n.Line
		all = append(all, c)
		return nil
	})
	return all, err
}

// sandboxNode reads what a file asks of the sandbox. Its paths are as the file has them.
func sandboxNode(n *yamltext.Node) (s sandbox.Policy, err error) {
	type policy = sandbox.Policy
	if yamltext.IsScalar(n, "!!null") {
		return s, nil
	}
	err = yamltext.Decode(n, []yamltext.Field[policy]{
		yamltext.Given("mode", func(s *policy) *sandbox.Mode { return &s.Mode }, yamltext.OneOf(sandbox.Auto, sandbox.Require, sandbox.Off)),
		yamltext.Given("network", func(s *policy) *sandbox.Network { return &s.Network },
			yamltext.OneOf(sandbox.NetworkOn, sandbox.NetworkLoopback, sandbox.NetworkOff)),
		yamltext.Given("read", func(s *policy) *[]string { return &s.Read }, yamltext.Names),
		yamltext.Given("write", func(s *policy) *[]string { return &s.Write }, yamltext.Names),
		yamltext.Given("presets", func(s *policy) *[]string { return &s.Presets }, yamltext.Names),
	}, &s)
	if err == nil && s.Mode == sandbox.Off && (len(s.Read)+len(s.Write)+len(s.Presets) > 0 || s.Network != "" && s.Network != sandbox.NetworkOn) {
		err = yamltext.Refuse(n, "the sandbox is off and more is asked of it: leave out one of them")
	}
	return s, err
}
