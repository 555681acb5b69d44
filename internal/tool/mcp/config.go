package mcp

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/openagent-ci/openagent/internal/text/nearest"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/text/yamltext"
	"github.com/openagent-ci/openagent/internal/tool"
)

// Bounds of the file that names servers.
const (
	// MaxConfig is in bytes.
	MaxConfig  = 1 << 20
	maxServers = 64
	// maxServerName leaves room in the name of a tool, so that the server's is whole
	// even where the tool's is cut.
	maxServerName = 40
)

// Config is what a file says of servers, in its order.
type Config struct{ Servers []Server }

// Server is one of them: a command, or an address.
type Server struct {
	// Name is the one that tools, policy and stream have: letters, digits, _ and -.
	Name string

	Command string
	Args    []string
	Env     []Setting
	// Dir is the folder of the command, relative to the workspace; empty for that.
	Dir string

	URL     string
	Headers []Setting

	// Optional reports that a run begins without the server too.
	Optional bool

	address string // URL as it is written
	secrets []string
}

// Setting is a variable or a header that a server gets.
type Setting struct {
	Name, Value string
	secrets     []string // what of it no sink may show, nil for nothing
	written     string   // Value as it is written
}

// Secrets returns the values of the file that no sink may show: what came by
// variables, and what has a name that tells of one. Of one that names a scheme of
// authorization it returns also what follows it.
func (c Config) Secrets() (all []string) {
	for _, s := range c.Servers {
		all = append(all, s.secrets...)
	}
	for _, value := range slices.Clone(all) {
		if _, rest, ok := strings.Cut(value, " "); ok {
			all = append(all, rest)
		}
	}
	return all
}

// Addresses returns those of the servers that have one.
func (c Config) Addresses() (all []string) {
	for _, s := range c.Servers {
		if s.URL != "" {
			all = append(all, s.URL)
		}
	}
	return all
}

// Fingerprint returns the parts of the file that change what a run does: all of it, but of a
// secret its name.
func (c Config) Fingerprint() any {
	all := []map[string]any{}
	for _, s := range c.Servers {
		all = append(all, map[string]any{
			"name": s.Name, "command": s.Command, "args": s.Args, "env": asWritten(s.Env), "cwd": s.Dir,
			"url": s.address, "headers": asWritten(s.Headers), "optional": s.Optional,
		})
	}
	return all
}

func asWritten(settings []Setting) []string {
	all := []string{}
	for _, s := range settings {
		if s.secrets != nil {
			all = append(all, s.Name)
		} else {
			all = append(all, s.Name+"="+s.written)
		}
	}
	return all
}

// Read reads the text of the file of that name. Its errors name the line.
func Read(file string, text []byte, vars Variables) (Config, error) {
	c := Config{}
	root, err := yamltext.Parse(text)
	if err == nil {
		err = yamltext.Decode(root, []yamltext.Field[Config]{
			yamltext.Given("mcpServers", func(c *Config) *[]Server { return &c.Servers }, vars.servers),
			{Key: "$schema", Set: func(*Config, *yamltext.Node) error { return nil }},
		}, &c)
	}
	if err == nil && c.Servers == nil {
		err = yamltext.Refuse(root, `there is no "mcpServers"`)
	}
	if err != nil {
		return c, yamltext.In(file, err)
	}
	return c, nil
}

// servers reads servers by their names, and finds those that cannot stand beside each
// other: what a policy says of one server must not hold for another.
func (v Variables) servers(n *yamltext.Node) ([]Server, error) {
	if !yamltext.IsMapping(n) {
		return nil, yamltext.Refuse(n, "want servers by their names, got %s", yamltext.KindOf(n))
	}
	all := []Server{}
	err := yamltext.Members(n, func(key, value *yamltext.Node) error {
		name := key.Value
		if n := utf8.RuneCountInString(name); n == 0 || n > maxServerName || strings.ContainsFunc(name, unicode.IsControl) {
			return yamltext.Refuse(key, "the name of a server has 1 to %d characters, none of them a control character", maxServerName)
		}
		s, err := v.server(tool.CleanName(name), value)
		if err != nil {
			return yamltext.Within("server "+tool.CleanName(name), err)
		}
		for _, other := range all {
			one, two := s.Name+"__", other.Name+"__"
			switch {
			case one == two:
				return yamltext.Refuse(key, "two servers are called %s where only letters, digits, _ and - count", s.Name)
			case strings.HasPrefix(one, two), strings.HasPrefix(two, one):
				return yamltext.Refuse(key, "the tools of servers %s and %s could not be told apart: call one otherwise", other.Name, s.Name)
			}
		}
		if all = append(all, s); len(all) > maxServers {
			return yamltext.Refuse(key, "there are more than %d servers", maxServers)
		}
		return nil
	})
	return all, err
}

