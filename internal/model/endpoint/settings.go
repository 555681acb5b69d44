package endpoint

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// maxPortFile bounds a file that holds a port.
const maxPortFile = 64

// ParseOrigin returns the address of a model without a path, as it is printed where
// one is served.
func ParseOrigin(baseURL string) (string, error) {
	u, err := url.Parse(baseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "", errors.New("want a URL that begins with http:// or https://")
	}
	return strings.TrimSuffix(strings.TrimRight(baseURL, "/"), "/v1"), nil
}

// WritePort writes the port of the model at origin to a file, unless that has no name.
func WritePort(target, origin string) error {
	if target == "" {
		return nil
	}
	port := origin[strings.LastIndexByte(origin, ':')+1:]
	if err := file.Replace(target, []byte(port+"\n")); err != nil {
		return fmt.Errorf("write port file: %w", err)
	}
	return nil
}

// ReadPort returns the address of the model whose port is in a file.
func ReadPort(ctx context.Context, p *process.Process, target string) (origin string, err error) {
	in, err := p.Input(ctx, target)
	if err != nil {
		return "", fmt.Errorf("read port file: %w", err)
	}
	defer in.Close()
	text, err := process.ReadUpTo(in, target, maxPortFile)
	if err != nil {
		return "", fmt.Errorf("read port file: %w", err)
	}
	port, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 16)
	if err != nil || port == 0 {
		return "", fmt.Errorf("read port file %s: it holds no port", redact.Shown(target))
	}
	return fmt.Sprintf("http://127.0.0.1:%d", port), nil
}

// Settings are what points an agent to a model: variables, and those files of which
// no variable holds the text, by their path in the home of the user.
type Settings struct {
	Agent string            `json:"agent"`
	Env   map[string]string `json:"env"`
	Files map[string]string `json:"files"`
}

// Point returns what points the agent to the model at origin.
func Point(agent *adapter.Agent, origin string) Settings {
	s := Settings{agent.Name, map[string]string{}, map[string]string{}}
	for _, entry := range agent.Point("", origin, transport.ModelName).Env {
		name, text, _ := strings.Cut(entry, "=")
		s.Env[name] = strings.TrimSuffix(text, "\n")
	}
	const home = "~"
	at := agent.Point(home, origin, transport.ModelName)
	for name, text := range at.Files {
		target := path.Join(home, name)
		if !slices.ContainsFunc(at.Env, func(entry string) bool { return strings.HasSuffix(entry, "="+target) }) {
			s.Files[target] = text
		}
	}
	return s
}

// Shell returns the variables as lines for a shell, and the files as comments before
// them.
func (s Settings) Shell() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		fmt.Fprintf(&b, "# %s:\n", name)
		for line := range strings.Lines(s.Files[name]) {
			fmt.Fprintf(&b, "#   %s\n", strings.TrimRight(line, "\n"))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		fmt.Fprintf(&b, "export %s='%s'\n", name, strings.ReplaceAll(s.Env[name], "'", `'\''`))
	}
	return b.String()
}
