package process

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

// A warning that quotes somebody is one line in which nothing acts on a terminal or on the
// runner of a job, whatever kind of value it is.
func TestLogger_NothingActs(t *testing.T) {
	const hostile = "a\n::error::b ##[error]c \x1b[31md \u202ee \u0085f"
	var log bytes.Buffer
	p := &Process{Err: &log}
	p.Logger().Warn(hostile, "text", hostile, "error", errors.New(hostile), slog.Group("g", "text", hostile), "long", strings.Repeat("x", 1<<20), "n", 7)
	got := log.String()
	if strings.Count(got, "\n") != 1 || strings.ContainsAny(got, "\x1b\u202e\u0085") || strings.Contains(got, "##[") || strings.Contains(got, `\x1b`) || len(got) > 10_000 {
		t.Errorf("Warn writes %.500q, want one line without what acts", got)
	}
	for _, want := range []string{"level=WARN", ` text="a : :error::b # #[error]c d e  f"`, ` error="a : :error::b # #[error]c d e  f"`, ` g.text="a : :error`, " n=7"} {
		if !strings.Contains(got, want) {
			t.Errorf("Warn writes %.500q, want %q in it", got, want)
		}
	}
}