// server reads one server.
func (v Variables) server(name string, n *yamltext.Node) (Server, error) {
	s, kind := Server{Name: name}, ""
	err := yamltext.Decode(n, []yamltext.Field[Server]{
		yamltext.Given("command", func(s *Server) *string { return &s.Command }, text),
		yamltext.Given("args", func(s *Server) *[]string { return &s.Args }, texts),
		yamltext.Given("env", func(s *Server) *[]Setting { return &s.Env }, v.settings(variableName)),
		yamltext.Given("cwd", func(s *Server) *string { return &s.Dir }, text),
		{Key: "url", Set: func(s *Server, n *yamltext.Node) (err error) {
			if s.address, err = text(n); err == nil {
				s.URL, s.secrets, err = v.expand(n, s.address)
			}
			return err
		}},
		yamltext.Given("headers", func(s *Server) *[]Setting { return &s.Headers }, v.settings(headerName)),
		{Key: "type", Set: func(_ *Server, n *yamltext.Node) (err error) {
			kind, err = text(n)
			return err
		}},
		yamltext.Given("optional", func(s *Server) *bool { return &s.Optional }, yamltext.Bool),
	}, &s)
	if err != nil {
		return s, err
	}
	for _, setting := range slices.Concat(s.Env, s.Headers) {
		s.secrets = append(s.secrets, setting.secrets...)
	}
	return s, checkServer(n, s, kind)
}

// text reads a string without control characters.
func text(n *yamltext.Node) (string, error) {
	s, err := yamltext.Text(n)
	if strings.ContainsFunc(s, func(c rune) bool { return unicode.IsControl(c) && c != '\n' && c != '\t' }) {
		return "", yamltext.Refuse(n, "it has a control character")
	}
	return s, err
}

