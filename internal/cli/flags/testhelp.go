package flags

// TestHelp is the help of test, with that of the commands of scripts.
func TestHelp(commands string) string {
	return `Run txtar scripts, several at once, each in a folder of its own. A folder stands
for the *.txtar files in and below it, nothing for the current one; folders whose
names begin with a dot are left out. openagent init writes a first script.

A script is a list of commands, one a line, then the files it needs. A line that
begins with ! must fail, openagent with status 1. $REPO is the current folder,
$SCRIPT_DIR that of the script. Commands about streams (FILE may be stdout):

` + commands + `
The other commands are those of testscript, among them exec, stdin, stdout,
stderr, cmp, grep, exists, env, cd, cp, mkdir, rm, skip and stop. Scripts have a
home, a state folder, a run id and a clock of their own; openagent asks no
endpoint but one on this machine, unless OPENAGENT_TEST_NETWORK is 1, which
is also when the condition [network] holds.

With --out the results are kept in a folder, as a report page, JUnit XML, SARIF,
JSON and Markdown. In GitHub Actions they are then published too, as job summary,
annotations and the outputs of the action, and a job that may not run an agent may
not run scripts. Each flag has a variable: OPENAGENT_OUT stands in for --out.

A script is scripted, recorded or live. Without a flag the model answers with the
turns that the script names (model FILE); one that names none is answered by its
cassettes, if it has any. --recorded has the cassettes answer in every script, without
a key: a changed prompt or tool is a miss. --live asks real models, and --record keeps
their answers as NAME.AGENT.MODEL.cassette next to the script.

Several machines share scripts: --plan N prints the matrix of a job (longest first,
each script into the part that has the least), each job runs its part by --shard i/N
with the same paths, flags and --timings, and --merge DIR... puts the folders of --out
together. Every planned script must be there once, or the merge fails and names it.

Exit status: 0 all passed often enough or were skipped, 1 one failed or did not
run, or all were skipped without --allow-skip, 2 wrong command line or no scripts,
3 the scripts could not be run or the results not be printed or kept.`
}

// TestExample shows calls of test.
const (
	TestExample = `  openagent test
  openagent test --run '^tool_' -j 4 scripts
  openagent test --update scripts/hello.txtar
  openagent test --agents codex,claude,openagent scripts
  openagent test --live --record --models gpt-5-mini --repeat 10 --min-pass 80% scripts
  openagent test --recorded scripts
  openagent test --live --out new --baseline old/results.json scripts
  openagent test --plan 3 --timings timings.json scripts >>"$GITHUB_OUTPUT"
  openagent test --shard 1/3 --timings timings.json --out results scripts
  openagent test --merge --out merged results-1 results-2 results-3`
)
