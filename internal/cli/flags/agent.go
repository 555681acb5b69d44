package flags

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/installed"
	"github.com/openagent-ci/openagent/internal/agent/demo"
	"github.com/openagent-ci/openagent/internal/agent/session"
	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/redact"
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
	home    Choice
	version string
	args    []string
	witness bool
	print   bool
}

// agentName is a choice whose help does not list the table of agents.
type agentName struct{ Choice }

// Type is what the help calls the value.
func (*agentName) Type() string { return "name" }

// presetFlags are those that only mean something where a preset starts the agent.
func presetFlags() []string {
	return []string{"agent-version", "agent-arg", "agent-home", "witness", "print-command"}
}

// foreign reports whether the stream of another agent is converted.
func (a *agentFlags) foreign() bool { return a.name.Value != agentBuiltin }

// key says which variable gives another agent a key, empty for none.
func (a *agentFlags) key(p process.Env) string {
	row, err := adapter.ByName(a.name.Value)
	if err != nil {
		return ""
	}
	for _, name := range row.Keys {
		if strings.TrimSpace(p.Getenv(name)) != "" {
			return "a key by " + name
		}
	}
	return ""
}

// allowed are the flags of the built-in agent that mean the same for another one,
// which a preset starts or the command line itself.
func allowed(preset bool) []string {
	if preset {
		return append(allowed(false), "prompt-file", "model", "base-url", "api-key-file", "script", "cassette", "cassette-mode")
	}
	return append(SandboxFlags(), "workspace", "timeout", "redact", "run-id", "output-schema")
}

// completeAgent checks the command line of another agent. A flag that it cannot
// keep must not look as if it did.
func (c *CI) completeAgent(p process.Env, args []string) error {
	name, preset := c.name.Value, c.Command == nil
	switch {
	case c.options.Stream != "":
		return usagef("--events-file judges a stream of the contract: convert another one first, by openagent convert --from %s", name)
	case preset && name == agentAuto:
		return usagef("--agent auto needs a command: give it after --, or name the agent")
	case !preset && len(c.Command) == 0:
		return usagef("no command after --")
	case !preset && len(args) > 0:
		return usagef("a prompt is for an agent that is started by its preset; give %q to the command itself", redact.Shown(args[0]))
	}
	if err := refuseEmpty(c.set); err != nil {
		return err
	}
	given := OnCommandLine(c.set)
	if err := Fill(p, c.set, nil); err != nil {
		return err
	}
	if !c.set.Changed("max-line") {
		c.options.MaxLine = 0 // that of the stream, whichever it is
	}
	if err := errors.Join(c.refuseOthers(given, preset), c.completeWall(p, given), c.completeRow(name, preset)); err != nil || !preset {
		return err
	}
	c.run.modeGiven = c.set.Changed("cassette-mode")
	if err := errors.Join(c.checkModel(given), c.checkCassette(p, given), c.checkWitness(given)); err != nil {
		return err
	}
	return c.run.setPrompt(p, args)
}

// completeRow gives the agent what its row says it needs, and checks the words that
// are for a preset of it. An agent that is yet to be recognized has no row.
func (c *CI) completeRow(name string, preset bool) error {
	a, err := adapter.ByName(name)
	if err != nil {
		return nil
	}
	if !c.set.Changed("exit-grace") {
		c.options.ExitGrace = max(c.options.ExitGrace, a.ExitGrace)
	}
	if !preset {
		return nil
	}
	if c.version != "" {
		if err := installed.CheckVersion(a, c.version); err != nil {
			return usagef("--agent-version: %w", err)
		}
	}
	return checkArguments(a, c.args)
}

// checkModel finds what is wrong with the model of an agent that a preset starts,
// and with what stands in for it; given is as in refuseOthers.
func (c *CI) checkModel(given map[string]bool) error {
	switch {
	case strings.HasPrefix(c.run.Model, "-"): // the agent would read an option
		return usagef("%s is %q: want the name of a model", source("model", given), redact.Shown(c.run.Model))
	case c.run.Script == demo.Name:
		return usagef("%s is %q, which is for the built-in agent: name a file", source("script", given), demo.Name)
	case c.run.Script != "" && given["base-url"] && given["script"]:
		return usagef("--script answers without an endpoint: leave out --base-url")
	}
	return nil
}

