package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// maxScenario bounds the system calls of one scenario that name a file, but for
// those of its commands: whatever else the machine does, there are as many. Two thirds
// look for what the sandbox opens, by the length of PATH.
const maxScenario = 540

// A scenario waits for no disk, looks at no other process, starts nothing but its
// commands and asks for the files it needs.
func TestScenario_SystemCalls(t *testing.T) {
	strace := findStrace(t)
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	traced := func(n int) scenarioCalls {
		trace := filepath.Join(t.TempDir(), "trace")
		test := exec.Command(strace, "-f", "--seccomp-bpf", "-qq", "-e", "trace=%file,fsync,fdatasync,sync_file_range", "-e", "signal=none", "-o", trace,
			bin, "test", "-j", "1", writeScenarios(t, n))
		test.Env = append(os.Environ(), "OPENAGENT_TEST_SANDBOX=", "TMPDIR=/tmp") // links are followed from its top
		if out, err := test.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return countScenarioCalls(t, trace)
	}
	const few, many = 2, 12
	least, most := traced(few), traced(many)
	each := func(one func(scenarioCalls) int) float64 { return float64(one(most)-one(least)) / (many - few) }
	files := each(func(c scenarioCalls) int { return c.files })
	t.Logf("system calls of a scenario that name a file: %.1f", files)
	if files > maxScenario {
		t.Errorf("a scenario makes %.1f system calls that name a file, want at most %d", files, maxScenario)
	}
	if started := each(func(c scenarioCalls) int { return c.started }); started != callsOfScenario {
		t.Errorf("a scenario starts %.1f programs, want %d", started, callsOfScenario)
	}
	// What scripts left is searched for once, at the end.
	if most.processes > 2*least.processes {
		t.Errorf("%d scenarios look at processes %d times, %d at %d", many, most.processes, few, least.processes)
	}
	if most.syncs != 0 {
		t.Errorf("%d scenarios wait for the disk %d times, want never", many, most.syncs)
	}
}

// scenarioCalls counts system calls by what they do.
type scenarioCalls struct{ files, processes, syncs, started int }

var ofProcess = regexp.MustCompile(`"/proc/[0-9]+/`)

func countScenarioCalls(t *testing.T, trace string) (c scenarioCalls) {
	for name, arguments := range ownSystemCalls(t, trace) {
		switch {
		case name == "execve":
			c.started++
		case strings.Contains(name, "sync"):
			c.syncs++
		case ofProcess.MatchString(arguments):
			c.processes++
		default:
			c.files++
		}
	}
	return c
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
