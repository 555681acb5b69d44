package validate

import "cmp"

// Stage is the group of rules that are tried together.
type Stage string

// The stages, in the order they are tried. A line with an error of the line,
// schema or size stage is not checked by the later ones of these three.
const (
	StageLine   Stage = "line"   // the bytes of a line
	StageSchema Stage = "schema" // its members and their types
	StageSize   Stage = "size"   // the bounds of its texts
	StageStream Stage = "stream" // the lines as one stream
	StageRun    Stage = "run"    // what run_finished says of the run
	StageFlow   Stage = "flow"   // the order of a tool call's events
	// StageProcess holds rules that the harness checks, on the process or by
	// comparing: reading a stream never finds them.
	StageProcess Stage = "process"
)

// Why returns one sentence that says what the rules of the stage protect.
func (s Stage) Why() string { return whys[s] }

var whys = map[Stage]string{
	StageLine:    "A reader cannot read the line, or two readers read it differently, so what it tells is lost.",
	StageSchema:  "Parsers are written against the published schema and fail, or go on with a wrong value, where a line differs from it.",
	StageSize:    "Readers have buffers of these sizes, and a cut that is not told looks like the whole text.",
	StageStream:  "Without numbers, one beginning and one end nobody can tell a whole stream from what is left of one.",
	StageRun:     "A job that trusts one of two answers that contradict each other passes what failed.",
	StageFlow:    "What was allowed, and what ran, can be proven only by events that belong together.",
	StageProcess: "Only the harness, which ran the agent, can check these rules.",
}

// Rest is what a reader can still use of a line that breaks a rule.
type Rest string

// The rests, from all to none.
const (
	RestLine     Rest = "line"     // envelope and data
	RestEnvelope Rest = "envelope" // its data are not what the type promises
	RestNothing  Rest = "nothing"
)

// Rule is one rule of the contract. Its ID never changes.
type Rule struct {
	ID       string
	Severity Severity
	Stage    Stage
	Rest     Rest
	// Doc completes the sentence "broken when ...".
	Doc string
	// Help tells a producer what to do about it.
	Help string
}

// Why returns one sentence that says what the rule protects.
func (r Rule) Why() string { return cmp.Or(processWhys[r.ID], r.Stage.Why()) }

// processWhys are those of StageProcess, whose rules have no purpose in common.
var processWhys = map[string]string{
	RuleExitStatus:   "A job sees the exit status and a reader the stream: when they differ, one of them passes what failed.",
	RuleSecret:       "A stream is saved, uploaded and read by people who must not have the secret.",
	RuleStreamCap:    "Nobody checked what was not kept, and an agent that never stops printing fills the disk.",
	RuleGolden:       "A change of what an agent does should be seen by a person before it is relied on.",
	RuleScript:       "An agent that tries again after a refusal may still end well, although it did not do what the script is about.",
	RuleOutputSchema: "The step that reads the final text was written for values of that form.",
	RuleTampering:    "An agent that writes these files could act on later steps of the job, or on what is known of its run.",
	RuleEvidence:     "Files that are lost or were changed afterwards prove nothing about the run.",
	RuleGitConfig:    "A configuration of git can run programs and redirect what later steps fetch and push.",
	RuleUnmapped:     "What was left out may have been a tool call, so the stream may show less than was done.",
	RuleFormat:       "A stream that is read as another one is misread, or judged as if nothing had been done.",
	RuleSession:      "Steps, calls and usage of two sessions in one stream cannot be told apart.",

	RuleContradiction: "A job would pass by the one end and fail by the other, and nobody can know which is true.",
	RuleLateDenial:    "A reader of the stream takes the call for one that ran, although the agent denied it.",
	RuleLoss:          "The run can look complete although events, background work or parts of its record are missing.",
	RuleHiddenCall:    "What the agent did without a word in its stream would pass every check of its calls.",
	RuleUnservedCall:  "A call that no model made is invented, or its model was asked elsewhere, where nobody saw it.",
	RuleVersion:       "Another version may print what the conversion leaves out or misreads.",
}

// Rules returns every rule, in the order of the findings of one line.
func Rules() []Rule { return append([]Rule(nil), rules...) }

// RuleByID returns the rule with that id; ok is false when there is none.
func RuleByID(id string) (r Rule, ok bool) {
	if i, ok := ruleRank[id]; ok {
		return rules[i], true
	}
	return Rule{}, false
}

