package toolname

// The neutral names.
const (
	execute = "execute_command"
	read    = "read_file"
	write   = "write_file"
)

// Names returns the neutral names.
func Names() []string { return []string{execute, read, write} }

// row is a tool of an agent.
type row struct {
	tool, neutral string
	// names are the tool's, by the neutral names of the arguments.
	names map[string]string
	// absolute says that a path is given whole.
	absolute bool
	// wrapped says that a command is shown with the shell that runs it.
	wrapped bool
}

// table is the tools that are known; of those on offer the first is called. Names
// and schemas are from requests of the agents.
var table = []row{
	runs(execute, "command"),             // our own agent
	runs("exec_command", "cmd"),          // codex
	runs("shell_command", "command"),     // codex
	runs("shell", "command"),             // codex
	runs("run_shell_command", "command"), // gemini, qwen
	runs("Bash", "command"),              // claude
	runs("bash", "command"),              // opencode, copilot
	{tool: "command_execution", neutral: execute, names: map[string]string{"command": "command"}, wrapped: true}, // codex, in its stream

	{tool: read, neutral: read, names: map[string]string{"path": "path"}}, // our own agent
	reads(read, "file_path"),     // gemini, qwen
	reads(read, "absolute_path"), // gemini, qwen: older versions
	reads("Read", "file_path"),   // claude
	reads("read", "filePath"),    // opencode
	reads("view", "path"),        // copilot

	{tool: write, neutral: write, names: map[string]string{"path": "path", "content": "content"}}, // our own agent
	writes(write, "file_path", "content"),   // gemini, qwen
	writes("Write", "file_path", "content"), // claude
	writes("write", "filePath", "content"),  // opencode
	writes("create", "path", "file_text"),   // copilot
}

func runs(tool, command string) row {
	return row{tool: tool, neutral: execute, names: map[string]string{"command": command}}
}

// reads returns a tool that asks for absolute paths, as most do, and writes too.
func reads(tool, path string) row {
	return row{tool: tool, neutral: read, names: map[string]string{"path": path}, absolute: true}
}

func writes(tool, path, content string) row {
	return row{tool: tool, neutral: write, names: map[string]string{"path": path, "content": content}, absolute: true}
}
