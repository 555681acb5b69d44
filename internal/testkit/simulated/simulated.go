// Package simulated makes valid evidence of invented runs from a seed, for tests and
// sizing.
package simulated

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// Options say what is simulated. The zero value is a useful one.
type Options struct {
	// Seed leads to the same evidence each time.
	Seed uint64
	// Events is about how many lines a stream has; 40 when 0.
	Events int
	// Days is how many days the runs are spread over; 30 when 0.
	Days int
}

// begin is the first day.
var begin = time.Date(2026, 2, 2, 0, 0, 0, 0, time.UTC)

// Write writes the evidence of run number i, which is the same each time, to the new
// folder dir.
func Write(dir string, i int, o Options) error {
	if o.Events == 0 {
		o.Events = 40
	}
	if o.Days == 0 {
		o.Days = 30
	}
	s := newRun(i, o)
	stream := s.stream()
	again, err := runner.Scan(context.Background(), bytes.NewReader(stream), evidence.ScanAgain(nil))
	if err != nil {
		return err
	}
	for kind, n := range s.unmapped {
		for range n {
			again.Findings = append(again.Findings, validate.NewFinding(validate.RuleUnmapped, 1, fmt.Sprintf("type is %q, want one that the mapping knows", kind)))
		}
		again.FindingCounts[validate.RuleUnmapped] += int(n)
	}
	findings, err := json.Marshal(map[string]any{"schema": "openagent.check.v1", "files": []report.CheckFile{report.NewCheckFile(evidence.EventsFile, again)}})
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	m := s.manifest(again)
	for _, f := range []struct {
		name string
		text []byte
	}{{evidence.EventsFile, stream}, {evidence.FindingsFile, findings}} {
		sum := sha256.Sum256(f.text)
		m.Files = append(m.Files, schema.ManifestFile{Path: f.name, Bytes: int64(len(f.text)), SHA256: hex.EncodeToString(sum[:])})
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, f.name), f.text, 0o600))
	}
	text, encodeErr := m.Encode()
	return errors.Join(err, encodeErr, os.WriteFile(filepath.Join(dir, evidence.ManifestFile), text, 0o600))
}

