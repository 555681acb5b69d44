package scaffold

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/openagent-ci/openagent/internal/text/yamltext"
)

var exactVersion = lazyregexp.New(`^\d+\.\d+\.\d+$`)

// Migrate returns a workflow in which each step with one of Actions uses this action
// instead, and a note about each input and output that has no exact counterpart. The rest
// of the text stays as it is. version is that of Files.
func Migrate(text []byte, version string) (string, []string, error) {
	steps, err := agentSteps(text)
	if err != nil {
		return "", nil, err
	}
	lines := strings.SplitAfter(string(text), "\n")
	var notes []string
	for _, s := range slices.Backward(steps) { // so that the lines above keep their numbers
		m := migration{step: s, inputs: map[string]string{}}
		if err := m.translate(); err != nil {
			return "", nil, err
		}
		from, to, end := s.uses.Line-1, s.uses.Line, s.uses.Line
		if s.with != nil {
			to, end = s.with.Line-1, s.with.Line // in lines from 0, the last is not included
			for end < len(lines) && (strings.TrimSpace(lines[end]) == "" || indentOf(lines[end]) >= s.with.Column) {
				end++
			}
			for strings.TrimSpace(lines[end-1]) == "" {
				end--
			}
		}
		head := lines[from][:s.uses.Column-1]
		if to < from || strings.Trim(head, " -") != "" {
			return "", nil, yamltext.Refuse(s.uses, "%s cannot be translated: write its keys on lines of their own, and uses above with", s.name)
		}
		head += "uses: " + actionUse(version) + "\n"
		between := ""
		if s.with != nil {
			between = strings.Join(lines[from+1:to], "")
		}
		lines = slices.Replace(lines, from, end, head+between+m.render(s.uses.Column-1))
		notes = append(m.named(), notes...)
	}
	out := strings.Join(lines, "")
	if _, err := yamltext.Parse([]byte(out)); err != nil {
		return "", nil, errors.New("it cannot be translated: write each input on lines of its own")
	}
	for _, s := range steps {
		for _, o := range s.action.Outputs {
			if was := "steps." + s.id + ".outputs." + o.Name; s.id != "" && o.To != "" {
				out = strings.ReplaceAll(out, was, "steps."+s.id+".outputs."+o.To)
			} else if s.id != "" && strings.Contains(out, was) {
				notes = append(notes, fmt.Sprintf("%s: output %s has no counterpart, because %s", s.name, o.Name, o.Why))
			}
		}
	}
	return out, notes, nil
}

// actionUse is how a workflow names this action. Only a release has a tag.
func actionUse(version string) string {
	if exactVersion().MatchString(strings.TrimPrefix(version, "v")) {
		return "openagent-ci/openagent@" + version + " # pin the commit of this tag"
	}
	return "openagent-ci/openagent@main # pin a commit"
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// agentStep is a step that runs an agent by one of Actions.
type agentStep struct {
	name, id   string
	action     Action
	uses, with *yamltext.Node // the keys
	inputs     *yamltext.Node // nil without any
	writes     bool           // its job may
}

// agentSteps finds the steps of a workflow.
func agentSteps(text []byte) (found []agentStep, err error) {
	root, err := yamltext.Parse(text)
	if err != nil {
		return nil, err
	}
	jobs := member(root, "jobs")
	if jobs == nil || !yamltext.IsMapping(jobs) {
		return nil, errors.New("it is no workflow: it has no jobs")
	}
	reusable := ""
	err = yamltext.Members(jobs, func(name, job *yamltext.Node) error {
		if used := member(job, "uses"); used != nil {
			reusable = cmp.Or(reusable, used.Value)
		}
		steps := member(job, "steps")
		if steps == nil || !yamltext.IsList(steps) {
			return nil
		}
		for i, step := range steps.Content {
			uses := member(step, "uses")
			if uses == nil {
				continue
			}
			used, _, _ := strings.Cut(uses.Value, "@")
			at := slices.IndexFunc(Actions, func(a Action) bool {
				return strings.EqualFold(a.Uses, used) || strings.EqualFold(a.Uses+"/base-action", used)
			})
			if at < 0 {
				continue
			}
			s := agentStep{name: fmt.Sprintf("job %s, step %d", name.Value, i+1), action: Actions[at], uses: keyOf(step, "uses"), with: keyOf(step, "with"), inputs: member(step, "with")}
			if permissions := member(job, "permissions"); permissions != nil {
				s.writes = permissions.Value == "write-all" || slices.ContainsFunc(permissions.Content, func(n *yamltext.Node) bool { return n.Value == "write" })
			}
			if id := member(step, "id"); id != nil {
				s.id = id.Value
			}
			found = append(found, s)
		}
		return nil
	})
	if err == nil && len(found) == 0 {
		err = errors.New("no step uses " + names(Actions))
		if reusable != "" {
			err = hint.With(err, "it calls the workflow "+reusable+"; name the file of that one")
		}
	}
	return found, err
}

func names(actions []Action) string {
	var all []string
	for _, a := range actions {
		all = append(all, a.Uses)
	}
	return strings.Join(all, ", ")
}

// keyOf and member return a key of a mapping and its value, nil where it is not there.
func keyOf(n *yamltext.Node, name string) *yamltext.Node { key, _ := entry(n, name); return key }

func member(n *yamltext.Node, name string) *yamltext.Node { _, value := entry(n, name); return value }

func entry(n *yamltext.Node, name string) (key, value *yamltext.Node) {
	if yamltext.IsMapping(n) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == name {
				return n.Content[i], n.Content[i+1]
			}
		}
	}
	return nil, nil
}

