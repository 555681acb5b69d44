package main_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/sandbox"
)

// walls skips a test on a machine that has no whole sandbox.
func walls(t *testing.T) {
	t.Helper()
	status, err := sandbox.Survey(sandbox.Policy{Environ: os.Environ()})
	if err != nil || status.Level != sandbox.LevelFull {
		t.Skipf("this machine has no whole sandbox: %s, %v", status.Text(), err)
	}
}

// agentStream is a shell function that prints a whole stream.
const agentStream = `line() { echo "{\"schema_version\":\"openagent.run_event.v1\",\"sequence\":$1,\"ts\":\"2026-03-03T20:11:12Z\",\"run_id\":\"r\",\"step\":0,\"type\":\"$2\",\"data\":$3}"; }
stream() {
	line 1 run_started '{}'
	line 2 run_finished '{"ok":true,"exit_reason":"ok","error":null,"error_code":null,"final_output":"done","duration_ms":1,"steps":0,"tool_calls":0,"usage":null}'
}
`

// outside prepares a harness in a folder on disk: what is in memory is open to all.
func outside(t *testing.T, flags ...string) *life {
	t.Helper()
	l := newLifeIn(t, t.TempDir(), append([]string{"ci", "--out=../evidence"}, flags...)...)
	l.cmd.Env = append(l.cmd.Env, "OPENAGENT_SANDBOX=") // the flags name the mode
	return l
}

