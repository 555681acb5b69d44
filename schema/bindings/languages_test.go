package bindings_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/schema"
)

// validLines returns each different line of the valid vectors.
func validLines(t testing.TB) (lines []string) {
	t.Helper()
	seen := map[string]bool{}
	for _, v := range golden.Vectors() {
		for line := range bytes.Lines(v.Stream) {
			text := strings.TrimSuffix(string(line), "\n")
			if v.Valid && !seen[text] {
				seen[text] = true
				lines = append(lines, text)
			}
		}
	}
	if len(lines) < 100 {
		t.Fatalf("the kit has %d valid lines, want more", len(lines))
	}
	return lines
}

// event returns a line of that type, as a step would have it.
func event(typ, data string) string {
	return fmt.Sprintf(`{"schema_version":"openagent.run_event.v1","sequence":2,"ts":"2026-03-03T20:11:12.000Z","run_id":"r1","step":1,"type":%q,"data":%s}`, typ, data)
}

// probes are lines that break the contract, each with the languages whose types take
// it all the same: docs/parsers.md has a table of these.
var probes = []struct{ line, readers string }{
	{event("tool_exec_started", `{"tool_call_id":"c1","tool":7}`), ""},
	{event("tool_exec_started", `{"tool_call_id":"c1"}`), ""},
	{event("tool_imagined", `{"tool_call_id":"c1","tool":"t"}`), ""},
	{event("run_finished", `{"exit_reason":"ok","ok":"true","final_output":"","error":null}`), ""},
	{event("run_finished", `{"exit_reason":"ok","ok":true,"final_output":null,"error":null}`), ""},
	{event("run_started", `{"agent":{"name":"a"}}`), ""},
	{event("run_started", `{"mcp_servers":[{"name":"s","tools":"one","status":"connected"}]}`), ""},
	{event("run_started", `[]`), ""},
	{strings.Replace(event("run_started", `{}`), "event.v1", "event.v2", 1), ""},
	{strings.Replace(event("run_started", `{}`), `"step":1,`, "", 1), ""},
	{strings.Replace(event("run_started", `{}`), `"step":1,`, `"step":1,"x_trace":1,`, 1), "TypeScript"},
	{event("run_started", `{"agent":null}`), "Python Rust"},
	{event("run_started", `{"mcp_servers":null}`), "Python"},
	{event("run_started", `{"model":"`+strings.Repeat("m", 257)+`"}`), "TypeScript"},
	{strings.Replace(event("run_started", `{}`), `"step":1`, `"step":-1`, 1), "TypeScript Rust"},
	{strings.Replace(event("run_started", `{}`), `"step":1`, `"step":1.0`, 1), "TypeScript"},
}

// tools returns the folder where .ci/bindings has installed what the test needs.
func tools(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("OPENAGENT_TEST_BINDINGS")
	if folder == "" {
		t.Skip("OPENAGENT_TEST_BINDINGS names no folder of .ci/bindings install")
	}
	return folder
}

// kit writes the conformance kit to a folder.
func kit(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "kit")
	if err := os.CopyFS(dir, golden.Files()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// folder returns a new folder below parent with copies of the files.
func folder(t *testing.T, parent string, files ...string) string {
	t.Helper()
	dir, err := os.MkdirTemp(parent, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(file)), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// write puts a file into a folder and returns its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// copied puts a source into the folder src of another one.
func copied(t *testing.T, dir, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "src/"+filepath.Base(file), string(text))
}

// run runs a program in a folder, whose output must be want.
func run(t *testing.T, want, dir, program string, args ...string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != want {
		t.Errorf("%s %s: %v\n%.4000s\nwant %s", program, args[0], err, out, want)
	}
}

// marked returns the valid lines and the probes, each with whether the types of a
// language take it.
func marked(t *testing.T, language string) (lines [][2]any) {
	t.Helper()
	for _, line := range validLines(t) {
		lines = append(lines, [2]any{line, true})
	}
	for _, p := range probes {
		lines = append(lines, [2]any{p.line, slices.Contains(strings.Fields(p.readers), language)})
	}
	return lines
}

// asFile writes lines to a file, as JSON.
func asFile(t *testing.T, dir string, lines [][2]any) string {
	t.Helper()
	text, err := json.Marshal(lines)
	if err != nil {
		t.Fatal(err)
	}
	return write(t, dir, "lines.json", string(text))
}

func TestPython(t *testing.T) {
	bin := filepath.Join(tools(t), "venv", "bin")
	dir := folder(t, t.TempDir(), "python/run_event_v1.py", "../../docs/parsers/reader.py", "testdata/vectors.py")
	lines := marked(t, "Python")
	want := fmt.Sprintf("%d vectors, %d lines\n", len(golden.Vectors()), len(lines))
	run(t, want, dir, filepath.Join(bin, "python"), "vectors.py", kit(t), asFile(t, dir, lines))
	run(t, "Success: no issues found in 2 source files\n", dir, filepath.Join(bin, "mypy"), "--strict", "run_event_v1.py", "reader.py")
}

func TestTypeScript(t *testing.T) {
	installed := tools(t)
	dir := folder(t, installed, filepath.Join(installed, "tsconfig.json"), "testdata/vectors.cjs")
	var lines strings.Builder
	lines.WriteString("import type { Event } from \"./run_event_v1\";\nconst accept = <T extends Event>(event: T): T => event;\n")
	for _, line := range marked(t, "TypeScript") {
		if line[1] == false {
			lines.WriteString("// @ts-expect-error\n")
		}
		fmt.Fprintf(&lines, "accept(%s);\n", line[0])
	}
	write(t, dir, "src/lines.ts", lines.String())
	for _, file := range []string{"typescript/run_event_v1.ts", "../../docs/parsers/reader.ts"} {
		copied(t, dir, file)
	}
	run(t, "", dir, filepath.Join(installed, "node_modules", ".bin", "tsc"), "--project", ".")
	published, err := filepath.Abs(filepath.Join("..", schema.Version+".schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	run(t, fmt.Sprintf("%d vectors\n", len(golden.Vectors())), dir, "node", "vectors.cjs", "./out/reader.js", kit(t), published)
}

func TestRust(t *testing.T) {
	installed := tools(t)
	dir := folder(t, installed, filepath.Join(installed, "Cargo.toml"), filepath.Join(installed, "Cargo.lock"))
	for _, file := range []string{"rust/run_event_v1.rs", "../../docs/parsers/reader.rs", "testdata/lines.rs"} {
		copied(t, dir, file)
	}
	t.Setenv("CARGO_TARGET_DIR", filepath.Join(installed, "target"))
	t.Setenv("RUSTFLAGS", "--deny warnings")
	run(t, "", dir, "cargo", "check", "--quiet", "--locked")
	lines := marked(t, "Rust")
	run(t, fmt.Sprintf("%d lines\n", len(lines)), dir, "cargo", "run", "--quiet", "--locked", "--bin", "lines", asFile(t, dir, lines))
}
