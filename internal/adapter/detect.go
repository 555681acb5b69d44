package adapter

// contract is the name under which detection returns our own stream.
const contract = "openagent"

// Detect returns the name of the agent whose stream begins with the line, or
// openagent for a stream of the contract, empty for none that is known.
func Detect(raw []byte) string {
	line, why := readLine(raw)
	if why != "" {
		return ""
	}
	return detect(line)
}

func detect(line object) string {
	if line.get("schema_version").is('"') {
		return contract
	}
	for _, a := range agents {
		if a.begins(line) {
			return a.Name
		}
	}
	return ""
}

// typeOf names the type of a line, with its subtype where it has one.
func typeOf(line object) string {
	name := line.str("type")
	if name == "" {
		return "(no type)"
	}
	if sub := line.str("subtype"); sub != "" {
		name += "/" + sub
	}
	return name
}
