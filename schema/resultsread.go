package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// The members that results have, each required but those with a +, which came later;
// those with a ? may be null.
var (
	resultsMembers  = []string{"schema", "tool", "commit?", "shard?", "started+", "plan?+", "min_pass?+", "planned", "scenarios"}
	toolMembers     = []string{"name", "version"}
	scenarioMembers = []string{"id", "file", "agent?", "status", "attempts", "evidence?", "started?+", "log+"}
	attemptMembers  = []string{"ok", "ms"}
)

// DecodeTestResults reads results as Encode writes them. It refuses those that
// are not whole or contradict themselves: a member that is missing or stands twice,
// a scenario that was not planned or stands twice, a status other than that of its
// attempts. Unknown members pass.
func DecodeTestResults(text []byte) (r TestResults, err error) {
	doc, err := decodeDocument(text, TestResultsVersion)
	if err != nil {
		return r, err
	}
	if err := knownMembers(doc); err != nil {
		return r, err
	}
	// Of the members known by their exact names: encoding/json takes any case.
	if err := json.Unmarshal(jsontext.MustMarshal(doc), &r); err != nil {
		return r, err
	}
	return r, r.check()
}

// decodeDocument reads a document whose member schema has that value, and nothing
// behind it.
func decodeDocument(text []byte, version string) (map[string]any, error) {
	doc, err := jsontext.Decode(text)
	if err != nil {
		return nil, err
	}
	object, _ := doc.(map[string]any)
	if object["schema"] != version {
		return nil, fmt.Errorf("schema is %s, want %q", excerpt(object["schema"]), version)
	}
	if jsontext.Repeats(text) {
		return nil, errTwice
	}
	return object, json.Unmarshal(text, new(json.RawMessage)) // finds what follows it
}

// knownMembers removes the members of results that these do not have and finds one
// that is missing.
func knownMembers(results map[string]any) error {
	if err := only(results, "", resultsMembers); err != nil {
		return err
	}
	if err := only(results["tool"], "tool/", toolMembers); err != nil {
		return err
	}
	scenarios, _ := results["scenarios"].([]any)
	for i, scenario := range scenarios {
		place := fmt.Sprintf("scenarios/%d/", i)
		if err := only(scenario, place, scenarioMembers); err != nil {
			return err
		}
		attempts, _ := scenario.(map[string]any)["attempts"].([]any)
		for j, attempt := range attempts {
			if err := only(attempt, fmt.Sprintf("%sattempts/%d/", place, j), attemptMembers); err != nil {
				return err
			}
		}
	}
	return nil
}

// only leaves the members of the object v that have one of the names. The error
// names, behind place, one that is missing, or null and may not be.
func only(v any, place string, names []string) error {
	object, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("%s is no object", strings.TrimSuffix(place, "/"))
	}
	known := map[string]bool{}
	for _, marked := range names {
		name := strings.TrimRight(marked, "?+")
		known[name] = true
		value, ok := object[name]
		switch {
		case !ok && strings.HasSuffix(marked, "+"):
		case !ok:
			return fmt.Errorf("%s%s is missing", place, name)
		case ok && value == nil && !strings.Contains(marked, "?"):
			return fmt.Errorf("%s%s is null", place, name)
		}
	}
	for name := range object {
		if !known[name] {
			delete(object, name)
		}
	}
	return nil
}

// check finds what in the results contradicts itself.
func (r TestResults) check() error {
	if r.MinPass != nil && *r.MinPass < 1 {
		return fmt.Errorf("min_pass is %d, want at least 1", *r.MinPass)
	}
	if err := r.checkPlan(); err != nil {
		return err
	}
	ran := map[string]bool{} // by planned id
	for i, id := range r.Planned {
		if _, ok := ran[id]; ok {
			return fmt.Errorf("planned/%d is %s, which stands there before", i, excerpt(id))
		}
		ran[id] = false
	}
	for i, s := range r.Scenarios {
		before, planned := ran[s.ID]
		ran[s.ID] = true
		err := s.check()
		switch {
		case !planned:
			err = errors.New("it was not planned")
		case before:
			err = errors.New("it stands there before")
		}
		if err != nil {
			return fmt.Errorf("scenarios/%d is %s: %w", i, excerpt(s.ID), err)
		}
	}
	return nil
}

// checkPlan finds what contradicts itself in the part of the whole that was planned.
func (r TestResults) checkPlan() error {
	if r.Plan == nil {
		return nil
	}
	all := map[string]bool{}
	for i, id := range r.Plan {
		if all[id] {
			return fmt.Errorf("plan/%d is %s, which stands there before", i, excerpt(id))
		}
		all[id] = true
	}
	for i, id := range r.Planned {
		if !all[id] {
			return fmt.Errorf("planned/%d is %s, which plan does not have", i, excerpt(id))
		}
	}
	return nil
}

// check finds what in the scenario contradicts itself.
func (s TestScenario) check() error {
	passed, failed := false, false
	for _, a := range s.Attempts {
		if a.MS < 0 {
			return fmt.Errorf("an attempt took %d ms", a.MS)
		}
		passed, failed = passed || a.OK, failed || !a.OK
	}
	so, known := map[string]bool{
		TestPass: passed && !failed, TestFail: failed, TestFlaky: passed && failed, TestSkip: !passed && !failed,
	}[s.Status]
	var startedErr error
	if s.Started != nil {
		_, startedErr = time.Parse(time.RFC3339Nano, *s.Started)
	}
	switch {
	case !known:
		return fmt.Errorf("status is %s, want %s, %s, %s or %s", excerpt(s.Status), TestPass, TestFail, TestSkip, TestFlaky)
	case !so:
		return fmt.Errorf("status is %q, which its %d attempts contradict", s.Status, len(s.Attempts))
	case startedErr != nil:
		return fmt.Errorf("started is %s, which is no time", excerpt(*s.Started))
	case s.Agent != nil && !strings.HasSuffix(s.ID, "#"+*s.Agent):
		return fmt.Errorf("agent is %s, which its id does not end with", excerpt(*s.Agent))
	}
	return nil
}

// excerpt quotes the begin of a value for an error.
func excerpt(v any) string {
	text, ok := v.(string)
	if !ok {
		text = string(jsontext.MustMarshal(v))
	}
	head, _ := clip.Chars(text, maxExcerpt)
	return strconv.Quote(head)
}

// maxExcerpt bounds, in characters, how much of a foreign value an error quotes.
const maxExcerpt = 60
