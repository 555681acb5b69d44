// Package preset is how the programs of other agents are started: arguments,
// environment and files of configuration, one file per agent. None turns on by
// itself that a program skips its checks, but for copilot, which refuses each tool
// without that.
package preset

// Launch is what a run asks of an agent's program. What is empty is left to the
// program.
type Launch struct {
	// Dir is the folder to work in; Home, unless empty, a fresh folder that
	// takes the place of the user's, with the program's configuration.
	Dir, Home      string
	Model, BaseURL string
	// Key is the variable under which the program is given a key.
	Key    string
	Prompt string
	// OutputSchema is the file of the schema that the answer has to fit.
	OutputSchema string
	// Args are the user's own, last on the command line but for the prompt.
	Args []string
}

// Start is how a program is started.
type Start struct {
	Args  []string          // behind the program's name
	Stdin string            // the prompt of a program that reads it there
	Env   []string          // NAME=value, beside the environment of the job
	Files map[string]string // by path below Launch.Home, written before
}
