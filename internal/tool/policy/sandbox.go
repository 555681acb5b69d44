package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"github.com/openagent-ci/openagent/internal/sandbox"
	"github.com/openagent-ci/openagent/internal/text/nearest"
)

type fileSandbox struct {
	Mode    yaml.Node `yaml:"mode"`
	Network yaml.Node `yaml:"network"`
	Read    []string  `yaml:"read"`
	Write   []string  `yaml:"write"`
	Presets []string  `yaml:"presets"`
}

// loadSandbox reads the mapping sandbox of a file. Its paths are as the file has them.
func loadSandbox(n *yaml.Node) (s sandbox.Policy, err error) {
	if n.IsZero() {
		return s, nil
	}
	var fs fileSandbox
	if err := load(n, &fs); err != nil {
		return s, refusal(n.Line, err)
	}
	s = sandbox.Policy{Read: fs.Read, Write: fs.Write, Presets: fs.Presets}
	for _, word := range []struct {
		name  string
		node  *yaml.Node
		to    *string
		among []string
	}{
		{"mode", &fs.Mode, (*string)(&s.Mode), []string{"auto", "require", "off"}},
		{"network", &fs.Network, (*string)(&s.Network), []string{"on", "loopback", "off"}},
	} {
		if *word.to, err = loadString(n, word.node); err != nil {
			return s, err
		}
		if !word.node.IsZero() && !slices.Contains(word.among, *word.to) {
			return s, refusal(line(n, word.node), fmt.Errorf("%s of the sandbox is %s, want %s or %s", word.name, nearest.Quote(*word.to),
				strings.Join(word.among[:2], ", "), word.among[2]))
		}
	}
	for _, name := range slices.Concat(s.Read, s.Write, s.Presets) {
		if strings.TrimSpace(name) == "" {
			return s, refusal(n.Line, errors.New("an empty name in a list of the sandbox"))
		}
	}
	if s.Mode == sandbox.Off && (len(s.Read)+len(s.Write)+len(s.Presets) > 0 || s.Network != "" && s.Network != sandbox.NetworkOn) {
		return s, refusal(line(n, &fs.Mode), errors.New("the sandbox is off and more is asked of it: leave out one of them"))
	}
	return s, nil
}
