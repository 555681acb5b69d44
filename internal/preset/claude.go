package preset

import "strings"

// Claude turns off what the program sends and fetches by itself.
func Claude(l Launch) Start {
	s := Start{
		Args:  []string{"-p", "--output-format", "stream-json", "--verbose"},
		Stdin: l.Prompt,
		Env:   []string{"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"},
	}
	if l.Model != "" {
		s.Args = append(s.Args, "--model", l.Model)
	}
	s.Args = append(s.Args, l.Args...)
	if l.BaseURL != "" { // the program adds /v1 by itself
		s.Env = append(s.Env, "ANTHROPIC_BASE_URL="+strings.TrimSuffix(strings.TrimSuffix(l.BaseURL, "/"), "/v1"))
	}
	return s
}
