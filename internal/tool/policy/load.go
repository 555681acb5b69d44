package policy

import (
	"errors"
	"fmt"

	yaml "go.yaml.in/yaml/v4"

	"github.com/openagent-ci/openagent/internal/text/nearest"
)

// The form of a policy file. Rules and conditions are kept as nodes so that an
// error can name their line.
type file struct {
	Version yaml.Node   `yaml:"version"`
	Default yaml.Node   `yaml:"default"`
	Rules   []yaml.Node `yaml:"rules"`
	Sandbox yaml.Node   `yaml:"sandbox"`
}

type fileRule struct {
	Tool     yaml.Node   `yaml:"tool"`
	Decision yaml.Node   `yaml:"decision"`
	When     []yaml.Node `yaml:"when"`
	Reason   string      `yaml:"reason"`
}

type fileCondition struct {
	Arg   string    `yaml:"arg"`
	Op    yaml.Node `yaml:"op"`
	Value yaml.Node `yaml:"value"`
}

// Load reads a policy file. Errors name the file and, where one line is at
// fault, the line; what is unknown is refused, since a rule that is silently
// ignored protects nobody.
func Load(name string, data []byte) (*Policy, error) {
	p := &Policy{source: name}
	if err := p.load(data); err != nil {
		return nil, fmt.Errorf("policy %s:%w", name, err)
	}
	return p, nil
}

// load fills p from the text of a file.
func (p *Policy) load(data []byte) (err error) {
	var f file
	if err := loadFile(data, &f); err != nil {
		return refusal(0, err)
	}
	if p.fallback, err = loadHead(&f); err != nil {
		return err
	}
	if p.Sandbox, err = loadSandbox(&f.Sandbox); err != nil {
		return err
	}
	for i := range f.Rules {
		r, err := loadRule(&f.Rules[i])
		if err != nil {
			return err
		}
		p.rules = append(p.rules, r)
	}
	return nil
}

// loadFile reads the file in time that grows with its size, which the library
// alone does not: it compares each key of a mapping with each other.
func loadFile(data []byte, f *file) error {
	var root yaml.Node
	if err := yaml.Load(data, &root); err != nil {
		return err
	}
	if err := plain(&root); err != nil {
		return err
	}
	return load(&root, f)
}

// load fills a value from a node that is plain.
func load(n *yaml.Node, to any) error {
	return n.Load(to, yaml.WithKnownFields(), yaml.WithUniqueKeys(false))
}

// plain refuses keys that stand twice, and what would repeat a part of the file.
func plain(n *yaml.Node) error {
	at := func(n *yaml.Node, text string) error {
		return &lineError{n.Line, text}
	}
	if n.Kind == yaml.AliasNode {
		return at(n, "an alias is not read here; write the value out")
	}
	seen := map[string]bool{}
	for i, part := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			if part.Kind == yaml.ScalarNode && seen[part.Value] {
				return at(part, fmt.Sprintf("key %s stands twice", nearest.Quote(part.Value)))
			}
			seen[part.Value] = true
		}
		if err := plain(part); err != nil {
			return err
		}
	}
	return nil
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
	if err := load(n, &fr); err != nil {
		return rule{}, refusal(n.Line, err)
	}
	pattern, err := loadString(n, &fr.Tool)
	if err != nil {
		return rule{}, err
	}
	if pattern == "" {
		return rule{}, refusal(n.Line, errors.New("rule has no tool; name one or use \"*\""))
	}
	decision, err := loadString(n, &fr.Decision)
	if err != nil {
		return rule{}, err
	}
	v, err := verdict("decision", decision)
	if err != nil {
		return rule{}, refusal(line(n, &fr.Decision), err)
	}
	r := rule{line: line(n, &fr.Tool), pattern: pattern, tool: newGlob(pattern), verdict: v, reason: fr.Reason}
	for i := range fr.When {
		c, err := loadCondition(&fr.When[i])
		if err != nil {
			return rule{}, err
		}
		r.when = append(r.when, c)
	}
	return r, nil
}

func loadCondition(n *yaml.Node) (condition, error) {
	var fc fileCondition
	if err := load(n, &fc); err != nil {
		return condition{}, refusal(n.Line, err)
	}
	if fc.Arg == "" {
		return condition{}, refusal(n.Line, errors.New("condition has no arg"))
	}
	if fc.Value.IsZero() || fc.Value.ShortTag() == "!!null" {
		return condition{}, refusal(line(n, &fc.Value), fmt.Errorf("condition on %q has no value", fc.Arg))
	}
	value, err := loadString(n, &fc.Value)
	if err != nil {
		return condition{}, err
	}
	op, err := loadString(n, &fc.Op)
	if err != nil {
		return condition{}, err
	}
	c, err := newCondition(fc.Arg, op, value)
	if errors.Is(err, errOperator) {
		return condition{}, refusal(line(n, &fc.Op), err)
	}
	if err != nil {
		return condition{}, refusal(line(n, &fc.Value), err)
	}
	c.line = n.Line
	return c, nil
}

// loadString returns the text of a member of n, empty when there is none.
func loadString(n, member *yaml.Node) (s string, err error) {
	if member.IsZero() {
		return "", nil
	}
	if err := load(member, &s); err != nil {
		return "", refusal(line(n, member), err)
	}
	return s, nil
}

// line returns that of a member of n, or that of n when there is none.
func line(n, member *yaml.Node) int {
	if member.IsZero() {
		return n.Line
	}
	return member.Line
}

func verdict(key, value string) (Verdict, error) {
	switch v := Verdict(value); v {
	case Allow, Deny:
		return v, nil
	}
	if value == "" {
		return "", fmt.Errorf("%s is missing, want allow or deny", key)
	}
	return "", fmt.Errorf("%s is %s, want allow or deny", key, nearest.Quote(value))
}
