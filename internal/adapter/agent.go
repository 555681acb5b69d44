// Package adapter holds the table of supported agents: for each one, how its program
// is found and started and how its lines become events of the contract.
package adapter

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/internal/text/nearest"
)

// Agent is a row of the table of agents: how its program is found, installed and
// started, and how its stream is recognized and converted.
type Agent struct {
	Name string // as --agent has it
	// Package is the npm package and Binary the program that it installs;
	// VersionArgs make the program print its version.
	Package, Binary string
	VersionArgs     []string
	// Scripts says that the package does not work without its install scripts.
	Scripts bool
	// Tested are the versions whose streams the mapping was tested with.
	Tested []string
	// ExitGrace is how long the program may still work after its last word, where
	// that is more than agents may by default.
	ExitGrace time.Duration

	// Format names the stream, Mapping the way it is converted and Time where
	// its times come from: source, arrival, or mixed.
	Format, Mapping, Time string
	Gaps                  Gaps
	// Prints are the options with which the program prints its stream; Noise, if any,
	// is what is known to print between the lines of that.
	Prints, Noise string
	// Ends says that the stream has a terminal for each turn.
	Ends bool

	// Wire is the API that the program speaks with the endpoint of its user, by the
	// name that package wire has for it.
	Wire string
	// Upstream is the endpoint that the program asks with a key of its maker, empty
	// where it has none.
	Upstream string
	// Keys are the variables that the program reads a key from, the preferred
	// one first; OpenAI says that OPENAI_API_KEY will do too. EndpointKey, if any,
	// is the variable in their place when a base URL is given.
	Keys        []string
	EndpointKey string
	OpenAI      bool
	// HomeVariable, if any, names the folder of the program's configuration, which
	// is HomeFolder in a home.
	HomeVariable, HomeFolder string
	// CacheVariable, if any, names the folder that the program unpacks itself into,
	// which is CacheFolder in the user's caches. It holds nothing of a run.
	CacheVariable, CacheFolder string

	// Options says, by flag of our own agent, how the program is told the same.
	Options map[string]string
	// Owned are the options that start gives the program, with the flag of ours
	// that says the same, empty for what every run has.
	Owned map[string]string

	// Silent are tools whose calls the stream never shows; HidesAgents says that it shows
	// none of sub-agents, or not of all. Unprompted are tools that the agent also calls
	// without its model.
	Silent, Unprompted []string
	HidesAgents        bool
	// printed, if any, returns the tool by which the stream shows a call of the model.
	printed func(tool, arguments string) string

	// Allow are the words that have the program run its tools without asking, where
	// it would not.
	Allow []string

	// start returns how the program is started for a run.
	start func(Launch) Start
	// begins reports whether a line is the first of the agent's stream.
	begins func(object) bool
	// atEnd, if any, reports whether the first line is what the program prints at its
	// end when it is asked for one JSON value.
	atEnd     func(object) bool
	converter func(*emit.Emitter) emit.Converter
}

// Gaps says what is missing in a stream.
type Gaps struct {
	Decisions  bool // who allowed a call
	ExitStatus bool // of commands
	Usage      bool // tokens
	Steps      bool // where a turn of the model ends
}

// Launch is what a run asks of an agent's program. What is empty is left to the
// program.
type Launch struct {
	// Dir is the folder to work in; Home, unless empty, a fresh folder that
	// takes the place of the user's, with the program's configuration.
	Dir, Home      string
	Model, BaseURL string
	// Key is the variable under which the program is given a key.
	Key    string
	Prompt string
	// Walled says that the program runs within a sandbox of ours, so that one of its
	// own is turned off: some cannot be made within another.
	Walled bool
	// OutputSchema is the file of the schema that the answer has to fit.
	OutputSchema string
	// Args are the user's own, last on the command line but for the prompt.
	Args []string
}

// Start is how a program is started.
type Start struct {
	Args  []string          // behind the program's name
	Stdin string            // the prompt of a program that reads it there
	Env   []string          // NAME=value, beside the environment of the job
	Files map[string]string // by path below Launch.Home, written before
}

// agents is the table of the known agents, in the order of their names.
var agents = []*Agent{claude, codex, copilot, gemini, opencode, qwen}

// Agents returns the known agents, in the order of their names.
func Agents() []*Agent { return slices.Clone(agents) }

// Names returns the names of the known agents.
func Names() (names []string) {
	for _, a := range agents {
		names = append(names, a.Name)
	}
	return names
}

// ByName returns the agent of that name.
func ByName(name string) (*Agent, error) {
	for _, a := range agents {
		if a.Name == name {
			return a, nil
		}
	}
	return nil, fmt.Errorf("unknown agent %q; known: %s%s", name, strings.Join(Names(), ", "), nearest.Hint(name, Names()))
}

// Home returns the variables that make a folder the program's home: what it would
// find and leave in the user's is there.
func (a *Agent) Home(dir string) []string {
	env := []string{"HOME=" + dir, "USERPROFILE=" + dir}
	for _, name := range []string{"CONFIG", "DATA", "STATE", "CACHE"} {
		env = append(env, "XDG_"+name+"_HOME="+filepath.Join(dir, "."+strings.ToLower(name)))
	}
	if a.HomeVariable != "" {
		env = append(env, a.HomeVariable+"="+filepath.Join(dir, a.HomeFolder))
	}
	return env
}

// KeyVariables returns the variables that the program reads a key from, the
// preferred one first, with an endpoint of the user's or without.
func (a *Agent) KeyVariables(baseURL string) []string {
	if baseURL != "" && a.EndpointKey != "" {
		return []string{a.EndpointKey}
	}
	return slices.Clone(a.Keys)
}

// Endpoint returns the base URL of an endpoint at an origin, an address without a
// path, that has the usual paths: what Launch.BaseURL and a user name.
func (a *Agent) Endpoint(origin string) string {
	if a.Wire == "anthropic" || a.Wire == "gemini" {
		return origin // the version is part of what the program adds
	}
	return origin + "/v1"
}

// ServedKey is what a program has in the place of a key when its model is served
// on this machine: most want one.
const ServedKey = "sk-test-scripted"

// Point returns what has the program ask the model at an origin, whoever starts it
// and how: the variables, a key among them, and the files below home.
func (a *Agent) Point(home, origin, model string) Start {
	url := a.Endpoint(origin)
	name := a.KeyVariables(url)[0]
	s := a.start(Launch{Home: home, BaseURL: url, Model: model, Key: name})
	return Start{Env: append(s.Env, name+"="+ServedKey), Files: s.Files}
}

// Owner returns the option in a word of a command line, if it is one that the row
// gives by itself, and the flag of ours that it comes from, if any.
func (a *Agent) Owner(word string) (option, flag string, owned bool) {
	option, _, _ = strings.Cut(word, "=")
	if len(option) > 2 && option[0] == '-' && option[1] != '-' {
		option = option[:2] // a short one, with its value
	}
	flag, owned = a.Owned[option]
	return option, flag, owned
}

// Printed returns the name by which the stream shows a call that the model made.
func (a *Agent) Printed(tool, arguments string) string {
	if a.printed == nil {
		return tool
	}
	return a.printed(tool, arguments)
}

// Start returns how the program is started.
func (a *Agent) Start(l Launch) Start { return a.start(l) }

// New returns the conversion of one source of the agent.
func (a *Agent) New(o emit.Options) *emit.Conversion {
	return emit.New(emit.Agent{Name: a.Name, Format: a.Format, Mapping: a.Mapping, Time: a.Time, Steps: !a.Gaps.Steps, Ends: a.Ends, AtEnd: a.atEnd}, o, a.converter, detect)
}