func texts(n *yamltext.Node) (all []string, err error) {
	if !yamltext.IsList(n) {
		return nil, yamltext.Refuse(n, "want a list of strings, got %s", yamltext.KindOf(n))
	}
	for _, item := range n.Content {
		s, err := text(item)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// settings returns what reads names and values, in which variables are expanded.
func (v Variables) settings(check func(name string) error) func(*yamltext.Node) ([]Setting, error) {
	return func(n *yamltext.Node) (all []Setting, err error) {
		if !yamltext.IsMapping(n) {
			return nil, yamltext.Refuse(n, "want values by their names, got %s", yamltext.KindOf(n))
		}
		err = yamltext.Members(n, func(key, value *yamltext.Node) error {
			s, err := v.setting(key, value, check)
			if err == nil && slices.ContainsFunc(all, func(o Setting) bool { return strings.EqualFold(o.Name, s.Name) }) {
				err = yamltext.Refuse(key, "it stands twice in other letters")
			}
			all = append(all, s)
			return yamltext.Within(nearest.Quote(key.Value), err)
		})
		return all, err
	}
}

func (v Variables) setting(key, value *yamltext.Node, check func(name string) error) (s Setting, err error) {
	s.Name = key.Value
	if err = check(s.Name); err != nil {
		return s, yamltext.Refuse(key, "%v", err)
	}
	if s.written, err = text(value); err != nil {
		return s, err
	}
	if strings.Contains(s.written, "\n") {
		return s, yamltext.Refuse(value, "it has more than one line")
	}
	var used []string
	s.Value, used, err = v.expand(value, s.written)
	if len(used) > 0 || redact.IsSecretName(s.Name) {
		s.secrets = append(used, s.Value)
	}
	return s, err
}

// bareVariable is a variable as a shell would read it.
var bareVariable = lazyregexp.New(`\$[A-Z][A-Z0-9_]+`)

// expand returns a text with the values of the variables that it names as ${NAME}, and
// these values.
func (v Variables) expand(n *yamltext.Node, text string) (expanded string, used []string, err error) {
	for {
		before, rest, found := strings.Cut(text, "${")
		expanded += before
		if bare := bareVariable().FindString(before); bare != "" {
			return "", nil, yamltext.Refuse(n, "%s stays as it is: write ${%s} for the value of the variable", bare, bare[1:])
		}
		if !found {
			return expanded, used, nil
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed || !process.IsVariable(name) {
			return "", nil, yamltext.Refuse(n, "behind ${ comes no name of a variable and }")
		}
		value, err := v.value(n, name)
		if err != nil {
			return "", nil, err
		}
		expanded, used, text = expanded+value, append(used, value), after
	}
}

// kinds are the words for how a server is spoken to, and whether by an address.
var kinds = map[string]bool{"stdio": false, "http": true, "streamable-http": true, "streamableHttp": true}

// checkServer finds what contradicts itself.
func checkServer(n *yamltext.Node, s Server, kind string) error {
	given := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		given[n.Content[i].Value] = true
	}
	remote, known := kinds[kind]
	command, address := given["command"], given["url"]
	want := map[bool]string{true: "http", false: "stdio"}[address]
	u, err := url.Parse(s.URL)
	for _, wrong := range []struct {
		is   bool
		what string
	}{
		{command && address, "it has both command and url: give one of them"},
		{!command && !address, "it has neither command nor url"},
		{kind == "sse", "type sse is not supported: give the address for streamable HTTP"},
		{given["type"] && (!known || remote != address), "type is " + nearest.Quote(kind) + ", want " + want + " or none"},
		{command && s.Command == "", "command is empty"},
		{command && given["headers"], "headers are for a server with url"},
		{address && (given["args"] || given["env"] || given["cwd"]), "args, env and cwd are for a server with command"},
		{address && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == ""), "url is no address that begins with https:// or http://"},
		{address && err == nil && u.User != nil, "url holds a user: say who asks by headers"},
		{address && err == nil && u.Fragment != "", "url has a part behind #"},
	} {
		if wrong.is {
			return yamltext.Refuse(n, "%s", wrong.what)
		}
	}
	return nil
}

// Variables are those that the file may name: of --pass-env, with their values as far
// as they are set.
type Variables struct {
	names  []string
	values map[string]string
	others []string // set, and not of --pass-env
}

// NewVariables returns the variables of those names in an environment.
func NewVariables(environ, names []string) Variables {
	v := Variables{names: names, values: map[string]string{}}
	for _, entry := range environ {
		name, value, ok := strings.Cut(entry, "=")
		switch {
		case ok && slices.Contains(names, name):
			v.values[name] = value
		case ok && value != "" && !process.PassedOn(name):
			v.others = append(v.others, name)
		}
	}
	return v
}

// words are names of variables as a server writes them.
var words = lazyregexp.New(`\b[A-Z][A-Z0-9_]{2,}\b`)

// withheld returns what to do when a server speaks of a variable that is set and not
// passed on, empty if it does not.
func (v Variables) withheld(said string) string {
	for _, name := range words().FindAllString(said, -1) {
		if slices.Contains(v.others, name) {
			return "the server does not see " + name + ": pass it on by --pass-env " + name
		}
	}
	return ""
}

// value returns that of a variable, or why it may not be read.
func (v Variables) value(n *yamltext.Node, name string) (string, error) {
	value, set := v.values[name]
	switch {
	case !slices.Contains(v.names, name):
		return "", hint.With(yamltext.Refuse(n, "${%s} is not passed on", name), "name it by --pass-env "+name)
	case !set:
		return "", yamltext.Refuse(n, "${%s} is not set", name)
	case strings.ContainsFunc(value, unicode.IsControl):
		return "", yamltext.Refuse(n, "${%s} has a control character", name)
	}
	return value, nil
}

func variableName(name string) error {
	if name == "" || strings.ContainsAny(name, "=\x00") {
		return errors.New("it is not the name of a variable")
	}
	return nil
}

func headerName(name string) error {
	if !transport.IsHeader(name) || strings.HasPrefix(strings.ToLower(name), "mcp-") || strings.EqualFold(name, "accept") {
		return errors.New("it is no header that can be set")
	}
	return nil
}
