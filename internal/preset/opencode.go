package preset

import (
	"path/filepath"

	"github.com/openagent-ci/openagent/internal/jsontext"
)

// opencodeProvider is the name of the provider that a base URL makes.
const opencodeProvider = "endpoint"

// Opencode hands the whole configuration over as one file, or as text where
// nothing may be written into the user's home.
func Opencode(l Launch) Start {
	s := Start{
		// A title of ours spares the request for one.
		Args: []string{"run", "--format", "json", "--title", "run"}, Stdin: l.Prompt,
		Env: []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1"},
	}
	model := l.Model
	if model != "" && l.BaseURL != "" {
		model = opencodeProvider + "/" + model
	}
	if model != "" {
		s.Args = append(s.Args, "-m", model)
	}
	s.Args = append(s.Args, l.Args...)
	if l.Dir != "" { // the program believes this before the folder that it is in
		s.Env = append(s.Env, "PWD="+l.Dir)
	}
	config := opencodeConfig(l)
	switch {
	case l.Home != "":
		s.Files = map[string]string{"opencode.json": config}
		s.Env = append(s.Env, "OPENCODE_CONFIG="+filepath.Join(l.Home, "opencode.json"))
	case l.BaseURL != "":
		s.Env = append(s.Env, "OPENCODE_CONFIG_CONTENT="+config)
	}
	return s
}

// opencodeConfig returns the configuration of a run: with a base URL, the
// provider behind that.
func opencodeConfig(l Launch) string {
	type model struct {
		Name string `json:"name"`
	}
	type provider struct {
		NPM     string            `json:"npm"`
		Name    string            `json:"name"`
		Options map[string]string `json:"options"`
		Models  map[string]model  `json:"models"`
	}
	config := struct {
		AutoUpdate bool                `json:"autoupdate"`
		Share      string              `json:"share"`
		Provider   map[string]provider `json:"provider,omitempty"`
	}{Share: "disabled"}
	if l.BaseURL != "" {
		p := provider{NPM: "@ai-sdk/openai-compatible", Name: opencodeProvider, Options: map[string]string{"baseURL": l.BaseURL}, Models: map[string]model{}}
		if l.Key != "" {
			p.Options["apiKey"] = "{env:" + l.Key + "}"
		}
		if l.Model != "" {
			p.Models[l.Model] = model{l.Model}
		}
		config.Provider = map[string]provider{opencodeProvider: p}
	}
	text, err := jsontext.Marshal(config)
	if err != nil {
		panic(err) // strings and booleans always encode
	}
	return string(text) + "\n"
}