// migration is a step on its way to this action.
type migration struct {
	step   agentStep
	inputs map[string]string // by name here
	args   []string          // of the agent
	notes  []string
}

func (m *migration) note(format string, args ...any) {
	m.notes = append(m.notes, fmt.Sprintf(format, args...))
}

// named returns the notes with the name of the step.
func (m *migration) named() (all []string) {
	for _, n := range m.notes {
		all = append(all, m.step.name+": "+n)
	}
	return all
}

func (m *migration) translate() error {
	a, err := adapter.ByName(m.step.action.Agent)
	if err != nil {
		return err
	}
	if a.Name == "gemini" { // whose action allows every tool
		m.args = slices.Clone(a.Allow)
	}
	if in := m.step.inputs; in != nil && !yamltext.IsScalar(in, "!!null") {
		if !yamltext.IsMapping(in) {
			return yamltext.Refuse(in, "%s: want inputs in with, got %s", m.step.name, yamltext.KindOf(in))
		}
		err := yamltext.Members(in, func(key, value *yamltext.Node) error {
			text, err := yamltext.Plain(value)
			if yamltext.IsScalar(value, "!!null") {
				text, err = "", nil
			}
			if err != nil {
				return yamltext.Within(key.Value, err)
			}
			m.input(key.Value, text)
			return nil
		})
		if err != nil {
			return err
		}
	}
	tested := a.Tested[len(a.Tested)-1]
	if v := m.inputs["agent-version"]; !exactVersion().MatchString(v) {
		m.note("agent-version is %s, the newest that is tested, since an exact version is wanted", tested)
		m.inputs["agent-version"] = tested
	}
	if m.step.writes {
		m.note("the job has permissions to write, which its agent does not need; see docs/security.md")
	}
	m.inputs["agent"] = a.Name
	if m.inputs["prompt"]+m.inputs["prompt-file"] == "" {
		m.note("prompt was empty; it is the comment or the text that started the job")
		m.inputs["prompt"] = "${{ github.event.comment.body || github.event.issue.body || github.event.pull_request.body }}"
	}
	return nil
}

// input translates an input.
func (m *migration) input(name, value string) {
	at := slices.IndexFunc(m.step.action.Inputs, func(r Row) bool { return r.Name == name })
	if at < 0 {
		m.note("%s is unknown, and left out", name)
		return
	}
	r := m.step.action.Inputs[at]
	if strings.Contains(value, "${{") && slices.Contains([]string{"agent-args", "base-url", "allow-bots"}, r.To) {
		m.note("%s has an expression, whose value must have the form of %s: %s", name, r.To, cmp.Or(r.Why, "whole logins"))
	}
	switch {
	case strings.TrimSpace(value) == "":
	case r.To == "":
		m.note("%s has no counterpart, because %s", name, r.Why)
	case strings.HasPrefix(r.To, "-"):
		m.option(r.To, value)
	case r.To == "agent-args":
		m.words(name, value)
	case r.To == "base-url":
		m.set(name, r.To, strings.TrimSuffix(value, "/responses"))
	case r.To == "timeout":
		m.set(name, r.To, value+"m")
	case name == "allow-bots" && value != "true":
		if value != "false" {
			m.note("%s is %s: name the bots in allow-bots", name, value)
		}
	case name == "allow-bots":
		m.set(name, r.To, "github-actions[bot]")
	case strings.HasPrefix(r.To, "allow-") && strings.Contains(value, "*"):
		m.note("%s has no counterpart with *; name each login in %s", name, r.To)
	case r.To == "allow-bots" && !strings.Contains(value, "${{"): // those actions take a login without its end, too
		for bot := range strings.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune(", \n", r) }) {
			m.set(name, r.To, strings.TrimSuffix(bot, "[bot]")+"[bot]")
		}
	default:
		m.set(name, r.To, value)
	}
}

