package preset

// Copilot lets all tools run: without that it refuses each of them when
// nobody can be asked. An endpoint of the user's needs no login, and then the
// program calls nobody else.
func Copilot(l Launch) Start {
	s := Start{Args: []string{"--output-format", "json", "--allow-all-tools", "--no-auto-update"}, Stdin: l.Prompt}
	if l.BaseURL == "" {
		s.Args = append(s.Args, "--disable-client-telemetry")
		if l.Model != "" {
			s.Args = append(s.Args, "--model", l.Model)
		}
	} else {
		s.Env = append(s.Env, "COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL="+l.BaseURL)
		if l.Model != "" {
			s.Env = append(s.Env, "COPILOT_MODEL="+l.Model)
		}
	}
	s.Args = append(s.Args, l.Args...)
	return s
}