// shellAgent writes an agent in the workspace that does what text says and then ends
// well, and returns a harness that runs it.
func shellAgent(t *testing.T, text string, flags ...string) *life {
	t.Helper()
	l := outside(t, append(flags, "--", "./agent.sh")...)
	script := "#!/bin/sh\n" + agentStream + text + "\nstream\n"
	if err := os.WriteFile(l.path("ws", "agent.sh"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"job", "state"} {
		if err := os.Mkdir(l.path(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"home/key", "job/env", "state/history"} {
		if err := os.WriteFile(l.path(file), []byte("was there\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l.cmd.Env = append(l.cmd.Env, "RUNNER_TEMP="+l.path("job"))
	return l
}

// reaching is an agent that says which of these things it could do.
const reaching = `try() { name=$1; shift; if sh -c "$@" >/dev/null 2>&1; then echo "did: $name" >&2; fi; }
top=$(dirname "$PWD")
try "write an artifact" "echo x >$OPENAGENT_ARTIFACTS_DIR/a.txt"
try "write the workspace" "echo x >$PWD/new"
try "write a temporary file" 'echo x >"$TMPDIR/x"'
try "write at home" 'echo x >"$HOME/x"'
try "read the key" "cat $top/home/key"
try "write the job's files" "echo x >>$top/job/env"
try "read the state" "cat $top/state/history"
try "write the evidence" "echo x >$top/evidence/x"
try "read the harness" "cat /proc/$PPID/environ"
try "signal the harness" "kill -0 $PPID"
`

// Within the wall a whole agent has its workspace and artifacts and nothing of the
// user's or the job's; without one it has all that its user has.
func TestWall_WholeAgent(t *testing.T) {
	t.Parallel()
	walls(t)
	own := []string{"write an artifact", "write the workspace", "write a temporary file", "write at home"}
	closed := []string{"read the key", "write the job's files", "read the state", "write the evidence", "read the harness", "signal the harness"}
	all := append(slices.Clone(own), closed...)
	if os.Geteuid() != 0 { // the harness does not let its user look into it either
		all = slices.DeleteFunc(all, func(what string) bool { return what == "read the harness" })
	}
	for _, tt := range []struct {
		flags []string
		want  []string
	}{
		{nil, all},
		{[]string{"--sandbox=off"}, all},
		{[]string{"--sandbox=auto"}, own},
		{[]string{"--sandbox=require"}, own},
		{[]string{"--sandbox=require", "--sandbox-read=../home/key"}, append(own, "read the key")},
		{[]string{"--sandbox=require", "--network=off"}, own},
	} {
		l := shellAgent(t, reaching, tt.flags...)
		_ = l.cmd.Run()
		said := readIfThere(l.path("evidence", "stderr.log"))
		for _, what := range append(own, closed...) {
			want := strings.Contains("\n"+strings.Join(tt.want, "\n")+"\n", "\n"+what+"\n")
			if got := strings.Contains(said, "did: "+what+"\n"); got != want {
				t.Errorf("%v: agent could %s: %v, want %v\n%s\n%s", tt.flags, what, got, want, said, &l.stderr)
			}
		}
		if text := readIfThere(l.path("evidence", "artifacts", "a.txt")); text != "x\n" {
			t.Errorf("%v: the artifact is %q, want it among the evidence", tt.flags, text)
		}
		l.checkConfined(t, tt.flags)
		l.deserted(t)
		if left, _ := filepath.Glob(l.path("job", "openagent-*")); len(left) > 0 {
			t.Errorf("%v: left %v, want nothing", tt.flags, left)
		}
	}
}

// checkConfined compares what manifest, summary and show say of the wall.
func (l *life) checkConfined(t *testing.T, flags []string) {
	t.Helper()
	walled := len(flags) > 0 && flags[0] != "--sandbox=off"
	m, line := l.manifest(t), "| sandbox | full: landlock "
	switch {
	case (m.Sandbox != nil) != walled:
		t.Errorf("%v: the manifest has sandbox %+v, want one: %v", flags, m.Sandbox, walled)
	case walled && (m.Sandbox.Level != "full" || !m.Sandbox.Seccomp || m.Sandbox.LandlockABI == nil || len(m.Sandbox.Missing) > 0):
		t.Errorf("%v: the manifest has sandbox %+v, want all of it", flags, m.Sandbox)
	}
	if summary := readIfThere(l.path("evidence", "summary.md")); strings.Contains(summary, line) != walled {
		t.Errorf("%v: summary has the line of the sandbox: %v, want %v\n%s", flags, !walled, walled, summary)
	}
	show, err := exec.Command(l.cmd.Path, "show", l.path("evidence")).CombinedOutput()
	if got := strings.Contains(string(show), "sandbox ") && strings.Contains(string(show), "full: landlock"); err != nil || got != walled {
		t.Errorf("%v: show says what the sandbox was: %v, want %v: %v\n%s", flags, got, walled, err, show)
	}
}

// What runs by itself later is put back after a whole agent, and is a finding.
func TestWall_PutsBackAHook(t *testing.T) {
	walls(t)
	for _, flags := range [][]string{{"--sandbox=auto"}, {"--sandbox=off"}} {
		l := shellAgent(t, "mkdir -p .git/hooks && echo evil >.git/hooks/pre-commit", flags...)
		if err := os.Mkdir(l.path("ws", ".git"), 0o700); err != nil {
			t.Fatal(err)
		}
		_ = l.cmd.Run()
		held := flags[0] == "--sandbox=auto"
		found := l.manifest(t).Counts.FindingsByRule["run/tampering"]
		if hook := readIfThere(l.path("ws", ".git", "hooks", "pre-commit")); (hook == "") != held || (found > 0) != held {
			t.Errorf("%v: the hook is %q, %d findings run/tampering, want it put back: %v\n%s", flags, hook, found, held, &l.stderr)
		}
	}
}

// Require begins nothing where something is missing; auto warns of it once.
func TestWall_WhereSomethingIsMissing(t *testing.T) {
	walls(t)
	l := shellAgent(t, "echo began >&2", "--sandbox=require")
	l.cmd.Env = append(l.cmd.Env, "HOME="+l.path("ws"))
	_ = l.cmd.Run()
	text := l.stdout.String() + l.stderr.String()
	for _, want := range []string{"verdict: pre_run_error", "sandbox_unavailable: the sandbox is not complete: ", "the workspace is the home folder", "give --sandbox auto to go on with what there is"} {
		if !strings.Contains(text, want) {
			t.Errorf("require says nothing of %q:\n%s", want, text)
		}
	}
	if l.cmd.ProcessState.ExitCode() != 1 || strings.Contains(text, "began") {
		t.Errorf("require: status %d, want 1 and no agent begun:\n%s", l.cmd.ProcessState.ExitCode(), text)
	}
	l = shellAgent(t, "echo began >&2", "--network=loopback", "--sandbox=auto", "--sandbox-write=..")
	_ = l.cmd.Run()
	if text := l.stdout.String() + l.stderr.String(); !strings.Contains(text, "would open") || strings.Contains(text, "began") {
		t.Errorf("a path that opens what must stay closed: %s, want a refusal before the agent", text)
	}
	l = shellAgent(t, "echo began >&2", "--sandbox=auto", "--sandbox-preset=java")
	l.cmd.Env = append(l.cmd.Env, "PATH="+l.path("none"), "JAVA_HOME=") // which has no java
	_ = l.cmd.Run()
	if text := l.stderr.String(); strings.Count(text, "the sandbox round the agent is not complete") != 1 || !strings.Contains(text, "began") {
		t.Errorf("auto: %s, want one warning and the agent begun", text)
	}
}

// A harness that is killed, an agent that ignores its end, and what one leaves behind:
// all are ended within the wall as without.
func TestWall_NobodyIsLeft(t *testing.T) {
	t.Parallel()
	walls(t)
	const stubborn = `trap '' TERM HUP INT PIPE
sleep 999 & setsid sleep 999 & (setsid sh -c 'sleep 999; true' &) ; env -i sleep 999 &
`
	t.Run("swept", func(t *testing.T) {
		l := shellAgent(t, stubborn, "--sandbox=auto")
		if err := l.cmd.Run(); err != nil {
			t.Errorf("run: %v\n%s%s", err, &l.stdout, &l.stderr)
		}
		if text := l.stdout.String(); !strings.Contains(text, "left behind") {
			t.Errorf("nothing is said of what was left behind:\n%s", text)
		}
		l.deserted(t)
	})
	t.Run("escalated", func(t *testing.T) {
		l := shellAgent(t, stubborn+"while :; do sleep 1; done", "--sandbox=auto", "--timeout=1s")
		_ = l.cmd.Run()
		if m := l.manifest(t); m.Verdict != "timeout" || m.Signal == nil || *m.Signal != "SIGKILL" {
			t.Errorf("verdict %s, signal %v, want a timeout and SIGKILL\n%s", m.Verdict, m.Signal, &l.stderr)
		}
		l.deserted(t)
	})
	t.Run("harness killed", func(t *testing.T) {
		var mu sync.Mutex
		atMoments(t, times(4, 50), 300*time.Millisecond, func(_ int, at time.Duration) {
			l := shellAgent(t, stubborn+"while :; do sleep 1; done", "--sandbox=auto")
			if err := l.cmd.Start(); err != nil {
				t.Error(err)
				return
			}
			time.Sleep(at)
			mu.Lock()
			defer mu.Unlock()
			if err := l.cmd.Process.Kill(); err != nil {
				t.Errorf("kill: %v, want the harness alive", err)
			}
			_ = l.cmd.Wait()
			l.deserted(t)
		})
	})
}

// The private folders of the wall go with a harness that is killed while the agent runs.
func TestWall_LeavesNoFolder(t *testing.T) {
	t.Parallel()
	walls(t)
	l := shellAgent(t, `echo x >"$HOME/x"; echo ready >&2; sleep 999`, "--sandbox=auto")
	l.cmd.Stderr = nil
	stderr, err := l.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(stderr); lines.Scan() && !strings.Contains(lines.Text(), "ready"); {
		l.stderr.WriteString(lines.Text())
	}
	private, _ := filepath.Glob(l.path("job", "openagent-ci-*", "openagent-sandbox-*", "home", "x"))
	if err := l.cmd.Process.Kill(); err != nil || len(private) != 1 {
		t.Errorf("kill: %v, private %v, want the harness alive and one home\n%s", err, private, &l.stderr)
	}
	_ = l.cmd.Wait()
	l.deserted(t)
	if left, _ := filepath.Glob(l.path("[jt][om][bp]", "openagent-*")); len(left) > 0 {
		t.Errorf("left: %v, want no folder", left)
	}
}

// fakeCodex is a codex that asks its model by our own client, and says what it has.
const fakeCodex = `#!/bin/sh
if [ "$1" = --version ]; then echo "codex-cli 0.169.0"; exit 0; fi
{ echo "args: $*"; echo "key: $CODEX_API_KEY"; echo x >"$CODEX_HOME/written" && [ "$CODEX_HOME" = "$HOME/.codex" ] && echo "home: private"; } >&2
base=$(sed -n 's/^base_url = "\(.*\)"$/\1/p' "$CODEX_HOME/config.toml")
said=$(OPENAI_API_KEY=$CODEX_API_KEY %q run --model any --base-url "$base" --api responses --state-dir "$HOME/state" %s "$(cat)")
echo '{"type":"thread.started","thread_id":"01a1fa9c-ca5b-7953-8717-c67c99a8d075"}'
echo '{"type":"turn.started"}'
echo "{\"type\":\"item.completed\",\"item\":{\"id\":\"item_0\",\"type\":\"agent_message\",\"text\":\"$said\"}}"
echo '{"type":"turn.completed","usage":{"input_tokens":200,"cached_input_tokens":0,"output_tokens":20}}'
`

// A preset has its key, its private home and the scripted model within the wall, and
// its own sandbox off.
func TestWall_Preset(t *testing.T) {
	walls(t)
	l := outside(t, "--agent=codex", "--script=../turns.yaml", "--sandbox=require", "say hi")
	bin := l.path("bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"bin/codex": fmt.Sprintf(fakeCodex, l.cmd.Path, ""), "turns.yaml": "- {expect: say hi, text: Hello there.}\n"}
	for name, text := range files {
		if err := os.WriteFile(l.path(name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	l.cmd.Env = append(l.cmd.Env, "OPENAGENT_MAX_STEPS=", "PATH="+bin+":"+filepath.Dir(l.cmd.Path)+":"+os.Getenv("PATH"))
	if err := l.cmd.Run(); err != nil {
		t.Errorf("run: %v\n%s%s", err, &l.stdout, &l.stderr)
	}
	said := readIfThere(l.path("evidence", "stderr.log"))
	for _, want := range []string{" -s danger-full-access", "key: sk-test-scripted", "home: private"} {
		if !strings.Contains(said, want) {
			t.Errorf("the agent says nothing of %q:\n%s", want, said)
		}
	}
	if got := readIfThere(l.path("evidence", "final_output.md")); !strings.Contains(got, "Hello there.") {
		t.Errorf("final output is %q, want what the scripted model said\n%s", got, said)
	}
	l.checkConfined(t, []string{"--sandbox=require"})
}

// Each real agent does its steps within the wall, and reaches nothing outside.
func TestAgents_Wall(t *testing.T) {
	eachAgent(t, func(t *testing.T, name string, a realAgent) {
		walls(t)
		t.Setenv("OPENAGENT_SANDBOX", "require") // so that the run lies on the disk: memory is open within the wall
		file := filepath.Join(t.TempDir(), "outside")
		if err := os.WriteFile(file, []byte("not for agents\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		// Some agents look at the paths in a command.
		l := a.life(t, name, a.call("echo inside >made.txt; sh peek.sh")+lastTurn)
		if err := os.WriteFile(l.path("ws", "peek.sh"), []byte("cat "+file+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		l.cmd.Args = append(l.cmd.Args[:len(l.cmd.Args)-1], "--sandbox=require", l.cmd.Args[len(l.cmd.Args)-1])
		_ = l.cmd.Run()
		if end := l.ending(t); end.verdict != "success" {
			t.Errorf("run ended %s %s:\n%s\n%s", end.reason, end.verdict, &l.stderr, l.stream(t))
		}
		if text := readIfThere(l.path("ws", "made.txt")); text != "inside\n" {
			t.Errorf("the command left %q in the workspace, want what it wrote\n%s", text, l.stream(t))
		}
		if strings.Contains(string(l.stream(t)), "not for agents") {
			t.Errorf("the command read a file outside:\n%s", l.stream(t))
		}
		l.deserted(t)
		l.keyIsNowhere(t)
	})
}

// Evidence in the workspace, where it is by default, is neither read nor changed by
// the built-in agent's commands, and is whole afterwards.
func TestWall_EvidenceInTheWorkspace(t *testing.T) {
	walls(t)
	script := filepath.Join(t.TempDir(), "script.yaml")
	const line = `cat openagent-out/*/events.jsonl; ls openagent-out/*; echo forged >>openagent-out/*/events.jsonl; mv openagent-out elsewhere; rm -rf openagent-out; true`
	if err := os.WriteFile(script, []byte(fmt.Sprintf("- tool_calls: [{tool: execute_command, arguments: {command: %q}}]\n- text: done\n", line)), 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, held := range map[string]bool{"require": true, "auto": true, "off": false} {
		l := newLifeIn(t, t.TempDir(), "ci", "--sandbox="+mode, "--script="+script, "go")
		_ = l.cmd.Run()
		m, _ := filepath.Glob(l.path("ws", "openagent-out", "*", "manifest.json"))
		text := l.stdout.String() + l.stderr.String()
		whole := len(m) == 1 && l.cmd.ProcessState.ExitCode() == 0 && !strings.Contains(text, "run/tampering")
		if whole != held {
			t.Errorf("%s: evidence is whole: %v, want %v\n%s", mode, whole, held, text)
		}
		if held && len(m) == 1 {
			if stream := readIfThere(filepath.Join(filepath.Dir(m[0]), "events.jsonl")); strings.Contains(stream, `content_preview":"{`) || !strings.Contains(stream, "No such file or directory") {
				t.Errorf("%s: a command saw the stream, or could write to it:\n%s", mode, stream)
			}
		}
	}
}

// A whole agent that is refused a file is told what opens it, by its stderr or by what
// a tool of it printed; the first counts.
func TestWall_WholeAgentIsHintedWhatOpens(t *testing.T) {
	t.Parallel()
	walls(t)
	tool := `line() { :; }
echo '{"schema_version":"openagent.run_event.v1","sequence":1,"ts":"2026-03-03T20:11:12Z","run_id":"r","step":0,"type":"run_started","data":{}}'
echo '{"schema_version":"openagent.run_event.v1","sequence":2,"ts":"2026-03-03T20:11:12Z","run_id":"r","step":1,"type":"tool_exec_finished","data":{"tool_call_id":"c","tool":"sh","ok":false,"content_preview":"cat: '$top'/home/key: Permission denied","truncated":false,"original_bytes":null}}'
echo '{"schema_version":"openagent.run_event.v1","sequence":3,"ts":"2026-03-03T20:11:12Z","run_id":"r","step":1,"type":"run_finished","data":{"ok":true,"exit_reason":"ok","error":null,"final_output":"done"}}'
exit 0`
	for name, text := range map[string]string{
		"stderr": "cat ../home/key ../state/history || cat $top/home/key",
		"no LF":  "printf 'cat: %s/home/key: Permission denied' $top >&2",
		"a tool": tool,
	} {
		l := shellAgent(t, "top=$(dirname \"$PWD\")\n"+text, "--sandbox=auto")
		_ = l.cmd.Run()
		said, want := l.stderr.String(), "the sandbox closes "+l.path("home/key")+"; --sandbox-read "+l.path("home/key")+" opens it"
		if strings.Count(said, want) != 1 {
			t.Errorf("%s: the log has not %q once:\n%s", name, want, said)
		}
	}
}

// That root's commands can read the key is said only where they can.
func TestWall_WarnsOfRoot(t *testing.T) {
	t.Parallel()
	walls(t)
	if os.Geteuid() != 0 {
		t.Skip("the warning is root's")
	}
	for _, tt := range []struct {
		args []string
		want bool
	}{
		{[]string{"run", "--sandbox=off", "--script=" + thirtyCalls(t), "go"}, true},
		{[]string{"run", "--script=" + thirtyCalls(t), "go"}, false},
		{[]string{"ci", "--out=../evidence", "--sandbox=off", "--script=demo"}, true},
		{[]string{"ci", "--out=../evidence", "--script=demo"}, false},
		{[]string{"ci", "--out=../evidence", "--", "true"}, true},
		{[]string{"ci", "--out=../evidence", "--sandbox=auto", "--", "true"}, false},
	} {
		l := newLifeIn(t, t.TempDir(), tt.args...)
		l.cmd.Env = append(l.cmd.Env, "SOME_TOKEN=sk-test-0123456789abcdef", "OPENAGENT_SANDBOX=")
		_ = l.cmd.Run()
		if said := l.stderr.String(); strings.Contains(said, "commands run as root, which can read the key") != tt.want {
			t.Errorf("%q warns of root: want %v\n%s", tt.args, tt.want, said)
		}
	}
}
