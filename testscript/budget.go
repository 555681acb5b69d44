package testscript

import (
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openagent-ci/openagent/internal/text/term"
)

// budget is budget [-cost USD] [-tokens N] [-turns N] [-time D] [-cost-unknown ok]: the
// run took no more. A figure that nobody knows is no figure within the budget; of the
// cost alone it may be said that this is all right.
func budget(ts *testscript.TestScript, _ bool, args []string) {
	const usage = "usage: budget [-cost USD] [-tokens N] [-turns N] [-time D] [-cost-unknown ok]"
	fs := flag.NewFlagSet("budget", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	cost := fs.Float64("cost", -1, "")
	tokens, turns := fs.Int64("tokens", -1, ""), fs.Int64("turns", -1, "")
	limit := fs.Duration("time", -1, "")
	unknown := fs.String("cost-unknown", "", "")
	if err := fs.Parse(args); err != nil {
		ts.Fatalf("%v\n%s", err, usage)
	}
	if fs.NArg() > 0 || fs.NFlag() == 0 || *unknown != "" && (*unknown != "ok" || *cost < 0) {
		ts.Fatalf(usage)
	}
	fs.Visit(func(f *flag.Flag) {
		if text := f.Value.String(); strings.HasPrefix(text, "-") || text == "NaN" || text == "+Inf" {
			ts.Fatalf("-%s is %s: want a limit from 0", f.Name, f.Value)
		}
	})
	r := findRun(ts)
	var over []string
	check := func(name string, asked, known, within bool, got, want, cure string) {
		switch {
		case !asked:
		case !known:
			ts.Fatalf("%s: not known, want <=%s; %s", name, want, cure)
		case !within:
			over = append(over, fmt.Sprintf("%s: got %s, want <=%s", name, got, want))
		}
	}
	used, _ := r.End.Usage.Get()
	usd, priced := used.CostUSD.Get()
	check("cost", *cost >= 0 && (priced || *unknown == ""), priced, float64(usd) <= *cost, term.Dollars(float64(usd)), term.Dollars(*cost),
		"give the agent --prices, or -cost-unknown ok")
	total := r.Tokens()
	check("tokens", *tokens >= 0, total > 0, total <= *tokens, fmt.Sprint(total), fmt.Sprint(*tokens), "the agent does not report that of every reply")
	n, counted := r.End.Steps.Get()
	if !counted {
		n = int64(len(r.Turns) + r.NoTurns)
	}
	check("turns", *turns >= 0, n > 0, n <= *turns, fmt.Sprint(n), fmt.Sprint(*turns), "the stream shows none")
	took := r.took()
	check("time", *limit >= 0, took > 0, took <= *limit, took.Round(time.Millisecond).String(), limit.String(),
		"its clock is fixed; write env OPENAGENT_CLOCK= before it, or run it by the command agent")
	if over != nil {
		ts.Fatalf("%s", strings.Join(over, "\n"))
	}
}
