// Package archive stores the evidence of many runs as Parquet tables that common
// engines read.
//
// An archive is a folder. Each table has a folder of its own and in it one for each day
// (date=2026-03-03), as Hive partitions data. Files are never changed once they have
// their names; those about runs of one add come last in the table runs, so that what a
// row of runs speaks of is there.
package archive

import (
	"slices"
	"time"
)

// Version names the form of an archive, Revision counts what was added to it.
const (
	Version  = "openagent.archive.v1"
	Revision = 1
)

// Names of the tables.
const (
	tableRuns      = "runs"
	tableSteps     = "steps"
	tableToolCalls = "tool_calls"
	tableFindings  = "findings"
	tableScenarios = "scenarios"
	tableEvents    = "events"
)

// table is one of the tables, in the order in which files of one add get their names.
type table struct {
	name, doc string
	row       any // the zero value of a row
	// key is the column that names the evidence which a row is of.
	key string
}

var tables = []table{
	{tableSteps, "One row for each model turn.", stepRow{}, "run_key"},
	{tableToolCalls, "One row for each life of a tool call: detected, decided, run.", toolCallRow{}, "run_key"},
	{tableFindings, "One row for each finding that the evidence lists, and one for each rule of which it only counts findings.", findingRow{}, "run_key"},
	{tableEvents, "One row for each line of the stream that is an event, without texts beyond the preview.", eventRow{}, "run_key"},
	{tableScenarios, "One row for each scenario in results of `openagent test --out`.", scenarioRow{}, "results_key"},
	{tableRuns, "One row for each run. A run is in the archive once its row is here.", runRow{}, "run_key"},
}

// The rows. A pointer is a column that may be null; doc describes the column.

type runRow struct {
	RunKey            string     `parquet:"run_key" doc:"SHA-256 of the manifest, in hex: one row for the same evidence, however often it is added"`
	RunID             string     `parquet:"run_id" doc:"the agent's own id of the run, empty when no line carried one; nothing keeps two runs from having the same"`
	ParentRunID       *string    `parquet:"parent_run_id,dict" doc:"the run that started this one"`
	AgentName         *string    `parquet:"agent_name,dict" doc:"the agent, as it says"`
	AgentVersion      *string    `parquet:"agent_version,dict" doc:"its version, as it says"`
	Model             *string    `parquet:"model,dict" doc:"the model, as the agent says"`
	Provider          *string    `parquet:"provider,dict" doc:"its provider, as the agent says"`
	SourceFormat      *string    `parquet:"source_format,dict" doc:"the agent whose own stream was converted; null where it printed the contract"`
	SourceMapping     *string    `parquet:"source_mapping,dict" doc:"the rules of that conversion, with their version"`
	Decisions         *string    `parquet:"decisions,dict" doc:"observed, or inferred where a converted stream does not tell decisions"`
	ToolVersion       string     `parquet:"tool_version,dict" doc:"the version of openagent that judged the run"`
	ContractVersion   string     `parquet:"contract_version,dict" doc:"the event contract"`
	ContractRevision  int64      `parquet:"contract_revision" doc:"its revision"`
	ContractDigest    string     `parquet:"contract_digest,dict" doc:"its digest"`
	Verdict           string     `parquet:"verdict,dict" doc:"the harness's judgment: success, failure, violation, crash, pre_run_error, timeout, cancelled"`
	Reason            string     `parquet:"reason" doc:"one sentence why"`
	ExitReason        *string    `parquet:"exit_reason,dict" doc:"what run_finished said"`
	ExitStatus        *int64     `parquet:"exit_status" doc:"exit status of the agent's process"`
	Signal            *string    `parquet:"signal,dict" doc:"the signal that ended it"`
	Started           time.Time  `parquet:"started,timestamp(microsecond)" doc:"when the agent was started; its day in UTC is date"`
	Ended             *time.Time `parquet:"ended,timestamp(microsecond)" doc:"when it had ended"`
	DurationMS        int64      `parquet:"duration_ms" doc:"the time between"`
	Events            int64      `parquet:"events" doc:"lines of the stream"`
	Steps             int64      `parquet:"steps" doc:"model turns"`
	ToolCalls         int64      `parquet:"tool_calls" doc:"tool calls"`
	Findings          int64      `parquet:"findings" doc:"findings of all rules, also those that are not listed"`
	InputTokens       *int64     `parquet:"input_tokens" doc:"tokens sent to the model"`
	CachedInputTokens *int64     `parquet:"cached_input_tokens" doc:"those of them that were cached"`
	OutputTokens      *int64     `parquet:"output_tokens" doc:"tokens of its replies"`
	ReasoningTokens   *int64     `parquet:"reasoning_tokens" doc:"those of them that were reasoning"`
	TotalTokens       *int64     `parquet:"total_tokens" doc:"all tokens, as the provider counts them"`
	CostUSD           *float64   `parquet:"cost_usd" doc:"what the run cost in US dollars"`
	Sandbox           *string    `parquet:"sandbox,dict" doc:"the level of the sandbox round its commands"`
	PolicyDigest      *string    `parquet:"policy_digest,dict" doc:"SHA-256 of the policy"`
	PromptSHA256      *string    `parquet:"prompt_sha256,dict" doc:"SHA-256 of the prompt"`
	GitCommit         *string    `parquet:"git_commit,dict" doc:"the commit that the agent worked on"`
	GitDirty          *bool      `parquet:"git_dirty" doc:"whether the work tree differed from it at the end"`
	JobRunID          *string    `parquet:"job_run_id,dict" doc:"the run of the workflow"`
	Job               *string    `parquet:"job,dict" doc:"the job's key in the workflow"`
	JobAttempt        *string    `parquet:"job_attempt,dict" doc:"its attempt"`
	JobMatrix         *string    `parquet:"job_matrix,dict" doc:"what tells the jobs of a matrix apart"`
	EvidenceComplete  bool       `parquet:"evidence_complete" doc:"false where something could not be kept whole"`
	Texts             bool       `parquet:"texts" doc:"false where the evidence was kept without texts"`
	Files             int64      `parquet:"files" doc:"files of the evidence"`
	EvidenceBytes     int64      `parquet:"evidence_bytes" doc:"their bytes"`
}

