package policy

import (
	"errors"
	"fmt"

	yaml "go.yaml.in/yaml/v4"
)

// The form of a policy file. Rules and conditions are kept as nodes so that an
// error can name their line.
type file struct {
	Version yaml.Node   `yaml:"version"`
	Default yaml.Node   `yaml:"default"`
	Rules   []yaml.Node `yaml:"rules"`
}

type fileRule struct {
	Tool     string      `yaml:"tool"`
	Decision string      `yaml:"decision"`
	When     []yaml.Node `yaml:"when"`
	Reason   string      `yaml:"reason"`
}

type fileCondition struct {
	Arg   string  `yaml:"arg"`
	Op    string  `yaml:"op"`
	Value *string `yaml:"value"`
}

// Load reads a policy file. Errors name the file and, where one line is at
// fault, the line; what is unknown is refused, since a rule that is silently
// ignored protects nobody.
func Load(name string, data []byte) (*Policy, error) {
	var f file
	if err := yaml.Load(data, &f, yaml.WithKnownFields()); err != nil {
		return nil, fmt.Errorf("policy %s:%w", name, refusal(0, err))
	}
	fallback, err := loadHead(&f)
	if err != nil {
		return nil, fmt.Errorf("policy %s:%w", name, err)
	}
	p := &Policy{source: name, fallback: fallback}
	for i := range f.Rules {
		r, err := loadRule(&f.Rules[i])
		if err != nil {
			return nil, fmt.Errorf("policy %s:%w", name, err)
		}
		p.rules = append(p.rules, r)
	}
	return p, nil
}

// loadHead checks what every file says once, and returns the default.
func loadHead(f *file) (Verdict, error) {
	version, fallback := 0, ""
	if f.Version.IsZero() {
		return "", errors.New(" version is missing, want 1")
	}
	if err := f.Version.Load(&version); err != nil {
		return "", refusal(f.Version.Line, err)
	}
	if version != 1 {
		return "", fmt.Errorf("%d: version is %d, want 1", f.Version.Line, version)
	}
	if !f.Default.IsZero() {
		if err := f.Default.Load(&fallback); err != nil {
			return "", refusal(f.Default.Line, err)
		}
	}
	v, err := verdict("default", fallback)
	if err != nil {
		return "", refusal(f.Default.Line, err)
	}
	return v, nil
}

func loadRule(n *yaml.Node) (rule, error) {
	var fr fileRule
	if err := n.Load(&fr, yaml.WithKnownFields()); err != nil {
		return rule{}, refusal(n.Line, err)
	}
	if fr.Tool == "" {
		return rule{}, fmt.Errorf("%d: rule has no tool; name one or use \"*\"", n.Line)
	}
	v, err := verdict("decision", fr.Decision)
	if err != nil {
		return rule{}, fmt.Errorf("%d: %w", n.Line, err)
	}
	r := rule{line: n.Line, pattern: fr.Tool, tool: newGlob(fr.Tool), verdict: v, reason: fr.Reason}
	for i := range fr.When {
		c, err := loadCondition(&fr.When[i])
		if err != nil {
			return rule{}, refusal(fr.When[i].Line, err)
		}
		r.when = append(r.when, c)
	}
	return r, nil
}

func loadCondition(n *yaml.Node) (condition, error) {
	var fc fileCondition
	if err := n.Load(&fc, yaml.WithKnownFields()); err != nil {
		return condition{}, err
	}
	if fc.Arg == "" {
		return condition{}, fmt.Errorf("condition has no arg")
	}
	if fc.Value == nil {
		return condition{}, fmt.Errorf("condition on %q has no value", fc.Arg)
	}
	c, err := newCondition(fc.Arg, fc.Op, *fc.Value)
	c.line = n.Line
	return c, err
}

func verdict(key, value string) (Verdict, error) {
	switch v := Verdict(value); v {
	case Allow, Deny:
		return v, nil
	}
	if value == "" {
		return "", fmt.Errorf("%s is missing, want allow or deny", key)
	}
	return "", fmt.Errorf("%s is %q, want allow or deny", key, value)
}
