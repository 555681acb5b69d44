package schema

import "time"

// TestResultsVersion is the value of schema in all results of scenarios.
const TestResultsVersion = "openagent.test_results.v1"

// TestResults says what running scenarios came to. A pointer that is nil
// prints null: the value is unknown or does not apply.
type TestResults struct {
	// Schema is TestResultsVersion; Encode fills it in.
	Schema string  `json:"schema"`
	Tool   Agent   `json:"tool"`
	Commit *string `json:"commit"`
	// Shard is i/N where only a part of the scenarios was planned.
	Shard *string `json:"shard"`
	// Started is when the first scenario began, nil in results of a version that did
	// not say.
	Started *time.Time `json:"started,omitempty"`
	// Plan are the ids of the scenarios of all shards, nil where there is one part.
	Plan []string `json:"plan,omitempty"`
	// MinPass is how many attempts of a scenario must pass, nil for all.
	MinPass *int `json:"min_pass,omitempty"`
	// Planned are the ids of the scenarios that were to run. An id is the path
	// of the file from where the run started, with forward slashes.
	Planned   []string       `json:"planned"`
	Scenarios []TestScenario `json:"scenarios"`
}

// What a scenario came to.
const (
	TestPass  = "pass"
	TestFail  = "fail"
	TestSkip  = "skip"
	TestFlaky = "flaky" // passed in some attempts and not in others
)

// TestScenario is one scenario that ran.
type TestScenario struct {
	ID string `json:"id"`
	// File is the path as it was given.
	File string `json:"file"`
	// Agent is the agent that the scenario ran with, nil where it runs once. Its id ends
	// with # and the agent then; where it runs once per model too, # and the model follow.
	Agent *string `json:"agent"`
	// Status is one of the Test constants.
	Status   string        `json:"status"`
	Attempts []TestAttempt `json:"attempts"`
	// Evidence is the path of an evidence folder, nil when none was kept.
	Evidence *string `json:"evidence"`
	// Started is when it began, by RFC 3339, nil where that is not known.
	Started *string `json:"started,omitempty"`
	// Log is what it did last; of one that passed it may be empty.
	Log string `json:"log,omitempty"`
	TestFigures
}

// TestFigures is what the agent of a scenario used and answered; nil means unknown.
type TestFigures struct {
	// Model is the model that the scenario ran with.
	Model *string `json:"model,omitempty"`
	// CostUSD and Tokens are the sums of all attempts.
	CostUSD *float64 `json:"cost_usd,omitempty"`
	Tokens  *int64   `json:"tokens,omitempty"`
	// Score is what a judge gave, from 0 to 1: the median of the attempts.
	Score *float64 `json:"score,omitempty"`
	// Judgments are what judges said in the last attempt, in their order.
	Judgments []TestJudgment `json:"judgments,omitempty"`
	// FinalOutput is the answer of the last attempt; a long one may be cut.
	FinalOutput *string `json:"final_output,omitempty"`
}

// TestJudgment is what a judge said of a run.
type TestJudgment struct {
	Rubric string `json:"rubric"`
	// Score is the median of the votes, Min the least that passes.
	Score float64 `json:"score"`
	Min   float64 `json:"min"`
	Pass  bool    `json:"pass"`
	// Reasons are those of the vote that the score is of.
	Reasons []string `json:"reasons"`
	Model   string   `json:"model"`
	// Tokens and CostUSD are those of all votes, nil where they are not known.
	Tokens  *int64   `json:"tokens"`
	CostUSD *float64 `json:"cost_usd"`
}

// Passes counts the attempts that passed.
func (s TestScenario) Passes() int {
	n := 0
	for _, a := range s.Attempts {
		if a.OK {
			n++
		}
	}
	return n
}

// Fails reports whether a scenario of the results failed: a flaky one does where it
// passed less often than MinPass.
func (r TestResults) Fails(s TestScenario) bool {
	if s.Status != TestFlaky {
		return s.Status == TestFail
	}
	return r.MinPass == nil || s.Passes() < *r.MinPass
}

// TestAttempt is one time that a scenario ran; MS are milliseconds. Cost and tokens are
// nil where they are unknown.
type TestAttempt struct {
	OK      bool     `json:"ok"`
	MS      int64    `json:"ms"`
	CostUSD *float64 `json:"cost_usd,omitempty"`
	Tokens  *int64   `json:"tokens,omitempty"`
}

// Encode returns the results as an indented JSON document with a final LF. It
// fills in Schema, turns the time to UTC and prints missing lists as empty ones.
func (r TestResults) Encode() ([]byte, error) {
	r.Schema = TestResultsVersion
	if r.Started != nil {
		utc := r.Started.UTC()
		r.Started = &utc
	}
	r.Planned = orEmpty(r.Planned)
	scenarios := make([]TestScenario, len(r.Scenarios))
	for i, s := range r.Scenarios {
		s.Attempts = orEmpty(s.Attempts)
		scenarios[i] = s
	}
	r.Scenarios = scenarios
	return indented(r)
}
