package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// DecodeResult returns the result that a run record has of a call, with the first
// rule of canonical results that it breaks.
func DecodeResult(text []byte) (r Result, err error) {
	if err := json.Unmarshal(text, &r); err != nil {
		return Result{}, err
	}
	return r, r.Validate()
}

// Validate reports the first rule of canonical results that r breaks.
func (r Result) Validate() error {
	if r.ToolName == "" {
		return errors.New("result: tool_name is empty")
	}
	if strings.TrimSpace(r.SummaryText) == "" {
		return errors.New("result: summary_text is empty")
	}
	if n := utf8.RuneCountInString(r.SummaryText); n > MaxSummary {
		return fmt.Errorf("result: summary_text has %d characters, at most %d are allowed", n, MaxSummary)
	}
	switch r.Status {
	case StatusSuccess:
		return r.validateSuccess()
	case StatusError:
		return r.validateError()
	}
	return fmt.Errorf("result: status is %q, want %q or %q", r.Status, StatusSuccess, StatusError)
}

func (r Result) validateSuccess() error {
	if r.Error != nil {
		return errors.New("result: status is success, error must be null")
	}
	members, ok := object(r.Result)
	if !ok {
		return errors.New("result: status is success, result must be an object")
	}
	return checkArtifacts(members)
}

func (r Result) validateError() error {
	if !isNull(r.Result) {
		return errors.New("result: status is error, result must be null")
	}
	e := r.Error
	switch {
	case e == nil:
		return errors.New("result: status is error, error must be an object")
	case e.Kind == "":
		return errors.New("result: error.kind is empty")
	case e.Message == "":
		return errors.New("result: error.message is empty")
	case utf8.RuneCountInString(e.Message) > MaxMessage:
		return fmt.Errorf("result: error.message has more than %d characters", MaxMessage)
	case !isNull(e.Details) && !json.Valid(e.Details):
		return errors.New("result: error.details is not valid JSON")
	}
	if members, ok := object(e.Details); ok && e.HasPayload() {
		return checkArtifacts(members)
	}
	return nil
}

// HasPayload reports whether the details of e are a payload: that of a command that
// was ended early, or of a server's tool that failed.
func (e *Error) HasPayload() bool {
	return e.Kind == KindCommandTimedOut || e.Kind == KindCancelled || e.Kind == KindServerTool
}

// roleSuffix ends the names of members that point at an artifact.
const roleSuffix = "_artifact"

// checkArtifacts checks the artifact references of a payload and the roles
// that point at them.
func checkArtifacts(members map[string]json.RawMessage) error {
	count, err := countArtifacts(members["artifacts"])
	if err != nil {
		return err
	}
	used := make(map[int]bool)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		value := members[name]
		if !strings.HasSuffix(name, roleSuffix) || isNull(value) {
			continue
		}
		var index int
		if err := json.Unmarshal(value, &index); err != nil || index < 0 || index >= count {
			return fmt.Errorf("result: %s is %s, want an index of %d artifacts", name, value, count)
		}
		used[index] = true
	}
	if count > 1 && len(used) < count {
		return fmt.Errorf("result: %d artifacts, but only %d have a role", count, len(used))
	}
	return nil
}

func countArtifacts(raw json.RawMessage) (int, error) {
	if isNull(raw) {
		return 0, nil
	}
	var refs []map[string]json.RawMessage
	if err := json.Unmarshal(raw, &refs); err != nil {
		return 0, errors.New("result: artifacts must be a list of objects")
	}
	for _, ref := range refs {
		var path string
		if json.Unmarshal(ref["path"], &path) != nil || len(ref) != 1 {
			return 0, errors.New("result: an artifact must have the key path and no other")
		}
		if !filepath.IsLocal(filepath.FromSlash(path)) {
			return 0, fmt.Errorf("result: artifact path %q is not inside the run folder", path)
		}
	}
	return len(refs), nil
}

// object returns the members of an object; ok is false for any other value.
func object(raw json.RawMessage) (members map[string]json.RawMessage, ok bool) {
	err := json.Unmarshal(raw, &members)
	return members, err == nil && members != nil
}

func isNull(raw json.RawMessage) bool {
	return len(raw) == 0 || string(bytes.TrimSpace(raw)) == "null"
}