// ruleRank is the position of each rule in rules.
var ruleRank = func() map[string]int {
	rank := make(map[string]int, len(rules))
	for i, r := range rules {
		rank[r.ID] = i
	}
	return rank
}()

// The ids of the rules.
const (
	lineTooLong      = "line/too-long"
	lineUTF8         = "line/utf8"
	lineBOM          = "line/bom"
	lineBlank        = "line/blank"
	lineControl      = "line/control"
	lineDepth        = "line/depth"
	lineAffix        = "line/affix"
	lineJSON         = "line/json"
	lineSurrogate    = "line/surrogate"
	lineNotObject    = "line/not-object"
	lineDuplicateKey = "line/duplicate-key"
	lineNoNewline    = "line/no-newline"
	lineOver64K      = "line/over-64k"

	schemaVersion   = "schema/version"
	schemaEnvelope  = "schema/envelope"
	schemaType      = "schema/type"
	schemaNumber    = "schema/number"
	schemaTimestamp = "schema/timestamp"
	schemaData      = "schema/data"

	sizePreview           = "size/preview"
	sizeString            = "size/string"
	sizeTruncation        = "size/truncation"
	sizeTruncationUnknown = "size/truncation-unknown"

	streamSequenceStart     = "stream/sequence-start"
	streamSequenceGap       = "stream/sequence-gap"
	streamRunStarted        = "stream/run-started"
	streamRunID             = "stream/run-id"
	streamTerminalMissing   = "stream/terminal-missing"
	streamTerminalDuplicate = "stream/terminal-duplicate"
	streamTerminalNotLast   = "stream/terminal-not-last"
	streamPreRun            = "stream/pre-run"

	runOutcome   = "run/outcome"
	runToolCalls = "run/tool-calls"

	flowExecAfterDeny        = "flow/exec-after-deny"
	flowFinishWithoutStart   = "flow/finish-without-start"
	flowUnfinishedTool       = "flow/unfinished-tool"
	flowStartWithoutDecision = "flow/start-without-decision"
	flowStepBackwards        = "flow/step-backwards"
	flowTSBackwards          = "flow/ts-backwards"
)

// Rules that the harness checks; who finds one builds it with NewFinding.
const (
	// RuleExitStatus is broken when the process's exit status contradicts ok.
	RuleExitStatus = "run/exit-status"
	// RuleSecret is broken when a known secret stood in the stream.
	RuleSecret = "run/secret"
	// RuleStreamCap is broken when a stream is longer than the harness reads.
	RuleStreamCap = "run/stream-cap"
	// RuleGolden is broken when a stream differs from its golden stream.
	RuleGolden = "run/golden"
	// RuleScript is broken when a scripted model refused what the agent asked.
	RuleScript = "run/script"
	// RuleOutputSchema is broken when the final text is not what was asked for.
	RuleOutputSchema = "run/output-schema"
	// RuleTampering is broken when the agent changed what it must not.
	RuleTampering = "run/tampering"
	// RuleEvidence is broken when a folder of evidence is not what its manifest says.
	RuleEvidence = "run/evidence"
	// RuleGitConfig is broken when the agent changed a repository's configuration.
	RuleGitConfig = "run/git-config"
	// RuleUnmapped is broken by a foreign event that a converter does not know.
	RuleUnmapped = "agent/unmapped"
	// RuleFormat is broken by a stream of another format than the one named.
	RuleFormat = "agent/format"
	// RuleSession is broken by a second session in one source.
	RuleSession = "agent/session"
	// RuleContradiction is broken by a source whose ends contradict each other, or
	// that goes on after its end.
	RuleContradiction = "agent/contradiction"
	// RuleLateDenial is broken by a call that is shown as run and denied later.
	RuleLateDenial = "agent/late-denial"
	// RuleLoss is broken by what an agent reports as lost or left undone.
	RuleLoss = "agent/loss"
	// RuleHiddenCall is broken by a call of the model that is not in the agent's stream,
	// RuleUnservedCall by one in the stream that no model made.
	RuleHiddenCall   = "agent/hidden-call"
	RuleUnservedCall = "agent/unserved-call"
	// RuleVersion is broken by an agent of a version that its converter was not tested with.
	RuleVersion = "agent/version"
)
