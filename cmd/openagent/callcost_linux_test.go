package main_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// savedVariable names a folder in which the bare loop appends a synced line to each of
// three files for a call, as the session and the record of a run have them.
const savedVariable = "OPENAGENT_BENCH_KEPT"

func openSaved() (files []*os.File, err error) {
	dir := os.Getenv(savedVariable)
	for _, name := range []string{"calls", "session", "messages"} {
		if dir == "" {
			break
		}
		f, openErr := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		files, err = append(files, f), errors.Join(err, openErr)
	}
	return files, err
}

// savedLine is about as long as a line of calls.jsonl.
const savedLine = 700

func save(files []*os.File, out []byte) (err error) {
	line := append(bytes.TrimSpace(out), bytes.Repeat([]byte{' '}, savedLine)...)
	for _, f := range files {
		_, writeErr := f.Write(append(line, '\n'))
		err = errors.Join(err, writeErr, f.Sync())
	}
	return err
}

// maxCall bounds what a tool call costs without a sandbox, in that of the bare loop
// that also keeps three synced lines of it, less the commands: it is some 2.5 ms.
const maxCall = 2.5

// BenchmarkCall measures a call by the difference of runs of many and few, in turns:
// a script in memory, the same over a socket, the bare loop, and the commands alone.
func BenchmarkCall(b *testing.B) {
	builtBinary(b)
	const few, many = 10, 110
	b.Setenv("OPENAGENT_SANDBOX", "off")
	scripts := map[int]string{few: writeScript(b, few), many: writeScript(b, many)}
	ways := []func(n int) sample{
		func(n int) sample { return agentAlone(b, scripts[n], n) },
		func(n int) sample { return agentServed(b, scripts[n], "chat", n) },
		func(n int) sample { return yardstick(b, scripts[n], savedVariable+"="+b.TempDir()) },
	}
	spent := make([][]time.Duration, len(ways))
	b.ResetTimer()
	for range b.N {
		commands := commandsAlone(b, many-few)
		for i, way := range ways {
			fewer := way(few).cpu
			spent[i] = append(spent[i], (way(many).cpu-fewer-commands)/(many-few))
		}
	}
	b.StopTimer()
	middle := func(all []time.Duration) float64 {
		slices.Sort(all)
		return milliseconds(all[len(all)/2])
	}
	ours, served, bare := middle(spent[0]), middle(spent[1]), middle(spent[2])
	b.ReportMetric(ours, "ms/call")
	b.ReportMetric(served, "served-ms/call")
	b.ReportMetric(bare, "bare-ms/call")
	b.ReportMetric(ours/bare, "ratio")
	b.ReportMetric(served/bare, "served-ratio")
	if b.N >= 10 && (max(ours, served) > maxCall*bare) {
		b.Errorf("a call takes %.2f times what it takes the bare loop, %.2f over a socket; want at most %g", ours/bare, served/bare, maxCall)
	}
}
