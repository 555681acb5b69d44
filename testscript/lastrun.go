package testscript

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/report/transcript"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/schema"
)

// lastRun is the run that assertions without a FILE are about.
type lastRun struct {
	stream []byte
	*transcript.Run
	evidence string // its folder, empty for none
}

// maxTranscript bounds the texts that are held of a run.
const maxTranscript = 4 << 20

// findRun returns the run of which the stream is stdout or, where that is none, the
// last one that the command agent ran.
func findRun(ts *testscript.TestScript) lastRun {
	dir := ts.Getenv(evidenceVariable)
	saved, _ := os.ReadFile(filepath.Join(dir, evidence.EventsFile)) // none without evidence
	r := lastRun{stream: []byte(ts.ReadFile("stdout")), Run: transcript.New(maxTranscript)}
	switch {
	case len(events(r.stream)) == 0 && len(events(saved)) == 0:
		ts.Fatalf("there is no run: stdout is no stream, and no agent ran before")
	case len(events(r.stream)) == 0:
		r.stream, r.evidence = saved, dir
	case bytes.Equal(r.stream, saved):
		r.evidence = dir
	}
	for line := range bytes.Lines(r.stream) {
		if e, err := schema.Decode(line); err == nil {
			r.Add(&e)
		}
	}
	r.Close()
	if r.End == nil {
		ts.Fatalf("the run has not finished: its stream has no run_finished")
	}
	return r
}

// answer returns the final text of the run, whole: where the stream has only its
// beginning, from the evidence or the record of the run.
func (r lastRun) answer(ts *testscript.TestScript) string {
	text := r.Answer()
	if r.End.Truncated == nil || !*r.End.Truncated {
		return text
	}
	for _, file := range []string{
		filepath.Join(r.evidence, evidence.FinalOutputFile),
		filepath.Join(ts.Getenv(flags.Variable("state-dir")), "runs", r.ID, record.FinalOutputName),
	} {
		if all, err := os.ReadFile(file); err == nil && len(all) > len(text) && strings.HasPrefix(string(all), text) {
			return string(all)
		}
	}
	ts.Fatalf("the stream has only the first %d bytes of the final text, and there is no evidence that has all: run it by the command agent", len(text))
	return ""
}

// took returns how long the run took, 0 where that is not known.
func (r lastRun) took() time.Duration {
	var m schema.Manifest
	text, err := os.ReadFile(filepath.Join(r.evidence, evidence.ManifestFile))
	if err == nil && json.Unmarshal(text, &m) == nil {
		return m.Ended.Sub(m.Started)
	}
	return r.Duration()
}

// checkAnswer is answer OP VALUE...: the final text meets each comparison.
func checkAnswer(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: answer OPVALUE..., such as answer '*=Water'")
	}
	var conditions []comparison
	for _, text := range args {
		if at := operator().FindStringIndex(text); at == nil || at[0] > 0 {
			ts.Fatalf("%q: want an operator and a value, such as *=Water; operators: %s", text, operators)
		}
		c, err := parseComparison("answer" + text)
		ts.Check(err)
		conditions = append(conditions, c)
	}
	text := findRun(ts).answer(ts)
	if line, _ := unmet(conditions, func(string) (any, bool) { return text, true }); line != "" {
		ts.Fatalf("%s\nthe final text has %d bytes and ends:\n%s", line, len(text), strings.Join(transcript.LastLines(text, maxShown), "\n"))
	}
}
