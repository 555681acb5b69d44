package main_test

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
)

// roleVariable makes the test binary play an agent instead of testing.
const roleVariable = "TEST_ROLE"

// litterVariable is the number of files that the role of that name leaves.
const litterVariable = "TEST_LITTER"

// roles are the agents that the tests run under the harness.
var roles = map[string]func(){
	"ask first": askFirst,
	"litter": func() {
		litter()
		say(2, "run_finished", `"exit_reason":"ok","ok":true,"final_output":"","error":null`)
	},
	"litter and wait": func() {
		term := make(chan os.Signal, 1)
		signal.Notify(term, syscall.SIGTERM)
		litter()
		<-term
		say(2, "run_finished", `"exit_reason":"cancelled","ok":false,"final_output":"","error":"cancelled"`)
		os.Exit(1)
	},
}

// say prints an event.
func say(sequence int, kind, data string) {
	fmt.Printf(`{"schema_version":"openagent.run_event.v1","sequence":%d,"ts":"2026-03-03T20:11:12Z","run_id":"r","step":0,"type":%q,"data":{%s}}`+"\n",
		sequence, kind, data)
}

// litter leaves files of a few bytes and says so by starting the run.
func litter() {
	n, err := strconv.Atoi(os.Getenv(litterVariable))
	for i := 0; i < n && err == nil; i++ {
		name := filepath.Join(os.Getenv("OPENAGENT_ARTIFACTS_DIR"), fmt.Sprintf("%06d", i))
		err = os.WriteFile(name, []byte("litter\n"), 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	say(1, "run_started", "")
}
