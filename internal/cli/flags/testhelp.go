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
not run scripts. Several machines share scripts by --shard; openagent merge puts
their folders together. Each flag has a variable: OPENAGENT_OUT stands in for --out.

Exit status: 0 all passed often enough or were skipped, 1 one failed or did not
run, or all were skipped without --allow-skip, 2 wrong command line or no scripts,
3 the scripts could not be run or the results not be printed or kept.`
}

// Examples and helps of the commands about scripts.
const (
	TestExample = `  openagent test
  openagent test --run '^tool_' -j 4 scripts
  openagent test --update scripts/hello.txtar
  openagent test --agents codex,claude,openagent scripts
  openagent test --repeat 10 --min-pass 9 scripts
  openagent test --out results scripts`

	ShardHelp = `Print how the scripts are shared out among N jobs, as outputs of a step in GitHub
Actions: matrix, with shard (i/N), number (i) and est_ms of each part that has
something to do, and has-work, false where none has. Each job then runs its own by openagent test
--shard with the same paths, flags and timings; openagent merge puts the results
together. Longest scripts come first, each into the part that has the least; one
whose time is not known counts as the median of the others.

Exit status: 0 printed, 2 wrong command line, no scripts, or a file that holds no
timings or results, 3 not printed.`
	ShardExample = `  openagent shard --total 3 --timings timings.json scenarios >>"$GITHUB_OUTPUT"
  openagent test --shard 1/3 --timings timings.json --out results scenarios`

	MergeHelp = `Put the folders together that openagent test --shard --out left in several jobs.
DIR is such a folder, or one that they lie in. Every script that was planned must be
there once: what is missing or doubled, of another commit or another version of this
program, cut or changed since it was written, is named, and the merge fails.

With --out there is one report page, JUnit, SARIF, Markdown, results.json and
timings.json; in GitHub Actions they are published as those of test are. --timings
names a file whose times are kept for scripts that did not run, and brought up to
date. Those of scripts that are gone are left out.

Exit status: 0 all planned scripts ran and passed often enough, 1 they did not, or
all were skipped without --allow-skip, 2 wrong command line, 3 the results could not
be printed or kept.`
	MergeExample = `  openagent merge --out merged shards
  openagent merge --timings timings.json shard-1 shard-2 shard-3`
)