type stepRow struct {
	RunKey          string     `parquet:"run_key,dict" doc:"the run"`
	Step            int64      `parquet:"step" doc:"number of the model turn, from 1"`
	Started         *time.Time `parquet:"started,timestamp(microsecond)" doc:"time of its first event"`
	DurationMS      *int64     `parquet:"duration_ms" doc:"time from there to the first event of the next turn, or to the last event of the run"`
	Events          int64      `parquet:"events" doc:"its events"`
	ToolCalls       int64      `parquet:"tool_calls" doc:"calls detected in it"`
	Denied          int64      `parquet:"denied" doc:"decisions other than allow"`
	ToolRetries     int64      `parquet:"tool_retries" doc:"calls after which the model was told to try again"`
	ProviderRetries int64      `parquet:"provider_retries" doc:"requests that were sent again"`
	ProviderErrors  int64      `parquet:"provider_errors" doc:"requests that failed for good"`
	Blocked         *string    `parquet:"blocked,dict" doc:"code or reason of the guard that stopped the run"`
}

type toolCallRow struct {
	RunKey          string     `parquet:"run_key,dict" doc:"the run"`
	Step            int64      `parquet:"step" doc:"the model turn"`
	Line            int64      `parquet:"line" doc:"line of its first event"`
	ToolCallID      *string    `parquet:"tool_call_id" doc:"the call's id; one that is used again is another row"`
	Tool            *string    `parquet:"tool,dict" doc:"the tool"`
	Source          *string    `parquet:"source,dict" doc:"where the call was found: native or a dialect of text"`
	DetectedStatus  *string    `parquet:"detected_status,dict" doc:"complete, incomplete or malformed"`
	Repaired        *bool      `parquet:"repaired" doc:"whether its text had to be repaired"`
	ArgumentsBytes  *int64     `parquet:"arguments_bytes" doc:"size of its arguments"`
	Decision        *string    `parquet:"decision,dict" doc:"allow or deny; null where nobody told"`
	DecisionReason  *string    `parquet:"decision_reason,dict" doc:"why"`
	DecisionSource  *string    `parquet:"decision_source,dict" doc:"who decided"`
	Started         *time.Time `parquet:"started,timestamp(microsecond)" doc:"when it began to run; null where it did not"`
	DurationMS      *int64     `parquet:"duration_ms" doc:"how long it ran: as the agent says, else between the two events"`
	OK              *bool      `parquet:"ok" doc:"whether it succeeded; null while it did not finish"`
	Status          *string    `parquet:"status,dict" doc:"the tool's own word for the result"`
	ErrorKind       *string    `parquet:"error_kind,dict" doc:"the kind of the failure"`
	ExitStatus      *int64     `parquet:"exit_status" doc:"exit status of a command"`
	OutputBytes     *int64     `parquet:"output_bytes" doc:"size of the whole output"`
	OutputTruncated *bool      `parquet:"output_truncated" doc:"whether the tool cut it"`
	Retries         int64      `parquet:"retries" doc:"how often the model was told to try again"`
}

