package session

import (
	"io"
	"time"

	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/model/provider"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/sandbox"
)

// Options say what one run of the agent does, and where it goes. Names of files
// are as the user gave them, relative to the folder of the process.
type Options struct {
	// Version is that of the agent.
	Version string
	// Flags are the effective flags of the command line, without secrets, as the
	// run record keeps them.
	Flags map[string]any

	// Prompt is what the agent is asked, or "-" for standard input; without one
	// PromptFile has it, and without that the demo.
	Prompt, PromptFile string
	// TaskFile replaces the task part of the system prompt, if it is named.
	TaskFile string
	// Instructions are files of the workspace whose texts are added to the system
	// prompt as the repository's own.
	Instructions []string
	// Workspace is the folder of the run. The demo makes one of its own unless
	// it was asked for.
	Workspace      string
	WorkspaceGiven bool

	Model    string
	Endpoint Endpoint
	// APIGiven reports that the endpoint's API was asked for: a replay uses the
	// recorded one unless it was.
	APIGiven bool
	// Calls is how the model makes tool calls.
	Calls agent.CallMode
	// OutputSchema is the file of the JSON Schema that the final text has to fit, empty
	// for any text; OutputAttempts is how many more times the model is asked for one,
	// OutputVia how it learns the schema: OutputByPrompt or OutputByAPI.
	OutputSchema   string
	OutputAttempts int64
	OutputVia      string
	// Script and Cassette are files that stand in for an endpoint; at most one
	// of them is named.
	Script, Cassette string
	CassetteMode     string // CassetteReplay and the like
	// KeyFile has the endpoint's key, or what a harness hands over in its place.
	KeyFile string

	PolicyFile            string
	AllowTools, DenyTools []string
	OnDeny                string // DenyContinue or DenyStop
	PassEnv               []string
	// MCPConfig is the file that names MCP servers, empty for none.
	MCPConfig string
	// Sandbox is what the command line asks of the wall round commands, with
	// absolute paths; Mode and Network are empty where it says nothing. Where
	// commands are and what stays hidden from them is not in it.
	Sandbox sandbox.Policy
	Redact  []string

	MaxSteps, MaxToolCalls, MaxTokens int64 // 0 for no limit
	// PricesFile says what models cost, empty for nothing; MaxCost is in US
	// dollars, 0 for no limit.
	PricesFile                string
	MaxCost                   float64
	Timeout, ToolTimeout      time.Duration
	MaxToolOutput, MaxContext int64 // in bytes

	// Session is the one that is continued or begun, empty for a new one.
	Session              string
	KeepSessions         time.Duration // 0 for ever
	HistoryWindow        int64         // messages
	Consolidate          bool
	ConsolidateThreshold int64
	ConsolidateKeep      float64

	// Resume names the run that this one goes on with, by its evidence, its run folder
	// or its id; empty for none.
	Resume string

	// StateDir is for what outlives the run, empty for the user's own folder.
	StateDir string
	// ArtifactsDir is the folder that a harness gives for the run record, empty
	// for the state folder.
	ArtifactsDir string
	// Events is the file of the internal event log, empty for none.
	Events string
	RunID  string     // empty for a random one
	Clock  *time.Time // where a fixed clock begins, nil for the real one

	// People makes what shows people the run on the given writer, a Picture or
	// not; stdout then has the final output. Without it stdout is the event stream.
	People func(w io.Writer) event.Sink
	// Stream keeps the model's text in the event log as it arrives.
	Stream bool
}

// What Options.OnDeny says.
const (
	DenyContinue = "continue" // the model reads why
	DenyStop     = "stop"     // the run ends
)

// What Options.OutputVia says.
const (
	OutputByPrompt = "prompt"
	OutputByAPI    = "api" // as well
)

// Endpoint says where the model is, and how it is asked.
type Endpoint struct {
	BaseURL       string // empty for the usual one
	API           provider.API
	Attempts      int64 // at one request
	RetryFor      time.Duration
	Timeout       time.Duration // for the endpoint to send anything
	Header, Query []provider.Pair
	Edits         provider.Edits
	Parameters    provider.Parameters
}
