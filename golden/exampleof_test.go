package golden_test

import (
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/golden"
)

func TestExampleOf_ShowsWhereStreamsDiffer(t *testing.T) {
	e, ok := golden.ExampleOf("stream/terminal-missing")
	if !ok || len(e.Mended) == 0 || !strings.Contains(string(e.Mended[len(e.Mended)-1].Text), "run_finished") {
		t.Errorf("ExampleOf(stream/terminal-missing) = %+v, want run_finished in what mends it", e)
	}
	for _, rule := range readable() {
		e, ok := golden.ExampleOf(rule)
		if !ok || len(e.Mended)+len(e.Broken) == 0 || e.Why == "" {
			t.Errorf("ExampleOf(%s) = %+v, %t, want lines", rule, e, ok)
		}
	}
	if e, ok := golden.ExampleOf("run/secret"); ok {
		t.Errorf("ExampleOf(run/secret) = %+v, want none: no stream breaks it", e)
	}
}
