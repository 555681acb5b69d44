package tool

// CommandPromoted is the disposition of a command that goes on as a task.
const CommandPromoted Disposition = "promoted_to_task"

// TaskKind is what a task handle says of its task; commands are all there is.
const TaskKind = "command_task"

// TaskStatus says how a task stands.
type TaskStatus string

// The statuses of a task: only a completed one has an exit status.
const (
	TaskRunning   TaskStatus = "running"
	TaskCompleted TaskStatus = "completed"
	TaskSignaled  TaskStatus = "signaled"
	TaskTimedOut  TaskStatus = "timed_out"
	TaskStopped   TaskStatus = "stopped"
	TaskCancelled TaskStatus = "cancelled"
)

// Retrieval says whether a task's output is all there is to come.
type Retrieval string

// The answers to who asks for a task's output.
const (
	RetrievalReady   Retrieval = "ready"
	RetrievalRunning Retrieval = "running"
)

// TaskStart is a command that goes on as a task: complete, before any bound.
type TaskStart struct {
	TaskID string
	// Output is what it printed so far, both streams as they came.
	Output Stream
}

// TaskPromotion is the canonical payload of such a command.
type TaskPromotion struct {
	Disposition   Disposition `json:"disposition"`
	TaskHandle    TaskHandle  `json:"task_handle"`
	InitialOutput *string     `json:"initial_output_preview"`
	// InitialOutputTruncated reports that it printed more than the preview.
	InitialOutputTruncated bool `json:"initial_output_truncated"`
}

// TaskHandle is how a task is called in later calls.
type TaskHandle struct {
	TaskID string `json:"task_id"`
	Kind   string `json:"kind"`
}

// TaskOutput is how a task stands and what it printed so far: complete, before
// any bound.
type TaskOutput struct {
	Task   Task
	Output Stream
}

// Task is how a task stands.
type Task struct {
	TaskID string     `json:"task_id"`
	Status TaskStatus `json:"status"`
	// ExitStatus is nil unless the task completed.
	ExitStatus *int64 `json:"exit_status"`
}

// TaskReport is the canonical payload of task_output and task_stop.
type TaskReport struct {
	RetrievalStatus Retrieval `json:"retrieval_status"`
	Task            Task      `json:"task"`
	// OutputPreview is nil while the task has printed nothing.
	OutputPreview   *string    `json:"output_preview"`
	OutputTruncated bool       `json:"output_truncated"`
	Artifacts       []Artifact `json:"artifacts"`
	// OutputArtifact is an index in Artifacts.
	OutputArtifact *int `json:"output_artifact"`
}
