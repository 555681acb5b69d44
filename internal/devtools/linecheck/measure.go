// Measure compares what `openagent check` takes to judge a long stream with what
// others take that do less: simdjson, which visits every value, ajv, which judges
// by the schema, and the library for JSON Schemas that is linked in. A yardstick
// that is missing is left out with a word. It runs in the root of the repository:
//
//	go run internal/devtools/linecheck/measure.go
//
// All are whole processes on the same files, in turns; the figures are medians of
// processor time, since the machine may have other work. It needs about 700 MB in
// the folder for temporary files; npm and a C++ compiler with libsimdjson-dev
// bring the yardsticks.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

const rounds = 5

// contender is a program that reads a stream.
type contender struct {
	name string
	argv []string
	runs []run
}

// run is what one process took.
type run struct {
	cpu, wall time.Duration
	peak      int64 // KiB
}

func main() {
	if err := measure(); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func measure() error {
	dir, err := os.MkdirTemp("", "linecheck")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := build(in); err != nil {
		return err
	}
	check := func(name string, args ...string) *contender {
		return &contender{name: name, argv: append([]string{in("openagent"), "check"}, args...)}
	}
	all := []*contender{
		check("check, 300 MB", in("300.jsonl")), check("check -j 2, 300 MB", "-j", "2", in("300.jsonl")),
		check("check, 300 MB with a warning in 0.1 % of lines", in("warned.jsonl")), check("check, 30 MB", in("30.jsonl")),
	}
	if err := command("", "g++", "-O3", "-march=native", "-std=c++17", "-o", in("visit"), "internal/devtools/linecheck/visit.cpp", "-lsimdjson"); err != nil {
		fmt.Println("simdjson is left out:", err)
	} else {
		all = append(all, &contender{name: "simdjson on demand, 300 MB", argv: []string{in("visit"), in("300.jsonl")}})
	}
	if err := ajv(in); err != nil {
		fmt.Println("ajv is left out:", err)
	} else {
		all = append(all, &contender{name: "ajv, 300 MB", argv: []string{"node", in("ajv.js"), "check", in("validator.js"), in("300.jsonl")}})
	}
	all = append(all, &contender{name: "jsonschema/v5, 30 MB", argv: []string{in("library.test"), "-test.run", "^$", "-test.bench", "^BenchmarkLibrary$", "-test.benchtime", "1x", "-stream", in("30.jsonl")}})
	for range rounds {
		for _, c := range all {
			if err := c.run(); err != nil {
				return err
			}
		}
	}
	print(all)
	return nil
}

// build builds the programs and writes the streams.
func build(in func(string) string) error {
	for _, argv := range [][]string{
		{"go", "build", "-o", in("openagent"), "./cmd/openagent"},
		{"go", "test", "-c", "-o", in("library.test"), "./schema/validate"},
		{"go", "test", "-run", "^$", "-bench", "^BenchmarkScan$", "-benchtime", "1x", "./schema/validate/line", "-write", in("30.jsonl"), "-steps", "9600"},
		{"go", "test", "-run", "^$", "-bench", "^BenchmarkScan$", "-benchtime", "1x", "./schema/validate/line", "-write", in("300.jsonl"), "-steps", "96000"},
	} {
		if err := command("", argv...); err != nil {
			return err
		}
	}
	return warned(in("300.jsonl"), in("warned.jsonl"))
}

// warned copies a stream and makes each thousandth of its results one that does
// not tell the size of what was cut.
func warned(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	w, lines := bufio.NewWriter(out), bufio.NewScanner(in)
	for n := 1; lines.Scan(); n++ {
		line := lines.Bytes()
		if n%1000 == 1 { // of five lines one is a result, and here always
			line = bytes.Replace(line, []byte(`"truncated":false`), []byte(`"truncated":true`), 1)
		}
		_, _ = w.Write(append(line, '\n')) // Flush says it
	}
	return cmp.Or(lines.Err(), w.Flush(), out.Close())
}

// ajv installs ajv and has it compile the published schema.
func ajv(in func(string) string) error {
	for _, name := range []string{"package.json", "ajv.js"} {
		text, err := os.ReadFile(filepath.Join("internal/devtools/linecheck", name))
		if err == nil {
			err = os.WriteFile(in(name), text, 0o600)
		}
		if err != nil {
			return err
		}
	}
	if err := command(in(""), "npm", "install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"); err != nil {
		return err
	}
	return command("", "node", in("ajv.js"), "compile", "schema/openagent.run_event.v1.schema.json", in("validator.js"))
}

// command runs a command that prepares something.
func command(dir string, argv ...string) error {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", argv[0], err, out)
	}
	return nil
}

func (c *contender) run() error {
	cmd := exec.Command(c.argv[0], c.argv[1:]...)
	begin := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%.500s", c.name, err, out)
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	c.runs = append(c.runs, run{cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), time.Since(begin), usage.Maxrss})
	return nil
}

// print prints the medians, and processor time as so many times that of the first.
func print(all []*contender) {
	middle := func(c *contender, of func(run) int64) int64 {
		var list []int64
		for _, r := range c.runs {
			list = append(list, of(r))
		}
		slices.Sort(list)
		return list[len(list)/2]
	}
	cpu := func(r run) int64 { return int64(r.cpu) }
	fmt.Println("| what | processor time | ratio | wall | peak memory |\n| --- | ---: | ---: | ---: | ---: |")
	for _, c := range all {
		fmt.Printf("| %s | %d ms | %.2f | %d ms | %.1f MiB |\n", c.name, middle(c, cpu)/1e6, float64(middle(c, cpu))/float64(middle(all[0], cpu)),
			middle(c, func(r run) int64 { return int64(r.wall) })/1e6, float64(middle(c, func(r run) int64 { return r.peak }))/1024)
	}
}
