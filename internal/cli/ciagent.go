package cli

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/actions"
	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/flags"
	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/record"
	"github.com/openagent-ci/openagent/internal/value"
)

// The values of --agent that name no row of the table of agents.
const (
	agentBuiltin = adapter.Contract // prints the contract
	agentAuto    = "auto"           // by the first line that can be read
)

// The values of --agent-home.
const (
	homeAuto    = "auto"
	homePrivate = "private"
	homeUser    = "user"
)

// agentFlags choose another agent, whose own stream is converted.
type agentFlags struct {
	name    agentName
	home    value.Choice
	version string
	args    []string
	print   bool
}

// agentName is a choice whose help does not list the table of agents.
type agentName struct{ value.Choice }

// Type is what the help calls the value.
func (*agentName) Type() string { return "name" }

func newAgentFlags() agentFlags {
	return agentFlags{
		name: agentName{value.NewChoice(append([]string{agentBuiltin, agentAuto}, adapter.Names()...)...)},
		home: value.NewChoice(homeAuto, homePrivate, homeUser),
	}
}

func (a *agentFlags) register(fs *pflag.FlagSet) {
	fs.Var(&a.name, "agent", "agent that runs: the built-in one, or another of openagent agents, whose stream is converted; auto for a command whose first line tells")
	fs.StringVar(&a.version, "agent-version", "", "the only `version` of the agent's program that may run (default: any)")
	fs.Var((*value.Lines)(&a.args), "agent-arg", "further `word` of the agent's command line; may be given several times")
	fs.Var(&a.home, "agent-home", "home folder of the agent: a fresh one, or the user's with its login; auto takes a fresh one in Actions and with a key or base URL")
	fs.BoolVar(&a.print, "print-command", false, "print how the agent would be started, key masked, and start nothing")
}

// presetFlags are those that only mean something where a preset starts the agent.
func presetFlags() []string {
	return []string{"agent-version", "agent-arg", "agent-home", "print-command"}
}

// foreign reports whether the stream of another agent is converted.
func (a *agentFlags) foreign() bool { return a.name.Value != agentBuiltin }

// allowed are the flags of the built-in agent that mean the same for another one,
// which a preset starts or the command line itself.
func allowed(preset bool) []string {
	if preset {
		return append(allowed(false), "prompt-file", "model", "base-url", "api-key-file")
	}
	return []string{"workspace", "timeout", "redact", "run-id"}
}

// completeAgent checks the command line of another agent. A flag that it cannot
// keep must not look as if it did.
func (c *ci) completeAgent(args []string) error {
	name, preset := c.flags.name.Value, c.command == nil
	switch {
	case c.flags.Stream != "":
		return usage("--events-file judges a stream of the contract: convert another one first, by openagent convert --from %s", name)
	case preset && name == agentAuto:
		return usage("--agent auto needs a command: give it after --, or name the agent")
	case !preset && len(c.command) == 0:
		return usage("no command after --")
	case !preset && len(args) > 0:
		return usage("a prompt is for an agent that is started by its preset; give %q to the command itself", value.Shown(args[0]))
	}
	if err := flags.RefuseEmpty(c.set); err != nil {
		return err
	}
	given := map[string]bool{}
	c.set.Visit(func(fl *pflag.Flag) { given[fl.Name] = true })
	if err := flags.Fill(c.program.Place, c.set, nil); err != nil {
		return err
	}
	if err := c.refuseOthers(given, preset); err != nil || !preset {
		return err
	}
	return c.run.SetPrompt(c.program.Place, args)
}

// refuseOthers refuses flags that the agent cannot keep; given names those of the
// command line.
func (c *ci) refuseOthers(given map[string]bool, preset bool) (err error) {
	own := pflag.NewFlagSet("ci", pflag.ContinueOnError)
	newHarnessFlags().register(own)
	name := c.flags.name.Value
	c.set.Visit(func(fl *pflag.Flag) {
		foreign := own.Lookup(fl.Name) == nil && !slices.Contains(allowed(preset), fl.Name)
		switch {
		case err != nil:
		case !given[fl.Name] && slices.Contains([]string{"state-dir", "keep-sessions", "clock"}, fl.Name): // of a whole job, and no promise
		case !preset && slices.Contains(presetFlags(), fl.Name):
			err = usage("%s is for an agent that is started by its preset; with a command leave it out", flags.Source(fl.Name, given))
		case foreign && !preset:
			err = usage("%s does nothing with a command; give that its own flags after --", flags.Source(fl.Name, given))
		case foreign && (fl.Name == "script" || fl.Name == "cassette"):
			err = usage("%s cannot serve a model to %s; start openagent model serve, and give its address by --base-url", flags.Source(fl.Name, given), name)
		case foreign:
			err = usage("%s is for the built-in agent and would not hold for %s; %s", flags.Source(fl.Name, given), name, ownWay(name, fl.Name))
		}
	})
	return err
}

// ownWay says what to give an agent in the place of a flag of the built-in one.
func ownWay(name, flag string) string {
	if a, err := adapter.ByName(name); err == nil && a.Options[flag] != "" {
		return "its own way is " + a.Options[flag]
	}
	return "give it an option of its own by --agent-arg"
}

// refuseAgentFlags refuses the flags about another agent where there is none.
func (c *ci) refuseAgentFlags() (err error) {
	c.set.Visit(func(fl *pflag.Flag) {
		if slices.Contains(presetFlags(), fl.Name) && err == nil {
			err = usage("--%s is for another agent: name it by --agent", fl.Name)
		}
	})
	return err
}

// foreign returns the agent whose stream is converted, nil for none.
func (c *ci) foreign() *harness.Foreign {
	a, run := &c.flags.agentFlags, c.run
	if !a.foreign() {
		return nil
	}
	f := &harness.Foreign{
		Preset: c.command == nil, Prompt: run.Prompt, Model: run.Model, BaseURL: run.Endpoint.BaseURL,
		Version: a.version, Args: a.args, RunID: cmp.Or(run.RunID, record.NewID(time.Now())),
	}
	f.Agent, _ = adapter.ByName(a.name.Value) // none for auto
	f.PrivateHome = a.home.Value == homePrivate
	if a.home.Value == homeAuto {
		f.PrivateHome = actions.InJob(os.Getenv) || f.BaseURL != "" || c.keyInReach() != ""
	}
	return f
}

// agentKey says which variable gives another agent a key, empty for none.
func (c *ci) agentKey() string {
	a, err := adapter.ByName(c.flags.name.Value)
	if err != nil {
		return ""
	}
	for _, name := range a.Keys {
		if strings.TrimSpace(os.Getenv(name)) != "" {
			return "a key by " + name
		}
	}
	return ""
}
