package flags

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/model/endpoint"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// ModelClient holds the flags of commands that run another one with a model on this
// machine.
type ModelClient struct {
	agent    agentName
	options  endpoint.Options
	portFile string
	redact   Lines
}

// NewModelClient returns the flags with their defaults.
func NewModelClient() *ModelClient {
	return &ModelClient{agent: agentName{NewChoice(append([]string{"auto"}, adapter.Names()...)...)}}
}

// Register adds the flags to fs.
func (m *ModelClient) Register(fs *pflag.FlagSet) {
	fs.SortFlags = false
	fs.StringVar(&m.options.Cassette, "cassette", "", "`file` of recorded replies")
	fs.Var(&m.agent, "agent", "agent that COMMAND runs; auto knows it by the name of the program")
	fs.StringVar(&m.options.Model, "model", "", "`name` of the model, for an agent whose configuration has it")
	fs.StringVar(&m.portFile, "port-file", "", "write the port number to this `file` before COMMAND starts")
	fs.Var(&m.redact, "redact", "secret to keep out of the cassette and what is printed; may be given several times")
}

// Options returns what is run, by the flags and args, of which the dashes stand
// before the one at dash, -1 for nowhere.
func (m *ModelClient) Options(args []string, dash int) (endpoint.Options, error) {
	switch {
	case dash > 0, dash < 0 && len(args) > 0:
		return m.options, usagef("%q stands before --; the command comes behind it", redact.Shown(args[0]))
	case len(args) == 0 || args[0] == "":
		return m.options, usagef("no command: give it after --")
	case m.options.Cassette == "":
		return m.options, usagef("no cassette: give --cassette FILE")
	}
	name := m.agent.Value
	if name == "auto" {
		name = strings.TrimSuffix(filepath.Base(args[0]), ".exe")
	}
	o := m.options
	o.Agent, _ = adapter.ByName(name) // none is one that is not known
	o.Command, o.Secrets = args, m.redact
	o.Started = func(origin string) error { return endpoint.WritePort(m.portFile, origin) }
	return o, nil
}

// ServedModel holds the flags that say where a model is served.
type ServedModel struct{ baseURL, portFile string }

// Register adds the flags to fs.
func (m *ServedModel) Register(fs *pflag.FlagSet) {
	fs.SortFlags = false
	fs.StringVar(&m.baseURL, "base-url", "", "`URL` that model serve printed")
	fs.StringVar(&m.portFile, "port-file", "", "`file` that model serve wrote its port to")
}

// Origin returns the address of the model without a path. Its error is one of usage,
// or that of a file that cannot be read.
func (m *ServedModel) Origin(ctx context.Context, p *process.Process) (string, error) {
	if (m.baseURL == "") == (m.portFile == "") {
		return "", usagef("want --base-url URL or --port-file FILE, and one of them")
	}
	if m.portFile != "" {
		return endpoint.ReadPort(ctx, p, m.portFile)
	}
	origin, err := endpoint.ParseOrigin(m.baseURL)
	if err != nil {
		err = usagef("--base-url is %q, %w", redact.Shown(m.baseURL), err)
	}
	return origin, err
}
