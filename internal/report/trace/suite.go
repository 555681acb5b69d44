package trace

import (
	"context"
	"time"
)

// Suite makes spans of a set of test scripts: of the set and of each script, below
// which are the runs of the script's agents. A nil Suite makes none.
type Suite struct {
	trace *Trace
	root  *span
}

// Suite begins a set of scripts.
func (t *Trace) Suite() *Suite {
	if t == nil {
		return nil
	}
	return &Suite{t, t.open("openagent test", kindInternal, nil, time.Now())}
}

// Script begins a script, and returns a context that its runs find it by, and what
// ends it by its outcome; failed is whether that is a failure.
func (s *Suite) Script(ctx context.Context, name string) (context.Context, func(outcome string, failed bool)) {
	if s == nil {
		return ctx, func(string, bool) {}
	}
	script := s.trace.open("script "+name, kindInternal, s.root, time.Now())
	script.set(text("test.case.name", name))
	return context.WithValue(ctx, underKey{}, under{s.trace, script}), func(outcome string, failed bool) {
		script.set(text("test.case.result.status", outcome))
		if failed {
			script.fail("failed", "")
		}
		script.close(time.Now())
	}
}

// End ends the set by its verdict.
func (s *Suite) End(verdict string, scripts int, failed bool) {
	if s == nil {
		return
	}
	s.root.set(text("openagent.verdict", verdict), number("openagent.scripts", scripts))
	if failed {
		s.root.fail(verdict, "")
	}
	s.root.close(time.Now())
}
