package tool

import "encoding/json"

// measured are the members of payloads that events tell of. They mean the same
// in the payload of every tool; one that lacks a member leaves it nil or false.
type measured struct {
	ExitStatus     *int64     `json:"exit_status"`
	Signal         *string    `json:"signal"`
	Truncated      bool       `json:"truncated"`
	TaskTruncated  bool       `json:"output_truncated"`
	FirstTruncated bool       `json:"initial_output_truncated"`
	StdoutBytes    *int64     `json:"stdout_bytes"`
	StderrBytes    *int64     `json:"stderr_bytes"`
	ContentPreview *string    `json:"content_preview"`
	Bytes          *int64     `json:"bytes"`
	Artifacts      []Artifact `json:"artifacts"`
	Retrieval      string     `json:"retrieval_status"`
}

// Facts returns what an event tells of r. OutputBytes is what a command wrote
// to both streams, or the size of a file that was read.
func (r Result) Facts() Facts {
	if r.Error != nil {
		facts := Facts{}
		if r.Error.HasPayload() {
			facts = factsOf(r.Error.Details)
		}
		facts.OK, facts.ErrorKind = false, r.Error.Kind
		return facts
	}
	return factsOf(r.Result)
}

func factsOf(payload json.RawMessage) Facts {
	var m measured
	// A payload in which they are of other types has none of these facts.
	if json.Unmarshal(payload, &m) != nil {
		return Facts{OK: true}
	}
	return Facts{
		OK:              m.Signal == nil && (m.ExitStatus == nil || *m.ExitStatus == 0),
		ExitStatus:      m.ExitStatus,
		OutputTruncated: m.Truncated || m.TaskTruncated || m.FirstTruncated,
		OutputBytes:     m.outputBytes(),
		Artifacts:       m.Artifacts,
		Running:         m.Retrieval == "running",
	}
}

func (m *measured) outputBytes() *int64 {
	switch {
	case m.StdoutBytes != nil && m.StderrBytes != nil:
		return new(*m.StdoutBytes + *m.StderrBytes)
	case m.ContentPreview != nil:
		return m.Bytes
	}
	return nil
}