// checkCassette finds what is wrong with a cassette that a preset has served, and
// whether it is to be recorded.
func (c *CI) checkCassette(p process.Env, given map[string]bool) (err error) {
	if err := c.run.checkCassette(given); err != nil || c.run.Cassette == "" {
		return err
	}
	if c.record, err = session.Records(p, c.run.cassetteMode.Value, c.run.Cassette); err != nil {
		return usagef("%s is %q: %w", source("cassette", given), redact.Shown(c.run.Cassette), err)
	}
	a, err := adapter.ByName(c.name.Value)
	switch {
	case err != nil:
		return &UsageError{err}
	case c.record && c.run.Endpoint.BaseURL == "" && a.Upstream == "":
		return usagef("--cassette-mode records what an endpoint answers, and %s has none of its own: name one by --base-url", a.Name)
	case !c.record && given["base-url"]:
		return usagef("--cassette answers without an endpoint: leave out --base-url")
	}
	return nil
}

// budgetFlags hold for any agent where the harness sees what is used.
func budgetFlags() []string { return []string{"prices", "max-cost", "max-steps", "max-tokens"} }

// sees reports whether the harness is between agent and model.
func (c *CI) sees() bool { return c.witness || c.run.Script != "" || c.run.Cassette != "" }

// checkWitness finds what is wrong with a witness, and with a budget that needs one.
func (c *CI) checkWitness(given map[string]bool) error {
	switch {
	case c.witness && c.run.Script != "":
		return usagef("%s asks an endpoint, and --script answers without one: leave out one of them; a script is always compared", source("witness", given))
	case c.run.MaxCost > 0 && c.run.PricesFile == "":
		return usagef("%s needs to know what the model costs: name a file by --prices", source("max-cost", given))
	}
	return nil
}

// budget returns what the agent may use, as far as flags say.
func (c *CI) budget() harness.Budget {
	b := harness.Budget{Tokens: c.run.MaxTokens, Cost: c.run.MaxCost, Prices: c.run.PricesFile}
	if c.set.Changed("max-steps") { // the default is that of the built-in agent
		b.Steps = c.run.MaxSteps
	}
	return b
}

// refuseOthers refuses flags that the agent cannot keep; given names those of the
// command line.
func (c *CI) refuseOthers(given map[string]bool, preset bool) (err error) {
	own, name := ownOfCI(), c.name.Value
	c.set.Visit(func(fl *pflag.Flag) {
		foreign, budget := own.Lookup(fl.Name) == nil && !slices.Contains(allowed(preset), fl.Name), slices.Contains(budgetFlags(), fl.Name)
		switch {
		case err != nil:
		case !given[fl.Name] && slices.Contains([]string{"state-dir", "keep-sessions", "clock"}, fl.Name): // of a whole job, and no promise
		case !preset && slices.Contains(presetFlags(), fl.Name):
			err = usagef("%s is for an agent that is started by its preset; with a command leave it out", source(fl.Name, given))
		case budget && preset && c.sees():
		case foreign && !preset:
			err = usagef("%s does nothing with a command; give that its own flags after --", source(fl.Name, given))
		case foreign:
			err = usagef("%s is for the built-in agent and would not hold for %s; %s", source(fl.Name, given), name, ownWay(name, fl.Name))
			if budget {
				err = &UsageError{hint.With(err, "give --witness, so that the harness sees what the agent uses")}
			}
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

// refusePreset refuses the flags about another agent where there is none.
func (c *CI) refusePreset() error {
	for _, name := range presetFlags() {
		if c.set.Changed(name) {
			return usagef("--%s is for another agent: name it by --agent", name)
		}
	}
	return nil
}

// other returns the agent whose stream is converted, nil for none; key is as in
// Options.
func (c *CI) other(p process.Env, key string) *harness.Foreign {
	if !c.foreign() {
		return nil
	}
	f := &harness.Foreign{
		Preset: c.Command == nil, Prompt: c.run.Prompt, Model: c.run.Model, BaseURL: c.run.Endpoint.BaseURL, Script: c.run.Script, Cassette: c.run.Cassette, Record: c.record, Witness: c.witness, Budget: c.budget(),
		Version: c.version, Install: job.InAction(p.Getenv), Args: c.args, RunID: cmp.Or(c.run.RunID, record.NewID(time.Now())),
	}
	f.Agent, _ = adapter.ByName(c.name.Value) // none for auto
	f.PrivateHome = c.home.Value == homePrivate
	if c.home.Value == homeAuto {
		f.PrivateHome = job.InJob(p.Getenv) || f.BaseURL != "" || f.Script != "" || f.Cassette != "" || c.KeyInReach(p, key) != ""
	}
	return f
}