// set sets an input, once.
func (m *migration) set(name, to, value string) {
	if old, given := m.inputs[to]; given && to == "allow-bots" {
		value = old + "," + value
	} else if given {
		m.note("%s is left out, because %s is set already", name, to)
		return
	}
	m.inputs[to] = value
}

// option adds an option of the agent with its value, on one line each. JSON takes one
// line.
func (m *migration) option(option, value string) {
	if head, rest, two := strings.Cut(option, " "); two {
		m.args = append(m.args, head, rest+value)
		return
	}
	var line bytes.Buffer
	if json.Compact(&line, []byte(value)) == nil {
		value = line.String()
	}
	m.args = append(m.args, option, strings.Join(strings.Fields(value), " "))
}

// words adds a command line of the agent. What has an input here goes there.
func (m *migration) words(name, text string) {
	var words []string
	if json.Unmarshal([]byte(text), &words) != nil {
		var ok bool
		if words, ok = split(text); !ok {
			m.note("%s has a quotation mark that is not closed: write its words into agent-args", name)
			return
		}
	}
	owned := map[string]string{"--model": "model", "-m": "model", "--json-schema": "output-schema"}
	for i := 0; i < len(words); i++ {
		option, value, joined := strings.Cut(words[i], "=")
		to := owned[option]
		if to == "" || !joined && i+1 == len(words) {
			m.args = append(m.args, words[i])
			continue
		}
		if !joined {
			i++
			value = words[i]
		}
		m.set(name, to, value)
	}
}

// split splits a text into words as a shell does, without expansions. A line that begins
// with # is a comment. An expression of a workflow is one word.
func split(text string) (words []string, ok bool) {
	var word strings.Builder
	begun, quote, expression := false, rune(0), false
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		if strings.HasPrefix(string(runes[i:min(i+3, len(runes))]), "${{") {
			expression = true
		}
		switch {
		case expression:
			expression = !(r == '}' && i > 0 && runes[i-1] == '}')
			word.WriteRune(r)
			begun = true
		case quote == 0 && strings.ContainsRune(" \t\r\n", r):
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		case quote == 0 && !begun && r == '#':
			for i+1 < len(runes) && runes[i+1] != '\n' {
				i++
			}
		case r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case r == '\\' && quote != '\'' && i+1 < len(runes):
			i++
			if runes[i] != '\n' {
				word.WriteRune(runes[i])
				begun = true
			}
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if begun {
		words = append(words, word.String())
	}
	return words, quote == 0
}

// order is that of the inputs in a step.
var order = []string{
	"agent", "agent-version", "agent-args", "prompt", "prompt-file", "model", "base-url", "api-key", "output-schema", "output-schema-file",
	"working-directory", "timeout", "allow-users", "allow-bots",
}

// render returns the lines of with, and the notes as comments.
func (m *migration) render(indent int) string {
	margin := strings.Repeat(" ", indent)
	var b strings.Builder
	for _, n := range m.notes {
		b.WriteString(margin + "# " + strings.ReplaceAll(n, "\n", " ") + "\n")
	}
	b.WriteString(margin + "with:\n")
	if len(m.args) > 0 {
		m.inputs["agent-args"] = strings.Join(m.args, "\n") + "\n"
	}
	for _, name := range order {
		if value, given := m.inputs[name]; given {
			b.WriteString(margin + "  " + name + ": " + scalar(value, margin+"    ") + "\n")
		}
	}
	return b.String()
}

// plainScalar matches what YAML reads as a text, or as a number or truth value, which the
// runner makes a text again.
var plainScalar = lazyregexp.New(`^(?:[\w./][\w./:@+-]*[\w./+-]|\w|\$\{\{ [^#"'\n]* \}\})$`)

// scalar returns a value in YAML.
func scalar(value, margin string) string {
	body, one := strings.CutSuffix(value, "\n")
	if !strings.Contains(body, "\n") {
		value = body
	}
	switch {
	case plainScalar().MatchString(value):
		return value
	case strings.Contains(body, "\n") && !strings.HasPrefix(value, " ") && !strings.HasPrefix(value, "\n") && !strings.HasSuffix(body, "\n"):
		head := "|-"
		if one {
			head = "|"
		}
		return head + "\n" + margin + strings.ReplaceAll(strings.ReplaceAll(body, "\n", "\n"+margin), margin+"\n", "\n")
	}
	return string(jsontext.MustMarshal(value))
}
