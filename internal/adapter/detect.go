package adapter

import "github.com/openagent-ci/openagent/internal/adapter/raw"

// Contract is the name under which detection returns a stream of the contract.
const Contract = "openagent"

// MaxUndecided is the number of readable lines that may come before the one that shows
// whose stream it is: hooks, plugins and notices.
const MaxUndecided = 64

// Detect returns the name of the agent whose stream or list of events the line begins,
// Contract, or nothing for a line that decides nothing; readable is false for a line
// that belongs to no stream.
func Detect(text []byte) (name string, readable bool) {
	line, why := raw.Read(text)
	if why != "" {
		line = raw.Whole(text)
	}
	return detect(line), why == "" || line != nil
}

func detect(line object) string {
	if line.Get("schema_version").Is('"') {
		return Contract
	}
	for _, a := range agents {
		if a.begins(line) {
			return a.Name
		}
	}
	return ""
}