type findingRow struct {
	RunKey   string  `parquet:"run_key,dict" doc:"the run"`
	Rule     string  `parquet:"rule,dict" doc:"id of the rule"`
	Severity *string `parquet:"severity,dict" doc:"error, warning or info; null where findings are only counted"`
	Line     *int64  `parquet:"line" doc:"line of the stream, 0 for the stream as a whole"`
	Subject  *string `parquet:"subject,dict" doc:"of agent/unmapped the kind of event that no rule of the conversion knows"`
	Message  *string `parquet:"message" doc:"one sentence"`
	Count    int64   `parquet:"count" doc:"how many findings the row stands for"`
}

type eventRow struct {
	RunKey       string     `parquet:"run_key,dict" doc:"the run"`
	Line         int64      `parquet:"line" doc:"line of the stream"`
	Sequence     int64      `parquet:"sequence" doc:"its number in the stream"`
	TS           *time.Time `parquet:"ts,timestamp(microsecond)" doc:"its time; null where that is before 2000 or after 2099"`
	Step         int64      `parquet:"step" doc:"the model turn"`
	Type         string     `parquet:"type,dict" doc:"the type of the event"`
	ToolCallID   *string    `parquet:"tool_call_id" doc:"the call that it is about"`
	Tool         *string    `parquet:"tool,dict" doc:"the tool that it is about"`
	OK           *bool      `parquet:"ok" doc:"of a finish whether it succeeded"`
	Kind         *string    `parquet:"kind,dict" doc:"decision, exit reason, action, status or kind of failure: the word that tells events of one type apart"`
	Preview      *string    `parquet:"preview" doc:"the event's text as far as the stream has it: content, arguments, reason, message or final output"`
	PreviewBytes *int64     `parquet:"preview_bytes" doc:"size of the whole text, where the stream tells it or holds it"`
	LineBytes    int64      `parquet:"line_bytes" doc:"size of the line, its end included"`
}

type scenarioRow struct {
	ResultsKey     string     `parquet:"results_key,dict" doc:"SHA-256 of results.json, in hex: one set of rows for the same results"`
	Position       int64      `parquet:"position" doc:"place in the results, from 1"`
	ID             string     `parquet:"id,dict" doc:"the scenario"`
	File           string     `parquet:"file,dict" doc:"its file, as it was given"`
	Agent          *string    `parquet:"agent,dict" doc:"the agent that it ran with, null where it runs once"`
	Status         string     `parquet:"status,dict" doc:"pass, fail, skip or flaky"`
	Attempts       int64      `parquet:"attempts" doc:"how often it ran"`
	Passed         int64      `parquet:"passed" doc:"how often it passed"`
	DurationMS     int64      `parquet:"duration_ms" doc:"time of all attempts"`
	EvidenceRunKey *string    `parquet:"evidence_run_key" doc:"the run that the results name as evidence, where its manifest was there"`
	ToolVersion    string     `parquet:"tool_version,dict" doc:"the version of openagent that ran it"`
	GitCommit      *string    `parquet:"git_commit,dict" doc:"the commit that was tested"`
	Shard          *string    `parquet:"shard,dict" doc:"i/N where only a part of the scenarios was planned"`
	Started        *time.Time `parquet:"started,timestamp(microsecond)" doc:"when the run of the scenarios began; null in results of a version that did not say"`
}

// results reports whether the table is about results of scenarios, not about runs.
func (t table) results() bool { return t.name == tableScenarios }

// isLast reports whether the file of the table comes last in a set.
func (t table) isLast() bool { return t.results() || t.name == tableRuns }

// tableOf returns the table with that name.
func tableOf(name string) table {
	return tables[slices.IndexFunc(tables, func(t table) bool { return t.name == name })]
}

// Tables returns the names of the tables, runs first.
func Tables() (names []string) {
	for _, t := range slices.Backward(tables) {
		names = append(names, t.name)
	}
	return names
}
