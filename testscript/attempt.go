package testscript

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openagent-ci/openagent/internal/harness/scenarios"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// attempt is one time that a script runs: where its agents leave their evidence, and what
// they used and answered.
type attempt struct {
	evidence string   // a folder that stays, empty for one that goes with the script
	folders  int      // below evidence
	runs     int      // of agents
	env      []string // that the script was given from outside
	schema.TestFigures
}

// attemptKey is the key of the attempt of a script.
type attemptKey struct{}

// attemptOf returns the attempt of a script; under go test nobody looks at it.
func attemptOf(ts *testscript.TestScript) *attempt {
	if a, ok := ts.Value(attemptKey{}).(*attempt); ok {
		return a
	}
	return &attempt{}
}

// begin returns the attempt at a script and has p give it to that, with what answers
// instead of the models that the script names.
func begin(ctx context.Context, p *Params, s scenarios.Script) *attempt {
	a, own := &attempt{evidence: s.Evidence, env: s.Env}, p.Setup
	p.Setup = func(env *testscript.Env) error {
		if err := own(env); err != nil {
			return err
		}
		env.Values[attemptKey{}] = a
		if s.Source == nil {
			return nil
		}
		s.SetAgent(env.WorkDir)
		m := env.Values[modelKey{}].(*servedModel)
		m.source = s.Source
		var err error
		if m.origin, err = s.Source.Listen(context.WithoutCancel(ctx)); err != nil {
			return err
		}
		m.stop = func() error { return nil } // who opened the source closes it
		defer rememberVariables(env)
		return m.point(env.Getenv("HOME"), s.Model, env.Setenv)
	}
	return a
}

// passed reports whether a variable was given from outside.
func (a *attempt) passed(name string) bool {
	return slices.ContainsFunc(a.env, func(v string) bool { return strings.HasPrefix(v, name+"=") })
}

// evidenceFolder makes the folder for the evidence of the next agent.
func (a *attempt) evidenceFolder(ts *testscript.TestScript) (string, error) {
	if a.evidence == "" {
		return os.MkdirTemp(ts.Getenv("WORK"), ".evidence-")
	}
	a.folders++
	dir := filepath.Join(a.evidence, fmt.Sprintf("run-%d", a.folders))
	return dir, os.MkdirAll(dir, 0o755)
}

// maxAnswer bounds an answer in results, in bytes.
const maxAnswer = 4 << 10

// add adds what an agent used, which is not known of one that did not finish, and keeps
// its answer.
func (a *attempt) add(e *runner.Execution) {
	var used schema.TestFigures
	if e != nil && e.RunFinished != nil {
		text, _ := clip.Prefix(e.RunFinished.FinalOutput, maxAnswer)
		a.FinalOutput = &text
		u, _ := e.RunFinished.Usage.Get()
		used.Tokens = u.TotalTokens
		if usd, ok := u.CostUSD.Get(); ok {
			used.CostUSD = new(float64(usd))
		}
	}
	scenarios.Spend(&a.TestFigures, a.runs, used)
	a.runs++
}

// judged keeps what a judge said; the lowest score counts.
func (a *attempt) judged(j schema.TestJudgment) {
	a.Judgments = append(a.Judgments, j)
	if a.Score == nil || j.Score < *a.Score {
		a.Score = &j.Score
	}
}
