// Package policy decides whether a tool call may run: flags first, then the rules of
// one file or the built-in ones, then the default.
package policy

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/sandbox"
	"github.com/openagent-ci/openagent/internal/text/nearest"
)

// Verdict is allow or deny; nobody is there to be asked.
type Verdict string

// The verdicts.
const (
	Allow Verdict = "allow"
	Deny  Verdict = "deny"
)

// Sources of a decision besides the path of a policy file.
const (
	SourceDefault = "default"
	SourceFlag    = "flag"
)

// ServerTools begins the names of tools that servers bring along. They are
// known only when the run has begun.
const ServerTools = "mcp__"

// Request is a call to decide on.
type Request struct {
	Tool string
	// Args are the arguments as used, decoded from JSON.
	Args map[string]any
	// PathArgs names the arguments that hold workspace paths; they are
	// cleaned lexically before a rule sees them.
	PathArgs []string
}

// Decision is the answer to a Request.
type Decision struct {
	Verdict Verdict
	// Reason is one sentence, empty for an allowed call without a rule.
	Reason string
	// Source is the file of the rule, SourceDefault or SourceFlag.
	Source string
	// ByPath reports that a rule allows the call for its path: what holds
	// credentials is opened for such a call alone.
	ByPath bool
}

// Policy is a loaded set of rules. The zero value denies nothing.
type Policy struct {
	source   string
	rules    []rule
	fallback Verdict
	allowed  []glob
	denied   []glob
	// Sandbox is what the file asks of the sandbox; its paths may be relative to the
	// workspace or below ~.
	Sandbox sandbox.Policy
}

type rule struct {
	line    int    // in the file
	pattern string // that tool was made of
	tool    glob
	verdict Verdict
	when    []condition
	reason  string
}

// Builtin returns the policy of a run without a policy file: everything inside
// the workspace is allowed but writing to .git and to .github/workflows, which
// would decide what runs with more rights than the agent has.
func Builtin() *Policy {
	p := &Policy{source: SourceDefault, fallback: Allow}
	for _, place := range []struct{ pattern, name string }{
		{`(?i)^\.git(/|$)`, ".git"},
		{`(?i)^\.github/workflows(/|$)`, ".github/workflows"},
	} {
		c, err := newCondition("path", "matches", place.pattern)
		if err != nil {
			panic(err) // the patterns above are constants
		}
		for _, tool := range []string{"write_file", "edit_file", "create_directory", "delete_file"} {
			p.rules = append(p.rules, rule{tool: newGlob(tool), verdict: Deny, when: []condition{c},
				reason: "writing under " + place.name + " is not allowed"})
		}
	}
	return p
}

// Patterns returns the names and globs of the rules, in their order.
func (p *Policy) Patterns() (all []string) {
	for _, r := range p.rules {
		if r.pattern != "" {
			all = append(all, r.pattern)
		}
	}
	return all
}

// Arguments are those of a tool that a condition can ask of: texts, and which of
// these are paths.
type Arguments struct{ Texts, Paths []string }

// CheckTools compares the rules of a file with the tools that there are. A name
// that no tool has is an error that names its line: the rule would protect
// nobody. Rules that never hold for another reason are told of, a sentence each:
// a glob may be meant for the tools of another version.
func (p *Policy) CheckTools(tools map[string]Arguments) (idle []string, err error) {
	names := slices.Sorted(maps.Keys(tools))
	for _, r := range p.rules {
		if strings.HasPrefix(r.pattern, ServerTools) {
			continue
		}
		meant := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !r.tool.match(name) })
		if len(meant) == 0 && !strings.ContainsAny(r.pattern, "*?") {
			return nil, fmt.Errorf("policy %s:%d: no tool is named %q; the tools are %s%s",
				p.Source(), r.line, r.pattern, strings.Join(names, ", "), nearest.Hint(r.pattern, names))
		}
		if len(meant) == 0 {
			idle = append(idle, fmt.Sprintf("policy %s:%d: no tool matches %q%s", p.Source(), r.line, r.pattern, nearest.Hint(r.pattern, names)))
			continue
		}
		for _, c := range r.when {
			if why := c.neverHolds(r.pattern, meant, tools); why != "" {
				idle = append(idle, fmt.Sprintf("policy %s:%d: %s", p.Source(), c.line, why))
			}
		}
	}
	return idle, nil
}

