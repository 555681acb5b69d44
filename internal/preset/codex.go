package preset

import (
	"fmt"
	"slices"
	"strings"
)

// Codex gives the user's endpoint a provider of its own: the built-in one
// tries WebSockets first. Of analytics the program waits for the end of, unless
// they are off. A snapshot of the shell is a file of all variables, the key too,
// which stays where the program is killed.
func Codex(l Launch) Start {
	s := Start{Args: []string{"exec", "--json", "--skip-git-repo-check", "-C", l.Dir}, Stdin: l.Prompt}
	if l.Model != "" {
		s.Args = append(s.Args, "-m", l.Model)
	}
	if !slices.ContainsFunc(l.Args, choosesSandbox) {
		s.Args = append(s.Args, "-s", "workspace-write") // without it nothing can be written
	}
	if l.OutputSchema != "" {
		s.Args = append(s.Args, "--output-schema", l.OutputSchema)
	}
	if l.Home == "" {
		s.Args = append(s.Args, codexFlags(l)...)
	} else {
		s.Files = map[string]string{".codex/config.toml": codexConfig(l)}
	}
	s.Args = append(s.Args, l.Args...)
	s.Args = append(s.Args, "-")
	return s
}

// codexConfig returns the configuration of a home of the run's own.
func codexConfig(l Launch) string {
	const off = "[analytics]\nenabled = false\n\n[features]\nshell_snapshot = false\n"
	if l.BaseURL == "" {
		return off
	}
	provider := fmt.Sprintf("model_provider = \"openagent\"\n\n[model_providers.openagent]\nname = \"openagent\"\nbase_url = %q\nwire_api = \"responses\"\n", l.BaseURL)
	if l.Key != "" {
		provider += fmt.Sprintf("env_key = %q\n", l.Key)
	}
	return provider + "\n" + off
}

// codexFlags are the same settings for the user's home, in which nothing is
// written.
func codexFlags(l Launch) []string {
	flags := []string{"-c", "analytics.enabled=false", "-c", "features.shell_snapshot=false"}
	if l.BaseURL == "" {
		return flags
	}
	provider := fmt.Sprintf(`name="openagent",base_url=%q,wire_api="responses"`, l.BaseURL)
	if l.Key != "" {
		provider += fmt.Sprintf(",env_key=%q", l.Key)
	}
	return append(flags, "-c", `model_provider="openagent"`, "-c", "model_providers.openagent={"+provider+"}")
}

// choosesSandbox reports whether an argument says what commands may do.
func choosesSandbox(arg string) bool {
	for _, option := range []string{"--sandbox", "--dangerously-bypass-approvals-and-sandbox", "--approve-for-me", "sandbox_mode", "--config=sandbox_mode"} {
		if rest, ok := strings.CutPrefix(arg, option); ok && (rest == "" || strings.HasPrefix(strings.TrimSpace(rest), "=")) {
			return true
		}
	}
	return strings.HasPrefix(arg, "-s") || strings.HasPrefix(arg, "-csandbox_mode")
}
