package runner_test

import (
	"context"
	"testing"
)

func TestRun_SweepsWhatLeftTheTree(t *testing.T) {
	rec := &recorder{}
	cfg := agent(t, "harness")
	cfg.Handler = rec
	run(t, context.Background(), cfg)
	if got, want := rec.stdout.String(), "success 1\n"; got != want {
		t.Errorf("harness printed %q, want %q", got, want)
	}
}
