package adapter

import "github.com/openagent-ci/openagent/internal/adapter/raw"

// Contract is the name under which detection returns a stream of the contract.
const Contract = "openagent"

// Detect returns the name of the agent whose stream begins with the line,
// Contract, or nothing for a stream that is not known; readable is false for a
// line that belongs to none.
func Detect(text []byte) (name string, readable bool) {
	line, why := raw.Read(text, nil)
	if why != "" {
		return "", false
	}
	return detect(line), true
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
