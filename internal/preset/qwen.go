package preset

// qwenSettings turn off what qwen sends and fetches by itself.
const qwenSettings = `{"privacy":{"usageStatisticsEnabled":false},"general":{"enableAutoUpdate":false},"telemetry":{"enabled":false}}` + "\n"

// Qwen has the endpoint and the model in its environment.
func Qwen(l Launch) Start {
	s := Start{Args: []string{"--output-format", "stream-json", "--auth-type", "openai"}, Stdin: l.Prompt}
	s.Args = append(s.Args, l.Args...)
	if l.Model != "" {
		s.Env = append(s.Env, "OPENAI_MODEL="+l.Model)
	}
	if l.BaseURL != "" {
		s.Env = append(s.Env, "OPENAI_BASE_URL="+l.BaseURL)
	}
	if l.Home != "" {
		s.Files = map[string]string{".qwen/settings.json": qwenSettings}
	}
	return s
}
