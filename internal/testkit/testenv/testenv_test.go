package testenv

import (
	"flag"
	"os"
	"runtime"
	"strconv"
	"testing"
)

func TestClean(t *testing.T) {
	for name, stays := range map[string]bool{
		"OPENAGENT_STRICT": false, "GIT_DIR": false, "TERM": false, "CLICOLOR_FORCE": false, "LC_ALL": false,
		"OPENAGENT_TEST_LONG": true, "PATH": true, "HOME": true,
	} {
		t.Setenv(name, "x")
		Clean()
		if _, ok := os.LookupEnv(name); ok != stays {
			t.Errorf("%s after Clean: set %v, want %v", name, ok, stays)
		}
	}
}

func TestWait(t *testing.T) {
	f := flag.Lookup("test.parallel")
	before := f.Value.String()
	defer func() { _ = f.Value.Set(before) }()
	Wait()
	if n, err := strconv.Atoi(f.Value.String()); err != nil || n <= runtime.GOMAXPROCS(0) {
		t.Errorf("tests at a time after Wait: %s, want more than %d processors", f.Value, runtime.GOMAXPROCS(0))
	}
}