// WriteAll writes the evidence of the runs from first on, n of them, to new folders in
// the folder dir and returns their paths.
func WriteAll(dir string, first, n int, o Options) (paths []string, err error) {
	for i := first; i < first+n; i++ {
		path := filepath.Join(dir, fmt.Sprintf("run-%07d", i))
		if err := Write(path, i, o); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// The agents, and what of their versions fails how often, in percent.
var agents = []struct {
	name, version, model string
	fails                int
}{
	{"openagent", "1.0.0", "model-small", 12}, {"openagent", "1.1.0", "model-small", 6}, {"codex", "0.40.0", "model-large", 9},
	{"codex", "0.41.0", "model-large", 15}, {"copilot", "2.3.1", "model-medium", 8},
}

// tools have the mean of their durations in milliseconds.
var tools = []struct {
	name string
	ms   int
}{{"read_file", 3}, {"search", 40}, {"edit_file", 8}, {"run_command", 900}, {"list_files", 5}}

// run is one that is simulated.
type run struct {
	*rand.Rand
	id       string
	events   int
	agent    int
	started  time.Time
	now      time.Time
	fails    bool
	late     bool // in the last days
	unmapped map[string]int64
	lines    bytes.Buffer
	sequence int64
	step     int64
	calls    int64
}

func newRun(i int, o Options) *run {
	r := rand.New(rand.NewPCG(o.Seed, uint64(i)))
	s := &run{Rand: r, id: fmt.Sprintf("run-%d-%d", o.Seed, i), agent: r.IntN(len(agents))}
	s.events = max(o.Events/2+r.IntN(o.Events+1), 8)
	day := r.IntN(o.Days)
	s.late = day >= o.Days-4
	s.started = begin.Add(time.Duration(day) * 24 * time.Hour).Add(time.Duration(r.IntN(86_400_000)) * time.Millisecond)
	s.now = s.started
	s.fails = r.IntN(100) < agents[s.agent].fails
	if agents[s.agent].name != "openagent" && r.IntN(10) == 0 {
		s.unmapped = map[string]int64{fmt.Sprintf("kind_%d", r.IntN(4)): int64(1 + r.IntN(3))}
	}
	return s
}

// emit adds a line, some milliseconds after the one before.
func (s *run) emit(t schema.Type, ms int, payload any) {
	s.now = s.now.Add(time.Duration(ms) * time.Millisecond)
	s.sequence++
	line, err := schema.Encode(schema.Event{
		SchemaVersion: schema.Version, Sequence: s.sequence, TS: s.now.Format("2006-01-02T15:04:05.000Z"), RunID: s.id, Step: s.step, Type: t, Data: payload,
	})
	if err != nil {
		panic(err) // a payload of this package
	}
	s.lines.Write(line)
}

// stream returns the lines of the run.
func (s *run) stream() []byte {
	a := agents[s.agent]
	started := schema.RunStarted{Agent: &schema.Agent{Name: a.name, Version: a.version}, Model: schema.Some(a.model), Provider: schema.Some("example")}
	if a.name != "openagent" {
		started.Source = &schema.StreamSource{Format: a.name, Mapping: a.name + "/1", Time: "source"}
	}
	s.emit(schema.TypeRunStarted, 0, started)
	for int(s.sequence) < s.events-1 {
		s.step++
		s.emit(schema.TypeStepStarted, s.pause(), schema.StepStarted{StepIndex: new(s.step)})
		if s.IntN(25) == 0 {
			s.emit(schema.TypeProviderRetry, 200+s.IntN(2000), schema.ProviderRetry{
				Attempt: new(int64(1)), MaxAttempts: new(int64(3)), Kind: new("rate_limit"), Status: new(int64(429)), BackoffMS: new(int64(500)),
			})
		}
		for range 1 + s.IntN(3) {
			s.call()
		}
	}
	s.finish()
	return s.lines.Bytes()
}

// pause is the time before a step. Of one version it is less than none in some runs of
// the last days: a rule that was not broken before.
func (s *run) pause() int {
	if s.late && agents[s.agent].version == "1.1.0" && s.IntN(8) == 0 {
		return -50
	}
	return 5
}

// words are what previews are made of.
var words = []string{"func", "return", "error", "the file", "of line", "package main", "if err != nil {", "}", "ok", "FAIL", "test", "0.012s", "// comment", "value"}

func (s *run) text(n int) string {
	var b bytes.Buffer
	for b.Len() < n {
		fmt.Fprintf(&b, "%s %x\n", words[s.IntN(len(words))], s.IntN(1<<16))
	}
	return b.String()
}

// call adds the events of a tool call.
func (s *run) call() {
	s.calls++
	tool := tools[s.IntN(len(tools))]
	id, name := new(fmt.Sprintf("call_%d", s.calls)), new(tool.name)
	arguments := fmt.Sprintf(`{"path":"src/file_%d.go"}`, s.IntN(200))
	s.emit(schema.TypeToolCallDetected, 300+s.IntN(3000), schema.ToolCallDetected{
		ToolCallID: id, Tool: name, Source: new("native"), Status: new("complete"),
		ArgumentsPreview: schema.Some(arguments), ArgumentsBytes: schema.Some(int64(len(arguments))),
	})
	if tool.name == "run_command" && s.IntN(12) == 0 {
		s.emit(schema.TypeToolDecision, 0, schema.ToolDecision{
			ToolCallID: id, Tool: name, Decision: new("deny"), Reason: new("the policy allows no command that begins with curl"), Source: new("policy"),
		})
		s.emit(schema.TypeToolRetry, 0, schema.ToolRetry{ToolCallID: id, Tool: name, Attempt: new(int64(1)), FailureClass: new("denied"), Action: new("repair")})
		return
	}
	s.emit(schema.TypeToolDecision, 0, schema.ToolDecision{ToolCallID: id, Tool: name, Decision: new("allow"), Source: new("policy")})
	s.emit(schema.TypeToolExecStarted, 1, schema.ToolExecStarted{ToolCallID: id, Tool: name})
	ms, ok := 1+s.IntN(2*tool.ms), s.IntN(15) != 0
	done := schema.ToolExecFinished{
		ToolCallID: id, Tool: name, OK: &ok, ContentPreview: new(s.text(40 + s.IntN(900))), Status: new("ok"), DurationMS: schema.Some(int64(ms)),
	}
	if !ok {
		done.Status, done.ErrorKind = new("error"), schema.Some("not_found")
	}
	s.emit(schema.TypeToolExecFinished, ms, done)
}

// usage is what the run consumed.
func (s *run) usage() schema.Usage {
	input, output := 900*s.step+int64(s.IntN(500)), 120*s.step+int64(s.IntN(90))
	cost := float64(input*3+output*15) / 1e6
	return schema.Usage{InputTokens: &input, OutputTokens: &output, TotalTokens: new(input + output), CostUSD: schema.Some(schema.USD(cost))}
}

// finish adds the last event.
func (s *run) finish() {
	last := schema.RunFinished{
		ExitReason: "ok", OK: true, FinalOutput: "done: " + s.text(60), Usage: schema.Some(s.usage()),
		Steps: schema.Some(s.step), ToolCalls: schema.Some(s.calls),
	}
	if s.fails {
		last.ExitReason, last.OK, last.FinalOutput = []string{"max_steps", "provider_error", "budget_exceeded"}[s.IntN(3)], false, ""
		last.Error = new("the run stopped: " + last.ExitReason)
	}
	if agents[s.agent].name != "openagent" {
		last.Source = &schema.TerminalSource{Terminal: "observed", Unmapped: s.unmapped}
	}
	s.emit(schema.TypeRunFinished, 20, last)
}

// manifest returns what the harness would say of the run, without the files.
func (s *run) manifest(e *runner.Execution) schema.Manifest {
	a := agents[s.agent]
	m := schema.Manifest{
		Versions: schema.ManifestVersions{
			Tool: schema.Agent{Name: "openagent", Version: "1.1.0"}, Agent: &schema.Agent{Name: a.name, Version: a.version},
			Contract: schema.ManifestContract{Version: schema.Version, Revision: schema.Revision, Digest: schema.Digest()},
		},
		RunID: s.id, Command: []string{a.name}, Verdict: string(e.Verdict), Reason: e.Reason, ExitStatus: new(0),
		Started: s.started, Ended: s.now, DurationMS: s.now.Sub(s.started).Milliseconds(),
		Counts: schema.ManifestCounts{Events: e.Events, Steps: e.Steps, ToolCalls: e.ToolCalls, Detected: e.ToolCalls, Executed: e.Executed, Denied: e.Denied, Failed: e.Failed, FindingsByRule: e.FindingCounts},
		Model:  &a.model, Provider: new("example"),
		EvidenceComplete: true,
		Job:              &schema.ManifestJob{RunID: "100", Job: "agent", Attempt: "1"},
	}
	if f := e.RunFinished; f != nil {
		m.ExitReason = &f.ExitReason
		if usage, ok := f.Usage.Get(); ok {
			m.Usage = &usage
			if cost, ok := usage.CostUSD.Get(); ok {
				m.CostUSD = &cost
			}
		}
	}
	if s.fails {
		m.ExitStatus = new(1)
	}
	if a.name != "openagent" {
		m.Source = &schema.ManifestSource{Format: a.name, Mapping: a.name + "/1", Decisions: "observed", AgentVersion: &a.version}
	}
	return m
}

// WriteResults writes results of scenarios, run number i of them, to the new folder dir.
func WriteResults(dir string, i int, o Options) error {
	if o.Days == 0 {
		o.Days = 30
	}
	r := rand.New(rand.NewPCG(o.Seed+1, uint64(i)))
	started := begin.Add(time.Duration(r.IntN(o.Days)) * 24 * time.Hour)
	results := schema.TestResults{Tool: schema.Agent{Name: "openagent", Version: "1.1.0"}, Started: &started}
	for n := range 12 {
		s := schema.TestScenario{ID: fmt.Sprintf("scenarios/case_%02d.txtar", n), Status: schema.TestPass}
		s.File = s.ID
		passed := 0
		for range 1 + r.IntN(3) {
			ok := r.IntN(20) >= n // later ones fail more often
			if ok {
				passed++
			}
			s.Attempts = append(s.Attempts, schema.TestAttempt{OK: ok, MS: int64(50 + r.IntN(500))})
		}
		switch passed {
		case 0:
			s.Status = schema.TestFail
		case len(s.Attempts):
		default:
			s.Status = schema.TestFlaky
		}
		results.Planned = append(results.Planned, s.ID)
		results.Scenarios = append(results.Scenarios, s)
	}
	text, err := results.Encode()
	if err != nil {
		return err
	}
	return errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, evidence.ResultsFile), text, 0o600))
}
