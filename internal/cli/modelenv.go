package cli

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/jsontext"
	"github.com/openagent-ci/openagent/internal/process"
	"github.com/openagent-ci/openagent/internal/transport"
	"github.com/openagent-ci/openagent/internal/value"
)

// pointer holds the flags of model env.
type pointer struct {
	program           *program
	baseURL, portFile string
	format            value.Choice
}

// maxPortFile bounds a file that holds a port.
const maxPortFile = 64

func (p *program) modelEnvCommand() *cobra.Command {
	e := &pointer{program: p, format: value.NewChoice(formatHuman, "json")}
	cmd := &cobra.Command{
		Use:   "env AGENT (--base-url URL | --port-file FILE) [flags]",
		Short: "Print the variables that point another agent to a served model",
		Long: `Print what has AGENT, one of openagent agents, ask the model that openagent model
serve plays: variables as lines for a shell, a made-up key among them, and before
them as comments the settings that the agent reads from a file and no variable
holds, with the place of that file in the home of the user. Nothing is written.

Exit status: 0 printed, 2 wrong command line, 3 the port file could not be read or
the result not be printed.`,
		Example: `  openagent model serve --script turns.yaml --port-file port &
  eval "$(openagent model env claude --port-file port)"`,
		Args: operands(1, 1, "AGENT"),
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&e.baseURL, "base-url", "", "`URL` that model serve printed")
	fs.StringVar(&e.portFile, "port-file", "", "`file` that model serve wrote its port to")
	fs.Var(&e.format, "format", "how the result is printed")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		agent, err := adapter.ByName(args[0])
		if err != nil {
			return usage("%v", err)
		}
		origin, err := e.origin(cmd.Context())
		if err != nil {
			return err
		}
		return e.print(agent, origin)
	}
	return cmd
}

// origin returns the address of the model without a path.
func (e *pointer) origin(ctx context.Context) (string, error) {
	if (e.baseURL == "") == (e.portFile == "") {
		return "", usage("want --base-url URL or --port-file FILE, and one of them")
	}
	if e.baseURL != "" {
		u, err := url.Parse(e.baseURL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
			return "", usage("--base-url is %q, want a URL that begins with http:// or https://", value.Shown(e.baseURL))
		}
		return strings.TrimSuffix(strings.TrimRight(e.baseURL, "/"), "/v1"), nil
	}
	in, err := e.program.Input(ctx, e.portFile)
	if err != nil {
		return "", &statusError{StatusDelivery, fmt.Errorf("read port file: %w", err)}
	}
	defer in.Close()
	text, err := process.ReadUpTo(in, e.portFile, maxPortFile)
	if err != nil {
		return "", &statusError{StatusDelivery, fmt.Errorf("read port file: %w", err)}
	}
	port, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 16)
	if err != nil || port == 0 {
		return "", &statusError{StatusDelivery, fmt.Errorf("read port file %s: it holds no port", value.Shown(e.portFile))}
	}
	return fmt.Sprintf("http://127.0.0.1:%d", port), nil
}

// print prints what points the agent to the model.
func (e *pointer) print(agent *adapter.Agent, origin string) error {
	env, files := settings(agent, origin)
	if e.format.Value != formatHuman {
		return e.program.say("%s\n", jsontext.MustMarshal(map[string]any{"agent": agent.Name, "env": env, "files": files}))
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&b, "# %s:\n", name)
		for line := range strings.Lines(files[name]) {
			fmt.Fprintf(&b, "#   %s\n", strings.TrimRight(line, "\n"))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		fmt.Fprintf(&b, "export %s='%s'\n", name, strings.ReplaceAll(env[name], "'", `'\''`))
	}
	return e.program.say("%s", b.String())
}

// settings returns the variables that point an agent to the model, and of its files
// those of which no variable holds the text.
func settings(agent *adapter.Agent, origin string) (env, files map[string]string) {
	env, files = map[string]string{}, map[string]string{}
	for _, entry := range agent.Point("", origin, transport.ModelName).Env {
		name, text, _ := strings.Cut(entry, "=")
		env[name] = strings.TrimSuffix(text, "\n")
	}
	const home = "~"
	at := agent.Point(home, origin, transport.ModelName)
	for name, text := range at.Files {
		file := path.Join(home, name)
		if !slices.ContainsFunc(at.Env, func(entry string) bool { return strings.HasSuffix(entry, "="+file) }) {
			files[file] = text
		}
	}
	return env, files
}
