package preset

// geminiQuiet are the settings of a private home, geminiAuth the one that makes
// the program use a key: it asks for it where there is a base URL.
const (
	geminiQuiet = `"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},` +
		`"general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":false}`
	geminiAuth = `"security":{"auth":{"selectedType":"gemini-api-key"}}`
)

// Gemini trusts the folder: nobody can be asked whether to.
func Gemini(l Launch) Start {
	s := Start{
		Args: []string{"--output-format", "stream-json", "--skip-trust"}, Stdin: l.Prompt,
		Env: []string{"GEMINI_TELEMETRY_ENABLED=false"},
	}
	if l.Model != "" {
		s.Args = append(s.Args, "-m", l.Model)
	}
	if l.BaseURL != "" {
		s.Env = append(s.Env, "GOOGLE_GEMINI_BASE_URL="+l.BaseURL)
	}
	if l.Home != "" {
		settings := geminiQuiet
		if l.Key != "" {
			settings = geminiAuth + "," + geminiQuiet
		}
		s.Files = map[string]string{".gemini/settings.json": "{" + settings + "}\n"}
	}
	s.Args = append(s.Args, l.Args...)
	return s
}
