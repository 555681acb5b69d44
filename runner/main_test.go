package runner_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/testkit/testenv"
	"github.com/openagent-ci/openagent/schema"
)

// roleVar makes the test binary play an agent instead of testing.
const roleVar = "RUNNER_TEST_ROLE"

// quickEnd keeps the race detector from sleeping before a role ends.
const quickEnd = "GORACE=atexit_sleep_ms=0"

// secret is what no agent should print.
const secret = "sk-test-0123456789"

// line returns an event of run r1 as a line.
func line(sequence int64, e schema.Event) []byte {
	e.SchemaVersion, e.Sequence = schema.Version, sequence
	e.TS = time.Date(2026, 3, 3, 20, 11, 12, int(sequence)*1e6, time.UTC).Format("2006-01-02T15:04:05.000Z")
	b, err := schema.Encode(e)
	if err != nil {
		panic(err)
	}
	return b
}

func ptr[T any](v T) *T { return &v }

func started() schema.Event {
	return schema.Event{RunID: "r1", Type: schema.TypeRunStarted, Data: schema.RunStarted{
		Agent: &schema.Agent{Name: "fake", Version: "1"},
	}}
}

func finished(ok bool, output string) schema.Event {
	data := schema.RunFinished{ExitReason: schema.ExitOK, OK: ok, FinalOutput: output}
	if !ok {
		data.ExitReason, data.Error = schema.ExitMaxSteps, ptr("the limit of 3 steps is reached")
	}
	return schema.Event{RunID: "r1", Type: schema.TypeRunFinished, Data: data}
}

// stream returns events as lines, numbered from 1.
func stream(events ...schema.Event) []byte {
	var b bytes.Buffer
	for i, e := range events {
		b.Write(line(int64(i+1), e))
	}
	return b.Bytes()
}

func clean() []byte { return stream(started(), finished(true, "done")) }

func preRun() []byte {
	return stream(schema.Event{Type: schema.TypeRunFinished, Data: schema.RunFinished{
		ExitReason: schema.ExitPreRunError, Error: ptr("read policy: no such file"),
	}})
}

// roles are the agents that the tests run; more are added per system.
var roles = map[string]func(){
	"clean":    func() { os.Stdout.Write(clean()); fmt.Fprint(os.Stderr, "a warning") },
	"nothing":  func() {},
	"usage":    func() { fmt.Fprintln(os.Stderr, "usage"); testenv.Exit(2) },
	"garbage":  func() { os.Stdout.Write(append([]byte("Hello!\n"), clean()...)) },
	"twice":    func() { os.Stdout.Write(stream(started(), finished(true, ""), finished(true, ""))) },
	"preRun":   func() { os.Stdout.Write(preRun()); testenv.Exit(1) },
	"preRun0":  func() { os.Stdout.Write(preRun()) },
	"failure":  func() { os.Stdout.Write(stream(started(), finished(false, ""))); testenv.Exit(1) },
	"falseOK":  func() { os.Stdout.Write(stream(started(), finished(false, ""))) },
	"okFails":  func() { os.Stdout.Write(clean()); testenv.Exit(3) },
	"dies":     func() { os.Stdout.Write(stream(started())); testenv.Exit(9) },
	"torn":     func() { os.Stdout.Write(bytes.TrimSuffix(clean(), []byte("\"error\":null}}\n"))) },
	"tornDies": func() { os.Stdout.Write(clean()[:len(clean())-9]); testenv.Exit(1) },
	"broken": func() {
		os.Stdout.Write(bytes.Replace(clean(), []byte(`"ok":true`), []byte(`"ok":"yes"`), 1))
	},
	"secret": func() { os.Stdout.Write(stream(started(), finished(true, "the key is "+secret))) },
	"flood": func() {
		os.Stdout.Write(stream(started()))
		for range 1000 {
			os.Stdout.Write(bytes.Repeat([]byte("x\n"), 1000))
		}
	},
	"longLine": func() {
		for range 100 {
			os.Stdout.Write(bytes.Repeat([]byte("x"), 1<<20))
		}
		os.Stdout.Write([]byte("\n"))
		os.Stdout.Write(clean())
	},
	"source":  printSource,
	"environ": func() { fmt.Fprint(os.Stderr, os.Environ()); os.Stdout.Write(clean()) },
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
