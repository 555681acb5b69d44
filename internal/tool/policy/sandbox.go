package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"github.com/openagent-ci/openagent/internal/text/nearest"
)

// Sandbox is what a policy file asks of the wall round commands. The zero value
// asks nothing.
type Sandbox struct {
	// Mode and Network are empty where the file says nothing.
	Mode, Network string
	// Read and Write are paths as the file has them.
	Read, Write []string
	Presets     []string
}

type fileSandbox struct {
	Mode    yaml.Node `yaml:"mode"`
	Network yaml.Node `yaml:"network"`
	Read    []string  `yaml:"read"`
	Write   []string  `yaml:"write"`
	Presets []string  `yaml:"presets"`
}

// loadSandbox reads the mapping sandbox of a file.
func loadSandbox(n *yaml.Node) (s Sandbox, err error) {
	if n.IsZero() {
		return s, nil
	}
	var fs fileSandbox
	if err := load(n, &fs); err != nil {
		return s, refusal(n.Line, err)
	}
	s = Sandbox{Read: fs.Read, Write: fs.Write, Presets: fs.Presets}
	for _, word := range []struct {
		name  string
		node  *yaml.Node
		to    *string
		among []string
	}{
		{"mode", &fs.Mode, &s.Mode, []string{"auto", "require", "off"}},
		{"network", &fs.Network, &s.Network, []string{"on", "loopback", "off"}},
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
	if s.Mode == "off" && (len(s.Read)+len(s.Write)+len(s.Presets) > 0 || s.Network != "" && s.Network != "on") {
		return s, refusal(line(n, &fs.Mode), errors.New("the sandbox is off and more is asked of it: leave out one of them"))
	}
	return s, nil
}
