package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// callsOfScenario is the number of calls in each scenario here.
const callsOfScenario = 5

// writeScenarios writes n scenarios: a run, and two looks at its stream.
func writeScenarios(t testing.TB, n int) (dir string) {
	script, err := os.ReadFile(writeScript(t, callsOfScenario))
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`openagent run --output json --script model.yaml --workspace repo 'Run the commands.'
stream-check -strict stdout
stream-count stdout tool_exec_finished %d

-- model.yaml --
%s-- repo/notes.txt --
A workspace.
`, callsOfScenario, script)
	dir = t.TempDir()
	for i := range n {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("s%d.txtar", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A scenario waits for no disk and starts nothing but its commands.
func TestScenario_SystemCalls(t *testing.T) {
	strace := findStrace(t)
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	traced := func(n int) (started, syncs int) {
		trace := filepath.Join(t.TempDir(), "trace")
		test := exec.Command(strace, "-f", "--seccomp-bpf", "-qq", "-e", "trace=execve,fsync,fdatasync,sync_file_range", "-e", "signal=none", "-o", trace,
			bin, "test", "-j", "1", writeScenarios(t, n))
		test.Env = append(os.Environ(), "OPENAGENT_TEST_SANDBOX=")
		if out, err := test.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for name := range ownSystemCalls(t, trace) {
			switch { // strace also has lines of calls that it cannot name
			case name == "execve":
				started++
			case strings.Contains(name, "sync"):
				syncs++
			}
		}
		return started, syncs
	}
	const few, many = 2, 12
	least, _ := traced(few)
	started, syncs := traced(many)
	if got := started - least; got != (many-few)*callsOfScenario {
		t.Errorf("%d further scenarios start %d programs, want %d", many-few, got, (many-few)*callsOfScenario)
	}
	if syncs != 0 {
		t.Errorf("%d scenarios wait for the disk %d times, want never", many, syncs)
	}
}

// BenchmarkScenarios runs a hundred scenarios, one at a time and two at a time in
// turns. It reports the processor time of one beyond that of its commands, the
// time it takes, and how much shorter two at a time are.
func BenchmarkScenarios(b *testing.B) {
	const n = 100
	bin := builtBinary(b)
	dir := writeScenarios(b, n)
	var cpu, shells time.Duration
	var wall [2]time.Duration
	b.ResetTimer()
	for range b.N {
		for i, jobs := range []string{"1", "2"} {
			started := time.Now()
			cpu += cpuOf(b, bin, "test", "-j", jobs, dir)
			wall[i] += time.Since(started)
			shells += n * commandsAlone(b, callsOfScenario)
		}
	}
	b.StopTimer()
	b.ReportMetric(milliseconds(cpu-shells)/float64(2*n*b.N), "cpu-ms/scenario")
	b.ReportMetric(milliseconds(wall[1])/float64(n*b.N), "ms/scenario")
	b.ReportMetric(float64(wall[0])/float64(wall[1]), "speedup")
}
