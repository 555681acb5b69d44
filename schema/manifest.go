package schema

import (
	"bytes"
	"time"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// ManifestVersion is the value of schema in every manifest.
const ManifestVersion = "openagent.run_manifest.v1"

// CheckVersion is the value of schema in saved findings.
const CheckVersion = "openagent.check.v1"

// Manifest says what an evidence folder holds and how the run ended. A
// pointer that is nil prints null: the value is unknown or does not apply.
type Manifest struct {
	// Schema is ManifestVersion; Encode fills it in.
	Schema   string           `json:"schema"`
	Versions ManifestVersions `json:"versions"`
	// RunID is that of the stream, empty when no line carried one.
	RunID string `json:"run_id"`
	// Command is the argv of the agent, empty for a saved stream.
	Command []string `json:"command"`
	// Verdict is the harness's own judgment, Reason one sentence why.
	Verdict string `json:"verdict"`
	Reason  string `json:"reason"`
	// ExitReason is what the agent's run_finished said.
	ExitReason *string `json:"exit_reason"`
	// ExitStatus is the process's; when a signal ended it, Signal names it.
	ExitStatus *int    `json:"exit_status"`
	Signal     *string `json:"signal"`

	Started    time.Time `json:"started"`
	Ended      time.Time `json:"ended"`
	DurationMS int64     `json:"duration_ms"`

	Counts ManifestCounts `json:"counts"`
	Usage  *Usage         `json:"usage"`
	// CostUSD is what the run cost, as its usage says.
	CostUSD  *USD    `json:"cost_usd"`
	Model    *string `json:"model"`
	Provider *string `json:"provider"`
	// ParentRunID is the run that started this one.
	ParentRunID *string `json:"parent_run_id"`
	// Source is nil when the stream was not converted.
	Source *ManifestSource `json:"source"`
	// Sandbox is what the commands of the run were confined to, nil when the
	// agent did not say.
	Sandbox *SandboxStatus `json:"sandbox"`
	// Witness is nil where the harness was not to see the requests of the agent.
	Witness *ManifestWitness `json:"witness"`
	// PolicyDigest and PromptSHA256 are lower-case hex.
	PolicyDigest *string      `json:"policy_digest"`
	PromptSHA256 *string      `json:"prompt_sha256"`
	Git          *ManifestGit `json:"git"`
	// Job is the job that the harness ran in, nil outside of one.
	Job *ManifestJob `json:"job"`
	// EvidenceComplete is false when something could not be kept whole
	// although no documented limit forbids it.
	EvidenceComplete bool `json:"evidence_complete"`
	// Lost says what could not be kept whole, and why; empty when the evidence is
	// complete.
	Lost []string `json:"lost"`
	// LeftOut lists what was not copied into the folder.
	LeftOut []ManifestLeftOut `json:"left_out"`
	// Files lists every file of the folder but the manifest itself.
	Files []ManifestFile `json:"files"`
}

// ManifestSource is the stream of another agent that the events were made of.
// Format and Mapping are those of StreamSource; Bytes and SHA256 are those of
// the copy in the folder, nil when it holds none.
type ManifestSource struct {
	Format  string  `json:"format"`
	Mapping string  `json:"mapping"`
	Bytes   *int64  `json:"bytes"`
	SHA256  *string `json:"sha256"`
	// AgentVersion is the version of the agent, nil when it is not known.
	AgentVersion *string `json:"agent_version"`
	// Decisions is observed where the agent tells what it decided about a call,
	// and inferred where each call that ran counts as allowed: nothing about a
	// policy is proven then.
	Decisions string `json:"decisions"`
}

// ManifestWitness says whether the harness saw all requests of another agent, so that
// calls which its stream hides are known. Reason says why it is not complete.
type ManifestWitness struct {
	Complete bool    `json:"complete"`
	Requests int     `json:"requests"`
	Reason   *string `json:"reason"`
}

// ManifestJob names a job of GitHub Actions, as its runner does.
type ManifestJob struct {
	RunID string `json:"run_id"`
	// Job is the key of the job in its workflow.
	Job     string `json:"job"`
	Attempt string `json:"attempt"`
	// Matrix tells the jobs of a matrix apart, as in "node=22, os=linux"; it
	// is empty in a job without one.
	Matrix string `json:"matrix"`
}

// ManifestVersions names the programs and the contract of a run.
type ManifestVersions struct {
	// Tool is the harness.
	Tool     Agent            `json:"tool"`
	Contract ManifestContract `json:"contract"`
	// Agent is what run_started said, nil when it did not say.
	Agent *Agent `json:"agent"`
}

// ManifestContract pins the published schema a stream was checked against.
type ManifestContract struct {
	Version  string `json:"version"`
	Revision int    `json:"revision"`
	// Digest is "sha256:" and the lower-case hex of the schema file.
	Digest string `json:"digest"`
}

// ManifestCounts counts what a stream held. ToolCalls is Detected under its older
// name. FindingsByRule counts all findings, those not listed in full too.
type ManifestCounts struct {
	Events    int `json:"events"`
	Steps     int `json:"steps"`
	ToolCalls int `json:"tool_calls"`
	// Of the calls that were detected some were executed and others denied; Failed are
	// executions that did not end ok. Denied also counts calls that a converted stream
	// lists as denied only at its end.
	Detected       int            `json:"detected"`
	Executed       int            `json:"executed"`
	Denied         int            `json:"denied"`
	Failed         int            `json:"failed"`
	FindingsByRule map[string]int `json:"findings_by_rule"`
}

// ManifestGit names the commit the agent worked on and whether the work tree
// differed from it when the run ended.
type ManifestGit struct {
	Commit string `json:"commit"`
	Dirty  bool   `json:"dirty"`
}

// ManifestLeftOut is a file that was not copied, and why.
type ManifestLeftOut struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// ManifestFile is one file of the folder. Path is relative, with forward
// slashes; SHA256 is lower-case hex.
type ManifestFile struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Encode returns the manifest as an indented JSON document with a final LF. It
// fills in Schema, turns times to UTC and prints missing lists as empty ones.
func (m Manifest) Encode() ([]byte, error) {
	m.Schema = ManifestVersion
	m.Started, m.Ended = m.Started.UTC(), m.Ended.UTC()
	m.Command = orEmpty(m.Command)
	m.Lost = orEmpty(m.Lost)
	m.LeftOut = orEmpty(m.LeftOut)
	m.Files = orEmpty(m.Files)
	if m.Counts.FindingsByRule == nil {
		m.Counts.FindingsByRule = map[string]int{}
	}
	return indented(m)
}

// indented returns a document for files: indented JSON and a final LF.
func indented(document any) ([]byte, error) {
	var b bytes.Buffer
	err := jsontext.WriteIndented(&b, document)
	return b.Bytes(), err
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
