package tool

// ErrorKind is a listed reason for a failed call. Results written by this
// program hold only listed kinds; loading accepts any that is not empty.
type ErrorKind string

// The closed list of error kinds.
const (
	KindInvalidInput         ErrorKind = "invalid_tool_input"
	KindUnknownTool          ErrorKind = "unknown_tool"
	KindPathOutsideWorkspace ErrorKind = "path_outside_workspace"
	KindProtectedPath        ErrorKind = "protected_path"
	KindNotFound             ErrorKind = "not_found"
	KindNotRegularFile       ErrorKind = "not_regular_file"
	KindAlreadyExists        ErrorKind = "already_exists"
	KindTooLarge             ErrorKind = "too_large"
	KindIO                   ErrorKind = "io_error"
	KindCommandSpawnFailed   ErrorKind = "command_spawn_failed"
	KindCommandTimedOut      ErrorKind = "command_timed_out"
	KindGitFailed            ErrorKind = "git_failed"
	KindNothingToCommit      ErrorKind = "nothing_to_commit"
	KindCallIncomplete       ErrorKind = "tool_call_incomplete"
	KindCallMalformed        ErrorKind = "tool_call_malformed"
	KindUnknownTask          ErrorKind = "unknown_task"
	KindPolicyDenied         ErrorKind = "policy_denied"
	KindRepeatedCall         ErrorKind = "repeated_call"
	KindLimitReached         ErrorKind = "limit_reached"
	KindCancelled            ErrorKind = "cancelled"
	KindInterrupted          ErrorKind = "interrupted"
	KindToolPanicked         ErrorKind = "tool_panicked"
	KindServerTool           ErrorKind = "server_tool_failed"
	KindServerRefused        ErrorKind = "server_refused"
	KindServerGone           ErrorKind = "server_gone"
	KindServerTimedOut       ErrorKind = "server_timed_out"
)

// FailureClass groups error kinds for tool_retry events.
type FailureClass string

// The failure classes of the event contract.
const (
	ClassSchema           FailureClass = "E_SCHEMA"
	ClassPolicy           FailureClass = "E_POLICY"
	ClassTimeoutTransient FailureClass = "E_TIMEOUT_TRANSIENT"
	ClassNetworkTransient FailureClass = "E_NETWORK_TRANSIENT"
	ClassNonIdempotent    FailureClass = "E_NON_IDEMPOTENT"
	ClassOther            FailureClass = "E_OTHER"
)
