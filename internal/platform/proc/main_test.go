package proc_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/openagent-ci/openagent/internal/testkit/testenv"
)

// roleVar makes the test binary play a child of a test instead of testing.
const roleVar = "PROC_TEST_ROLE"

// quickEnd keeps the race detector from sleeping before a role ends.
const quickEnd = "GORACE=atexit_sleep_ms=0"

// roles are the children that the tests start; more are added per system.
var roles = map[string]func(){
	"env": func() {
		for _, v := range os.Environ() {
			fmt.Println(v)
		}
	},
	"lines": func() {
		for i := range 20000 {
			fmt.Println("line", i)
		}
		fmt.Fprintln(os.Stderr, "done")
	},
	"status": func() { testenv.Exit(7) },
}

func TestMain(m *testing.M) {
	if name := os.Getenv(roleVar); name != "" {
		role, ok := systemRoles()[name]
		if !ok {
			role = roles[name]
		}
		role()
		testenv.Exit(0)
	}
	os.Exit(m.Run())
}
