package cli

import (
	"errors"
	"math"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/report/htmlreport"
)

func (p *program) reportCommand() *cobra.Command {
	var out string
	var force bool
	cmd := &cobra.Command{
		Use:   "report [flags] EVIDENCE...",
		Short: "Write one report page about several runs",
		Long: `Write a page that shows saved runs in a browser: a row for each, and below what
its own report.html shows. EVIDENCE is the folder of a run, a saved stream of any
agent, a dash for standard input, or results.json of openagent test --out, of which
the page has the scenarios, those that failed first. The page is one file that asks
nobody for anything. It links to files of the folders where they lie. A run of
GitHub Actions, OWNER/REPO#ID or its address, is downloaded by gh first.

Files of evidence are compared with the digests in its manifest, and that with the
stream. A run that cannot be read or believed is on the page and says so there; so
does any other EVIDENCE that is neither. A page is never written into evidence.

Exit status: 0 written, 1 some EVIDENCE is missing, cannot be read or is not to be
believed, and a page with the rest was written if there is any, 2 wrong command line,
3 the page could not be written.`,
		Example: `  openagent report openagent-out/*
  openagent report --out nightly.html results openagent-out/*`,
		Args:    operands(1, math.MaxInt, "EVIDENCE..."),
		PreRunE: p.fill,
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return usage("--out is empty: give it a value, or leave it out")
			}
			if out == "-" {
				return usage("--out is -, and the page is a file whose links lead from its folder: name one, ./- for one that is called so")
			}
			args, remove, err := p.fetch(cmd.Context(), args)
			defer remove()
			if err != nil {
				return delivery("", err)
			}
			source := htmlreport.Find(cmd.Context(), p.Env, args)
			source.Stdin = p.In
			written, err := source.Write(cmd.Context(), out, Version(), force)
			err = failure(err, errors.As(err, new(*htmlreport.UnreadError)))
			if written {
				err = errors.Join(err, p.say("%s\n", out))
			}
			return err
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&out, "out", "report.html", "`file` to write")
	fs.BoolVar(&force, "force", false, "replace a file that is there")
	return cmd
}
