package testscript

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema/validate"
)

// command is a command of scripts that is ours.
type command struct {
	name  string
	usage string // what may follow the name
	about string
	plain bool // takes no !
	run   func(ts *testscript.TestScript, neg bool, args []string)
}

// commands returns ours, in the order of the help. p are the parameters they
// run with, until ctx ends.
func commands(ctx context.Context, p *Params) []command {
	list := []command{
		{"openagent", "ARGS", "runs the command line in the script's folder; its status must be 0, with ! 1", false, openagent(ctx, p)},
		{"status", "N COMMAND...", "runs openagent ARGS or exec PROGRAM ARGS, whose status must be N", false, status(ctx, p)},
		{"stream-run", "[-verdict V] COMMAND...", "the agent, judged as openagent ci does, has the verdict V (success)", false, streamRun(ctx, p)},
		{"model", "FILE", "plays the model from the turns of a script until the script ends; programs find it by $MODEL_URL and the variables of each agent", false, serveModel},
		{"agent", "[-allow] NAME [ARG]...", "an agent that is installed, asked what the last ARG says, has the verdict success; with ! another; -allow lets it run its tools", false, agent(ctx, p)},
		{"repo", "[-commit REV] [-submodules] [PATH]", "goes on in a copy of the repository where openagent test was started, or of its folder PATH, as committed", true, repo(ctx)},
		{"stream-check", "[-strict] [-rule ID] FILE", "no rule of the contract is broken; with ! one is, -rule says which", false, check},
		{"stream-cmp", "FILE GOLDEN", "the stream is as the golden one, but for times and run ids", false, compare(p)},
		{"stream-has", "FILE TYPE [POINTER OP VALUE]...", "an event of the type has these data; OP is one of " + operators, true, has},
		{"stream-lacks", "FILE TYPE [POINTER OP VALUE]...", "no event does", true, lacks},
		{"stream-count", "FILE TYPE N", "there are N events of the type; OP may stand before N", true, count},
		{"stream-order", "FILE TYPE[:TOOL]...", "these occur in this order", true, order},
		{"call-has", "TOOL [ARG OP VALUE]...", "the last run called the tool with these arguments; names are the same for every agent: execute_command {command}, read_file {path}, write_file {path, content}", true, callHas},
		{"call-lacks", "TOOL [ARG OP VALUE]...", "it made no such call", true, callLacks},
		{"call-count", "TOOL N", "it called the tool N times; OP may stand before N", true, callCount},
		{"call-order", "TOOL[:ARG OP VALUE]...", "it made such calls in this order", true, callOrder},
		{"answer", "OPVALUE...", "its final text, all of it", true, checkAnswer},
		{"budget", "[-cost USD] [-tokens N] [-turns N] [-time D] [-cost-unknown ok]", "it took no more", true, budget},
		{"judge", "[-min 0.7] [-votes 1] RUBRIC | -file FILE", "a model finds that the last run does what the rubric asks; a scripted one answers by judge: of its file", true, judge(ctx)},
		{"stream-truncated", "FILE TOOL BYTES", "a result of the tool was cut, from so many bytes", true, truncated},
	}
	for i, c := range list {
		if c.name != "openagent" {
			list[i].run = withHelp(c)
		}
	}
	return list
}

// withHelp returns what runs the command, or with -help describes it.
func withHelp(c command) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if len(args) == 1 && slices.Contains([]string{"-h", "-help", "--help"}, args[0]) {
			_, err := fmt.Fprintf(ts.Stdout(), "%s %s\n\t%s\n", c.name, c.usage, c.about)
			ts.Check(err)
			return
		}
		if neg && c.plain {
			ts.Fatalf("%s takes no !", c.name)
		}
		c.run(ts, neg, args)
	}
}

// help returns the commands as a list for people.
func help() string {
	var b strings.Builder
	for _, c := range commands(context.Background(), &Params{}) {
		fmt.Fprintf(&b, "  %s %s\n      %s\n", c.name, c.usage, c.about)
	}
	return b.String()
}

// check is stream-check [-strict] [-rule ID] FILE: the stream is clean; with !
// it is not, and -rule names a rule that must be among the broken ones.
func check(ts *testscript.TestScript, neg bool, args []string) {
	const usage = "usage: [!] stream-check [-strict] [-rule ID] FILE"
	var strict bool
	var rule string
	for len(args) > 1 {
		switch args[0] {
		case "-strict":
			strict = true
		case "-rule":
			rule, args = args[1], args[1:]
		default:
			ts.Fatalf(usage)
		}
		args = args[1:]
	}
	if len(args) != 1 || rule != "" && !neg {
		ts.Fatalf(usage)
	}
	e, err := runner.Scan(context.Background(), strings.NewReader(ts.ReadFile(args[0])), runner.Config{File: args[0], Stream: validate.Options{Strict: strict}})
	ts.Check(err)
	switch {
	case !neg && e.Errors > 0:
		ts.Fatalf("%s is not clean:\n%s", args[0], problems(e))
	case neg && e.Errors == 0:
		ts.Fatalf("%s is clean, want findings", args[0])
	case rule != "" && e.FindingCounts[rule] == 0:
		ts.Fatalf("%s does not break %s; it breaks:\n%s", args[0], rule, problems(e))
	}
}

// problems returns the findings of severity error that were kept, one a line,
// and how many more there are.
func problems(e *runner.Execution) string {
	var lines []string
	for _, f := range e.Findings {
		if f.Severity == validate.SeverityError {
			lines = append(lines, f.String())
		}
	}
	if more := e.Errors - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return bounded(lines)
}