// neverHolds says why a condition on the tools meant by a pattern cannot hold;
// empty when it can.
func (c condition) neverHolds(pattern string, meant []string, tools map[string]Arguments) string {
	isText, isPath := false, false
	for _, name := range meant {
		isText = isText || slices.Contains(tools[name].Texts, c.arg)
		isPath = isPath || slices.Contains(tools[name].Paths, c.arg)
	}
	switch {
	case !isText:
		return fmt.Sprintf("%s takes no text argument %q", pattern, c.arg)
	case isPath && c.unclean:
		return fmt.Sprintf("the value of %s cannot be that of a path, which is cleaned before it is judged", c.arg)
	}
	return ""
}

// Narrow returns p with the tools restricted by name or glob: what denied
// matches is denied, and when allowed is not empty, so is what it does not
// match. Flags can take rights away from a policy, not add any.
func (p *Policy) Narrow(allowed, denied []string) *Policy {
	n := *p
	for _, a := range allowed {
		n.allowed = append(slices.Clip(n.allowed), newGlob(a))
	}
	for _, d := range denied {
		n.denied = append(slices.Clip(n.denied), newGlob(d))
	}
	return &n
}

// Offers reports whether a tool may be called at all as far as flags go; one
// that may not need not be offered to the model.
func (p *Policy) Offers(tool string) bool {
	_, narrowed := p.byFlag(tool)
	return !narrowed
}

// Decide decides on one call. It reads nothing but its arguments.
func (p *Policy) Decide(req Request) Decision {
	if d, narrowed := p.byFlag(req.Tool); narrowed {
		return d
	}
	req.Args = cleanPaths(req)
	for _, r := range p.rules {
		if !r.holds(req) {
			continue
		}
		reason := r.reason
		if reason == "" && r.verdict == Deny {
			reason = fmt.Sprintf("policy denied tool '%s'", req.Tool)
		}
		asksPath := slices.ContainsFunc(r.when, func(c condition) bool { return slices.Contains(req.PathArgs, c.arg) })
		return Decision{r.verdict, reason, p.source, r.verdict == Allow && asksPath}
	}
	if p.fallback == Deny {
		return Decision{Verdict: Deny, Reason: fmt.Sprintf("policy denied tool '%s'", req.Tool), Source: p.Source()}
	}
	return Decision{Verdict: Allow, Source: p.Source()}
}

// Source returns the file the policy comes from, or SourceDefault.
func (p *Policy) Source() string {
	return cmp.Or(p.source, SourceDefault)
}

func (p *Policy) byFlag(tool string) (Decision, bool) {
	if matchesAny(p.denied, tool) {
		return Decision{Verdict: Deny, Reason: fmt.Sprintf("tool '%s' is excluded by --deny-tools", tool), Source: SourceFlag}, true
	}
	if len(p.allowed) > 0 && !matchesAny(p.allowed, tool) {
		return Decision{Verdict: Deny, Reason: fmt.Sprintf("tool '%s' is not among --allow-tools", tool), Source: SourceFlag}, true
	}
	return Decision{}, false
}

func (r rule) holds(req Request) bool {
	if !r.tool.match(req.Tool) {
		return false
	}
	return !slices.ContainsFunc(r.when, func(c condition) bool { return !c.holds(req) })
}

// cleanPaths returns the arguments with path arguments cleaned, so that
// a/../.git does not slip past a rule about .git.
func cleanPaths(req Request) map[string]any {
	if len(req.PathArgs) == 0 {
		return req.Args
	}
	args := make(map[string]any, len(req.Args))
	for k, v := range req.Args {
		s, ok := v.(string)
		if ok && slices.Contains(req.PathArgs, k) {
			v = cleanPath(s)
		}
		args[k] = v
	}
	return args
}

func cleanPath(name string) string { return path.Clean(strings.ReplaceAll(name, `\`, "/")) }
