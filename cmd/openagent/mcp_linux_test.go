package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/tool/mcp/testdata/testserver"
)

// serving prepares a command line with an MCP server called t, in that mode, and a
// script of those calls of its tools: name, a blank and the arguments.
func serving(t testing.TB, command, sandbox, mode string, calls []string, flags ...string) *life {
	t.Helper()
	path, words, err := testserver.Command(mode)
	if err != nil {
		t.Fatal(err)
	}
	script := ""
	for _, call := range calls {
		name, arguments, _ := strings.Cut(call, " ")
		script += fmt.Sprintf("- tool_calls: [{tool: mcp__t__%s, arguments: %s}]\n", name, arguments)
	}
	args := append([]string{command, "--sandbox=" + sandbox, "--script=../script.yaml", "--mcp-config=../mcp.json"}, flags...)
	if sandbox != "off" {
		args = append(args, "--sandbox-read="+path)
	}
	l := newLifeIn(t, t.TempDir(), append(args, "go")...)
	config := fmt.Sprintf(`{"mcpServers":{"t":{"command":%q,"args":[%q,%q]}}}`, path, words[0], words[1])
	for name, text := range map[string]string{"script.yaml": script + "- text: done\n", "mcp.json": config} {
		if err := os.WriteFile(l.path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l.cmd.Env = append(l.cmd.Env, "OPENAGENT_SANDBOX=")
	return l
}

// eachWall runs a test without a wall, and within one where this machine has it.
func eachWall(t *testing.T, test func(t *testing.T, sandbox string)) {
	for _, sandbox := range []string{"off", "require"} {
		t.Run(sandbox, func(t *testing.T) {
			if sandbox == "require" {
				walls(t)
			}
			test(t, sandbox)
		})
	}
}

// Whatever a server does, the stream is whole, each call has its one receipt, what was
// wanted comes where it can, and nobody is left.
func TestServers_Hostile(t *testing.T) {
	t.Parallel()
	echo, again := `echo {text: hello}`, `echo {text: again}`
	for _, test := range []struct {
		mode, name string
		calls      []string
		end, want  string // the exit reason, and what the stream says
	}{
		{"good", "answers", []string{echo}, "ok", `"content_preview":"hello"`},
		{"good", "dies in a call", []string{"die {}", again}, "ok", `"error_kind":"server_gone"`},
		{"good", "brings 100 MB", []string{"big {bytes: 104857600}", again}, "ok", `"error_kind":"too_large"`},
		{"dies", "is not there", []string{echo}, "pre_run_error", "it ended with status 3 before it could be used; it said last: cannot find my database"},
		{"late", "is slow", []string{echo}, "ok", `"content_preview":"hello"`},
		{"silent", "hangs", []string{echo}, "ok", `"error_kind":"server_timed_out"`},
		{"deaf", "reads nothing", []string{echo, again}, "ok", `"error_kind":"server_timed_out"`},
		{"floods", "floods", []string{echo, again}, "ok", `"content_preview":"again"`},
		{"shouts", "shouts", []string{echo}, "ok", `"content_preview":"hello"`},
		{"leaves", "forks away", []string{echo}, "ok", `"content_preview":"hello"`},
		{"lies", "lies about its schema", []string{echo, "big {bytes: 16}"}, "ok", `there is no tool \"mcp__t__echo\"`},
		{"names", "has odd names", []string{"a__31m____error__b__ {}"}, "ok", `"tool":"mcp__t__a__31m____error__b__"`},
		{"clashes", "has two tools of one name", []string{echo}, "pre_run_error", "would both be called mcp__t__a_b"},
		{"many", "has too many tools", []string{echo}, "pre_run_error", "MCP servers offer 146 tools"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			eachWall(t, func(t *testing.T, sandbox string) {
				t.Parallel()
				l := serving(t, "run", sandbox, test.mode, test.calls, "--output=json")
				if test.end == "ok" && strings.Contains(test.want, "timed_out") {
					l.cmd.Args = append(l.cmd.Args, "--tool-timeout=2s")
				}
				err := l.cmd.Run()
				end := finished(t, l.stdout.Bytes())
				if end.Data.Reason != test.end || (err == nil) != (test.end == "ok") || !strings.Contains(l.stdout.String(), test.want) {
					t.Errorf("%v, exit reason %s, want %s and %q:\n%s%s", err, end.Data.Reason, test.end, test.want, tail(l.stdout.Bytes(), 4000), tail(l.stderr.Bytes(), 2000))
				}
				if left := l.alive(); len(left) > 0 {
					t.Errorf("processes are left:\n%s", strings.Join(left, "\n"))
				}
			})
		})
	}
}

// A server changes its tools between steps, and gains nothing by that: the policy
// judges the name that is called.
func TestServers_RenamedTools(t *testing.T) {
	eachWall(t, func(t *testing.T, sandbox string) {
		calls := []string{"change {}", `echo {text: there}`, `run {command: id}`, "harmless {command: id}"}
		l := serving(t, "run", sandbox, "renames", calls, "--output=json", "--policy=../policy.yaml")
		policy := "version: 1\ndefault: allow\nrules:\n- {tool: mcp__t__change, decision: allow}\n- {tool: 'mcp__*', decision: deny}\n"
		if err := os.WriteFile(l.path("policy.yaml"), []byte(policy), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := l.cmd.Run(); err != nil {
			t.Errorf("%v\n%s", err, &l.stderr)
		}
		finished(t, l.stdout.Bytes())
		for _, want := range []string{`"tool":"mcp__t__harmless","decision":"deny"`, `an MCP server has other tools now`, `new=mcp__t__harmless`} {
			if !strings.Contains(l.stdout.String()+l.stderr.String(), want) {
				t.Errorf("want %q:\n%s%s", want, &l.stdout, &l.stderr)
			}
		}
		if got := strings.Count(l.stdout.String(), `"type":"tool_exec_started"`); got != 1 {
			t.Errorf("%d tools were executed, want the one that is allowed", got)
		}
	})
}

// Within the wall a server reaches what commands reach, and what it plants is put back.
func TestServers_StandInTheWall(t *testing.T) {
	walls(t)
	plant := `run {command: "mkdir -p .git/hooks; echo evil >.git/hooks/post-checkout; cat ../state/x ../mcp.json; echo x >written; echo wrote >../outside"}`
	l := serving(t, "run", "require", "good", []string{plant, "environment {}"}, "--output=json", "--network=off", "--state-dir=../state")
	for _, dir := range []string{"ws/.git/hooks", "state"} {
		if err := os.MkdirAll(l.path(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(l.path("state", "x"), []byte("state of others"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := l.cmd.Run(); err != nil {
		t.Errorf("%v\n%s", err, &l.stderr)
	}
	for _, never := range []string{"state of others", "mcpServers"} {
		if strings.Contains(l.stdout.String(), never) {
			t.Errorf("the server read %q:\n%s", never, &l.stdout)
		}
	}
	for file, want := range map[string]bool{"ws/written": true, "ws/.git/hooks/post-checkout": false, "outside": false} {
		if _, err := os.Stat(l.path(file)); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", file, err == nil, want)
		}
	}
	if home := l.path("home"); strings.Contains(l.stdout.String(), "HOME="+home) {
		t.Errorf("the server has the home of the user:\n%s", &l.stdout)
	}
}

// A signal in a call ends run and server, as it does with commands.
func TestServers_SignalInACall(t *testing.T) {
	t.Parallel()
	eachWall(t, func(t *testing.T, sandbox string) {
		l := serving(t, "run", sandbox, "good", []string{"wait {ms: 600000}"}, "--output=json", "--events=../events")
		if err := l.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		l.inACall(t, "events")
		began := time.Now()
		_ = l.cmd.Process.Signal(syscall.SIGTERM)
		_ = l.cmd.Wait()
		if elapsed := time.Since(began); elapsed > patience {
			t.Errorf("from the signal to the end it took %v", elapsed)
		}
		if end := finished(t, l.stdout.Bytes()); end.Data.Reason != "cancelled" || !strings.Contains(l.stdout.String(), `"error_kind":"cancelled"`) {
			t.Errorf("exit reason %s, want cancelled:\n%s", end.Data.Reason, &l.stdout)
		}
		if left := l.alive(); len(left) > 0 {
			t.Errorf("processes are left:\n%s", strings.Join(left, "\n"))
		}
	})
}

// inACall waits until the log of events says that a tool is being executed.
func (l *life) inACall(t *testing.T, log string) {
	t.Helper()
	for over := time.Now().Add(patience); time.Now().Before(over); time.Sleep(5 * time.Millisecond) {
		if text, _ := os.ReadFile(l.path(log)); bytes.Contains(text, []byte("tool_exec_start")) {
			return
		}
	}
	t.Fatalf("no call is executed:\n%s", &l.stderr)
}

// An agent that is killed in a call takes its servers along, and what they started.
func TestServers_KilledUnderTheHarness(t *testing.T) {
	eachWall(t, func(t *testing.T, sandbox string) {
		l := serving(t, "ci", sandbox, "leaves", []string{`run {command: "sleep 999 & setsid sleep 999 >/dev/null 2>&1"}`}, "--out=../evidence", "--events=../events")
		if err := l.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		l.inACall(t, "events")
		if !killChild(l.cmd.Process.Pid, 0) {
			t.Fatal("there is no agent to kill")
		}
		_ = l.cmd.Wait()
		var manifest struct{ Verdict string }
		if text, err := os.ReadFile(l.path("evidence", "manifest.json")); err != nil || json.Unmarshal(text, &manifest) != nil || manifest.Verdict != "crash" {
			t.Errorf("verdict %q, %v, want crash", manifest.Verdict, err)
		}
		if left := l.alive(); len(left) > 0 {
			t.Errorf("processes are left:\n%s", strings.Join(left, "\n"))
		}
	})
}

// Two runs in one workspace have servers of their own.
func TestServers_TwoRunsAtOnce(t *testing.T) {
	calls := []string{`echo {text: first}`, "wait {ms: 300}", `echo {text: last}`}
	var both sync.WaitGroup
	for _, l := range []*life{serving(t, "run", "off", "good", calls, "--output=json"), serving(t, "run", "off", "good", calls, "--output=json", "--workspace="+t.TempDir())} {
		both.Go(func() {
			if err := l.cmd.Run(); err != nil || !strings.Contains(l.stdout.String(), `"content_preview":"last"`) {
				t.Errorf("%v\n%s%s", err, &l.stdout, &l.stderr)
			}
		})
	}
	both.Wait()
}

// serversVariable names the folder in which npm has installed the servers of other
// makers.
const serversVariable = "OPENAGENT_TEST_SERVERS"

// Servers that nobody here wrote work, with and without a wall.
func TestServers_OfOthers(t *testing.T) {
	modules := os.Getenv(serversVariable)
	if modules == "" {
		t.Skip(serversVariable + " names no folder with the servers of other makers; .ci/run installs them")
	}
	modules = filepath.Join(modules, "node_modules")
	eachWall(t, func(t *testing.T, sandbox string) {
		l := serving(t, "run", sandbox, "good", nil, "--output=json")
		bin := filepath.Join(modules, ".bin")
		config := fmt.Sprintf(`{"mcpServers":{"everything":{"command":%q},"fs":{"command":%q,"args":["."]}}}`,
			filepath.Join(bin, "mcp-server-everything"), filepath.Join(bin, "mcp-server-filesystem"))
		script := `- tool_calls:
  - {tool: mcp__everything__echo, arguments: {message: hi}}
  - {tool: mcp__everything__echo, arguments: {message: 5}}
  - {tool: mcp__everything__get-sum, arguments: {a: 2, b: 3}}
  - {tool: mcp__everything__get-tiny-image, arguments: {}}
  - {tool: mcp__everything__get-structured-content, arguments: {location: New York}}
  - {tool: mcp__everything__trigger-long-running-operation, arguments: {duration: 3, steps: 6}}
- tool_calls:
  - {tool: mcp__fs__write_file, arguments: {path: notes.txt, content: "hello\n"}}
  - {tool: mcp__fs__read_text_file, arguments: {path: notes.txt}}
  - {tool: mcp__fs__read_text_file, arguments: {path: ../mcp.json}}
- text: done
`
		for name, text := range map[string]string{"mcp.json": config, "script.yaml": script} {
			if err := os.WriteFile(l.path(name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		l.cmd.Args = append(l.cmd.Args, "--tool-timeout=2s")
		if sandbox != "off" {
			l.cmd.Args = append(l.cmd.Args, "--sandbox-read="+modules, "--sandbox-preset=node")
		}
		if err := l.cmd.Run(); err != nil {
			t.Fatalf("%v\n%s%s", err, &l.stdout, &l.stderr)
		}
		finished(t, l.stdout.Bytes())
		for _, want := range []string{
			`{"name":"everything","tools":`, `{"name":"fs","tools":`, `"content_preview":"Echo: hi"`, `/message: got the number 5, want a string`,
			`The sum of 2 and 3 is 5.`, `image, image/png`, `item1.png`, `"content_preview":"Long running operation completed`, `"content_preview":"hello"`,
			`"error_kind":"server_tool_failed"`,
		} {
			if !strings.Contains(l.stdout.String(), want) {
				t.Errorf("the stream lacks %q:\n%s%s", want, &l.stdout, &l.stderr)
			}
		}
		if text, err := os.ReadFile(l.path("ws", "notes.txt")); string(text) != "hello\n" {
			t.Errorf("notes.txt has %q, %v", text, err)
		}
		if left := l.alive(); len(left) > 0 {
			t.Errorf("processes are left:\n%s", strings.Join(left, "\n"))
		}
	})
}
