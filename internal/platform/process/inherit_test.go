package process

import (
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommandEnviron(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows passes more variables and ignores their case")
	}
	environ := []string{"Z=1", "LC_TIME=C", "PATH=/bin", "path=/attack", "TERM=x", "HOME=", "BROKEN", "A=1=2", "GITHUB_SHA=abc"}
	for _, test := range []struct {
		extra []string
		want  []string
	}{
		{nil, []string{"HOME=", "LC_TIME=C", "PATH=/bin", "TERM=dumb"}},
		{[]string{"A", "GITHUB_SHA", "TERM", "NONE"}, []string{"A=1=2", "GITHUB_SHA=abc", "HOME=", "LC_TIME=C", "PATH=/bin", "TERM=dumb"}},
	} {
		got, err := CommandEnviron(environ, test.extra)
		if err != nil {
			t.Fatalf("CommandEnviron(%q) = %v", test.extra, err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("CommandEnviron(%q) (-want +got):\n%s", test.extra, diff)
		}
	}
	for _, name := range []string{"OPENAI_API_KEY", "ACTIONS_RUNTIME_TOKEN", "ACTIONS_", "GITHUB_ENV", "GITHUB_OUTPUT", "", "A=B", "A*", "A\x00", "A B", "A\tB", " A"} {
		if _, err := CommandEnviron(nil, []string{name}); err == nil {
			t.Errorf("CommandEnviron(pass %q) = no error, want one", name)
		}
	}
}
