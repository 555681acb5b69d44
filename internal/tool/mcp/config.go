package mcp

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/nearest"
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

// Read reads the text of the file of that name. Its errors name line and column.
func Read(file string, text []byte, vars Variables) (Config, error) {
	if i := slices.IndexFunc(text, func(b byte) bool { return !jsontext.Blank(b) }); i < 0 {
		return Config{}, fmt.Errorf("%s: it is empty, want JSON with \"mcpServers\"", file)
	}
	r := &reader{file: file, vars: vars}
	r.Src, r.Room, r.Notes = string(text), maxNesting, &jsontext.Notes{}
	if err := r.checkJSON(); err != nil {
		return Config{}, err
	}
	c := Config{}
	servers := false
	r.object("the file", func(name string) {
		switch name {
		case "mcpServers":
			servers = true
			r.object(`"mcpServers"`, func(name string) { c.Servers = append(c.Servers, r.server(name)) })
		case "$schema":
			r.text(`"$schema"`)
		default:
			r.unknown(name, []string{"mcpServers"})
		}
	})
	if r.err == nil && !servers {
		r.fail(0, `there is no "mcpServers"`)
	}
	if r.err == nil {
		r.checkServers(c.Servers)
	}
	return c, r.err
}

// checkServers finds servers that cannot stand beside each other: what a policy says of
// one server must not hold for another.
func (r *reader) checkServers(servers []Server) {
	if len(servers) > maxServers {
		r.fail(0, "there are %d servers, want at most %d", len(servers), maxServers)
	}
	for i, a := range servers {
		for j, b := range servers {
			switch {
			case i == j:
			case a.Name == b.Name:
				r.fail(0, "two servers are called %s where only letters, digits, _ and - count", a.Name)
			case strings.HasPrefix(b.Name+"__", a.Name+"__"):
				r.fail(0, "the tools of servers %s and %s could not be told apart: call one otherwise", a.Name, b.Name)
			}
		}
	}
}

// server reads one server.
func (r *reader) server(name string) (s Server) {
	at := r.Pos
	if n := utf8.RuneCountInString(name); n == 0 || n > maxServerName || strings.ContainsFunc(name, unicode.IsControl) {
		r.fail(at, "the name of a server has 1 to %d characters, none of them a control character", maxServerName)
	}
	s.Name = tool.CleanName(name)
	what, kind := "server "+s.Name, ""
	given := map[string]bool{}
	r.object(what, func(member string) {
		given[member] = true
		of := what + ": " + member
		switch member {
		case "command":
			s.Command = r.text(of)
		case "args":
			s.Args = r.texts(of)
		case "env":
			s.Env = r.settings(of, variableName)
		case "cwd":
			s.Dir = r.text(of)
		case "url":
			at := r.Pos
			s.address = r.text(of)
			s.URL = r.expand(at, of, s.address)
			s.secrets = append(s.secrets, r.used...)
		case "headers":
			s.Headers = r.settings(of, headerName)
		case "type":
			kind = r.text(of)
		case "optional":
			s.Optional = r.flag(of)
		default:
			r.unknown(member, []string{"command", "args", "env", "cwd", "url", "headers", "type", "optional"})
		}
	})
	if r.err == nil {
		r.checkServer(at, what, &s, kind, given)
	}
	return s
}

// kinds are the words for how a server is spoken to, and whether by an address.
var kinds = map[string]bool{"stdio": false, "http": true, "streamable-http": true, "streamableHttp": true}

// checkServer finds what contradicts itself, and notes the secrets.
func (r *reader) checkServer(at int, what string, s *Server, kind string, given map[string]bool) {
	remote, known := kinds[kind]
	command, address := given["command"], given["url"]
	want := map[bool]string{true: "http", false: "stdio"}[address]
	for _, wrong := range []struct {
		is   bool
		what string
	}{
		{command && address, " has both command and url: give one of them"},
		{!command && !address, " has neither command nor url"},
		{kind == "sse", ": type sse is not supported: give the address for streamable HTTP"},
		{given["type"] && (!known || remote != address), ": type is " + nearest.Quote(kind) + ", want " + want + " or none"},
		{command && s.Command == "", ": command is empty"},
		{command && given["headers"], ": headers are for a server with url"},
		{address && (given["args"] || given["env"] || given["cwd"]), ": args, env and cwd are for a server with command"},
	} {
		if wrong.is {
			r.fail(at, "%s%s", what, wrong.what)
		}
	}
	if address {
		r.checkAddress(at, what, s)
	}
	for _, setting := range slices.Concat(s.Env, s.Headers) {
		s.secrets = append(s.secrets, setting.secrets...)
	}
}

func (r *reader) checkAddress(at int, what string, s *Server) {
	u, err := url.Parse(s.URL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		r.fail(at, "%s: url is no address that begins with https:// or http://", what)
	case u.User != nil:
		r.fail(at, "%s: url holds a user: say who asks by headers", what)
	case u.Fragment != "":
		r.fail(at, "%s: url has a part behind #", what)
	}
}

// unexpanded is the way out where a variable must not be read.
const unexpanded = "name it by --pass-env"

// Variables are those that the file may name: of --pass-env, with their values as far
// as they are set.
type Variables struct {
	names  []string
	values map[string]string
}

// NewVariables returns the variables of those names in an environment.
func NewVariables(environ, names []string) Variables {
	v := Variables{names: names, values: map[string]string{}}
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok && slices.Contains(names, name) {
			v.values[name] = value
		}
	}
	return v
}

// value returns that of a variable, or why it may not be read.
func (v Variables) value(name string) (string, error) {
	value, set := v.values[name]
	switch {
	case !slices.Contains(v.names, name):
		return "", hint.With(fmt.Errorf("${%s} is not passed on", name), unexpanded+" "+name)
	case !set:
		return "", fmt.Errorf("${%s} is not set", name)
	case strings.ContainsFunc(value, unicode.IsControl):
		return "", fmt.Errorf("${%s} has a control character", name)
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
