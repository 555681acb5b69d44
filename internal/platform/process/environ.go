package process

import "strings"

// promptVariable names the file that has the prompt of any agent.
const promptVariable = "OPENAGENT_PROMPT_FILE"

// ForeignEnviron returns the environment for a program that is not ours: all but
// what is meant for us alone. The prompt is the agent's.
func (p Env) ForeignEnviron() []string {
	return Chosen(p.Environ(), func(name string) bool {
		return !strings.HasPrefix(name, "OPENAGENT_") && !strings.HasPrefix(name, "OTEL_") || name == promptVariable
	})
}

// Chosen returns the entries of an environment whose names may be in it.
func Chosen(environ []string, may func(name string) bool) []string {
	var env []string
	for _, entry := range environ {
		if name, _, _ := strings.Cut(entry, "="); may(name) {
			env = append(env, entry)
		}
	}
	return env
}

// BesideProxy returns the variables by which programs ask this machine by
// themselves where they ask others by a proxy.
func (p Env) BesideProxy() (env []string) {
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		list := "127.0.0.1"
		if others := p.Getenv(name); others != "" {
			list = others + "," + list
		}
		env = append(env, name+"="+list)
	}
	return env
}
