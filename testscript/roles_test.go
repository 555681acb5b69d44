package testscript_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// lifetime ends an agent that a broken test leaves behind.
const lifetime = 2 * time.Minute

// The lines of a faultless run.
var (
	started  = event(1, "run_started", `{}`)
	step     = event(2, "step_started", `{"step_id":"s1","step_index":1,"allowed_tools":null,"enforcement_mode":null}`)
	finished = event(3, "run_finished", `{"exit_reason":"ok","ok":true,"final_output":"done","error":null}`)
)

func event(sequence int, typ, data string) string {
	return fmt.Sprintf(`{"schema_version":"openagent.run_event.v1","sequence":%d,"ts":"2026-03-03T20:11:12.000Z","run_id":"r1","step":%d,"type":%q,"data":%s}`+"\n",
		sequence, min(sequence-1, 1), typ, data)
}

func write(parts ...string) {
	for _, p := range parts {
		if _, err := os.Stdout.WriteString(p); err != nil {
			os.Exit(9)
		}
	}
}

// repeat says so many mebibytes of x.
func repeat(x byte, mebibytes int) {
	block := bytes.Repeat([]byte{x}, 1<<20)
	for range mebibytes {
		write(string(block))
	}
}

// roles are the agents that scripts start by name; each system adds its own.
var roles = map[string]func(){
	"leaky":     leak,
	"good":      func() { write(started, step, finished) },
	"nothing":   func() {},
	"prose":     func() { write(started, "Let me think about this.\n", step, finished) },
	"ansi":      func() { write(started, "\x1b[32m"+strings.TrimSuffix(step, "\n")+"\x1b[0m\n", finished) },
	"crlf":      func() { write(strings.ReplaceAll(started+step+finished, "\n", "\r\n")) },
	"bom":       func() { write("\ufeff", started, step, finished) },
	"long-line": func() { write(started); repeat('x', 200); write("\n", step, finished) },
	"nul":       func() { write(started, "\x00\x00\n", strings.Replace(step, "s1", "s\x001", 1), finished) },
	"gap": func() {
		write(started, event(5, "run_finished", `{"exit_reason":"ok","ok":true,"final_output":"","error":null}`))
	},
	"two-terminals": func() {
		write(started, step, finished, strings.Replace(finished, `"sequence":3`, `"sequence":4`, 1))
	},
	"after-terminal": func() { write(started, step, finished, strings.Replace(step, `"sequence":2`, `"sequence":4`, 1)) },
	"no-terminal":    func() { write(started, step) },
	"ok-and-status":  func() { write(started, step, finished); os.Exit(1) },
	"not-ok-and-0":   func() { write(started, step, strings.Replace(finished, `"ok":true`, `"ok":false`, 1)) },
	"crash-status":   func() { write(started, step); os.Exit(3) },
	"torn": func() {
		preview := strings.Repeat("x", 64<<10)
		write(started, event(2, "tool_exec_finished", `{"tool_call_id":"a","tool":"t","ok":true,"content_preview":"`+preview)[:64<<10])
		os.Exit(1)
	},
	"too-much":     func() { write(started); repeat('\n', 300); write(finished) },
	"much-garbage": func() { write(started, strings.Repeat("garbage\n", 1000), step, finished) },
	"closes-stdout": func() {
		write(started, step, finished)
		os.Stdout.Close()
		time.Sleep(lifetime)
	},
	"hangs":    func() { write(started, step, finished); time.Sleep(lifetime) },
	"mid-line": func() { write(started, step, finished[:40]); time.Sleep(lifetime) },
	"floods": func() {
		line := strings.Repeat("e", 1023) + "\n"
		for range 300 << 10 {
			os.Stderr.WriteString(line)
		}
		write(started, step, finished)
	},
}

// play plays the agent that the command line names, if it names one.
func play() {
	if len(os.Args) < 2 || strings.HasPrefix(os.Args[1], "-") {
		return
	}
	role, ok := roles[os.Args[1]]
	if !ok {
		role, ok = systemRoles()[os.Args[1]]
	}
	if !ok {
		fmt.Fprintln(os.Stderr, "no such role:", slices.Clone(os.Args[1:]))
		os.Exit(9)
	}
	role()
	os.Exit(0)
}
