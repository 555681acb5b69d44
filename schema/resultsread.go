package schema

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// DecodeTestResults reads results as Encode writes them. It refuses those that
// are not whole or contradict themselves: a member that is missing or stands twice,
// a scenario that was not planned or stands twice, a status other than that of its
// attempts. Unknown members pass.
func DecodeTestResults(text []byte) (r TestResults, err error) {
	if err := decodeDocument(TestResultsVersion, text, &r); err != nil {
		return r, err
	}
	return r, r.check()
}

// check finds what in the results contradicts itself.
func (r TestResults) check() error {
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
		passed, failed = passed || a.OK, failed || !a.OK
	}
	so := map[string]bool{
		TestPass: passed && !failed, TestFail: failed, TestFlaky: passed && failed, TestSkip: !passed && !failed,
	}[s.Status]
	var startedErr error
	if s.Started != nil {
		_, startedErr = time.Parse(time.RFC3339Nano, *s.Started)
	}
	switch {
	case !so:
		return fmt.Errorf("status is %q, which its %d attempts contradict", s.Status, len(s.Attempts))
	case startedErr != nil:
		return fmt.Errorf("started is %s, which is no time", excerpt(*s.Started))
	case s.Agent != nil && !strings.Contains(s.ID+"#", "#"+*s.Agent+"#"):
		return fmt.Errorf("agent is %s, which its id does not name", excerpt(*s.Agent))
	}
	return nil
}

// excerpt quotes the start of a value for an error.
func excerpt(v any) string {
	text, ok := v.(string)
	if !ok {
		text = string(jsontext.MustMarshal(v))
	}
	return strconv.Quote(clip.Short(text, maxExcerpt))
}

// maxExcerpt bounds, in characters, how much of a foreign value an error quotes.
const maxExcerpt = 60
