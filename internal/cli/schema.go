package cli

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/cli/schemafile"
	"github.com/openagent-ci/openagent/internal/evidence/drift"
	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/schema/compat"
)

func (p *program) schemaCommand() *cobra.Command {
	return group("schema", "Show, compare and pin the published schemas, observe streams",
		p.schemaListCommand(), p.schemaShowCommand(), p.schemaPathCommand(),
		p.schemaDiffCommand(), p.schemaLockCommand(), p.schemaVerifyCommand(), p.schemaObserveCommand())
}

func (p *program) schemaListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list [flags]",
		Short: "List the published schemas with their digests",
		Long: `List the published schemas, one a line: the name that the other commands take,
its revision, whether that is frozen or current, and the digest of the file.

Exit status: 0 listed, 2 wrong command line, 3 the list could not be printed.`,
		Args: operands(0, 0, "none"),
		RunE: func(*cobra.Command, []string) error {
			for _, r := range p.schemas.Versions() {
				state := "current"
				if r.Frozen {
					state = "frozen"
				}
				if err := p.say("%-29s r%-3d %-7s %s\n", r.Name(), r.Revision, state, r.Digest); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// chosenSchema returns the name that args hold, that of the event contract
// without one.
func (p *program) chosenSchema(args []string) string {
	if len(args) == 0 {
		return p.schemas.Current()
	}
	return args[0]
}

func (p *program) schemaShowCommand() *cobra.Command {
	format := flags.NewChoice("json", "markdown")
	cmd := &cobra.Command{
		Use:   "show [flags] [VERSION[.rN]]",
		Short: "Print a published schema",
		Long: `Print a published schema, the current one of the event stream unless another is
named: to the byte as it was published, or as tables for people.
openagent.run_event.v1.types is the same contract as a union of its types, which
generators of types understand.

Exit status: 0 printed, 2 wrong command line or no such schema, 3 it could not
be printed.`,
		Example: `  openagent schema show --format markdown
  openagent schema show openagent.run_event.v1.r1
  openagent schema show openagent.run_event.v1.types`,
		Args: operands(0, 1, "one VERSION at most"), ValidArgsFunction: p.schemaNames,
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := p.schemas.Load(p.chosenSchema(args))
			if err == nil && format.Value == "markdown" {
				var tables string
				tables, err = p.schemas.Markdown(p.chosenSchema(args))
				text = []byte(tables)
			}
			if err != nil {
				return &flags.UsageError{Err: err}
			}
			return p.say("%s", text)
		},
	}
	cmd.Flags().Var(&format, "format", "the file itself, or tables")
	return cmd
}

func (p *program) schemaPathCommand() *cobra.Command {
	var stateDir string
	cmd := &cobra.Command{
		Use:   "path [flags] [VERSION[.rN]]",
		Short: "Print the path of a published schema as a file",
		Long: `Put a published schema, the current one of the event stream unless another is
named, into a file for other programs and print its path. The path holds the
digest, so what lies there never changes. openagent.run_event.v1.types is the one
that generators of types understand.

Exit status: 0 printed, 2 wrong command line or no such schema, 3 the file could
not be written.`,
		Example: `  ajv validate --spec=draft2020 -s "$(openagent schema path)" -d event.json`,
		Args:    operands(0, 1, "one VERSION at most"), ValidArgsFunction: p.schemaNames,
		PreRunE: p.fill,
		RunE: func(cmd *cobra.Command, args []string) error {
			name := p.chosenSchema(args)
			text, err := p.schemas.Load(name)
			if err != nil {
				return &flags.UsageError{Err: err}
			}
			path, err := schemafile.Write(p.Env, stateDir, name, text)
			if err != nil {
				return &statusError{StatusDelivery, hint.With(fmt.Errorf("write schema: %w", err),
					file.Fix(err, "name a folder that can be written by --state-dir"))}
			}
			return p.say("%s\n", path)
		},
	}
	cmd.Flags().StringVar(&stateDir, "state-dir", "", "`folder` for the file (default: the user's state folder)")
	return cmd
}

func (p *program) schemaDiffCommand() *cobra.Command {
	format := flags.NewChoice(formatHuman, "json", formatGitHub)
	cmd := &cobra.Command{
		Use:   "diff [flags] OLD NEW",
		Short: "Say what a change of schema means for readers and writers",
		Long: `Compare two schemas, each a published name or a file, and list every change with
its class: additive (nobody notices), narrowing (valid lines become invalid),
widening (a reader meets what it never met), meaning (lines mean something else).

Exit status: 0 equal or additive changes alone, 1 others, 2 wrong command line,
3 a schema could not be read.`,
		Example: `  openagent schema diff openagent.run_event.v1.r1 openagent.run_event.v1
  openagent schema diff --format json old.json new.json`,
		Args: operands(2, 2, "OLD and NEW"),
		RunE: func(cmd *cobra.Command, args []string) error {
			changes, err := schemafile.Compare(cmd.Context(), p.Env, p.schemas, args[0], args[1])
			if err != nil {
				return delivery("compare schemas", err)
			}
			if err := p.printChanges(format.Value, report.Changes{Old: args[0], New: args[1], List: changes}); err != nil {
				return delivery("print changes", err)
			}
			if !compat.Lawful(changes) {
				return exit(StatusFailed)
			}
			return nil
		},
	}
	cmd.Flags().Var(&format, "format", "how changes are printed")
	return cmd
}

func (p *program) printChanges(format string, changes report.Changes) error {
	switch format {
	case "json":
		return changes.WriteJSON(p.Out)
	case formatGitHub:
		return job.Annotate(p.Out, p.Getenv("GITHUB_WORKSPACE"), changes.Findings(), 0)
	}
	return p.say("%s", changes)
}

// maxChange bounds a difference from a lock printed for people, in characters.
const maxChange = 400

const defaultLockFile = "openagent.schema.lock"

func (p *program) schemaLockCommand() *cobra.Command {
	file := defaultLockFile
	cmd := &cobra.Command{
		Use:   "lock [flags]",
		Short: "Record which schemas a parser was built against",
		Long: `Write a lock file with the version, revision and digest of each published schema.
Keep it beside a parser and let schema verify hold the tool and its streams
against it. An older lock is replaced, a file that is none is not.

Exit status: 0 written, 2 wrong command line, 3 the file could not be written.`,
		Args: operands(0, 0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := schemafile.WriteLock(cmd.Context(), p.Env, file, p.schemas.Lock()); err != nil {
				return delivery("write schema lock", err)
			}
			return p.say("wrote %s\n", term.OneLine(file, maxChange))
		},
	}
	cmd.Flags().StringVar(&file, "file", file, "the lock `file`")
	return cmd
}

func (p *program) schemaVerifyCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "verify [flags] [STREAM|-]...",
		Short: "Fail when the tool or a stream uses a schema other than the locked one",
		Long: `Compare the schemas of this tool, and the schema_version of each stream, with a
lock file and say what differs. Versions that the lock does not pin do not count
for the tool, but a stream must not bring one.

Exit status: 0 as locked, 1 something differs, 2 wrong command line, 3 the lock
or a stream could not be read.`,
		Example: `  openagent schema verify
  openagent schema verify --file parser/openagent.schema.lock events.jsonl`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return p.verifyLock(cmd.Context(), file, args) },
	}
	cmd.Flags().StringVar(&file, "file", defaultLockFile, "the lock `file`")
	return cmd
}

// verifyLock compares the tool and streams with the lock in a file.
func (p *program) verifyLock(ctx context.Context, file string, streams []string) error {
	p.CatchPipes()
	lock, err := schemafile.ReadLock(ctx, p.Env, file)
	if err != nil {
		return delivery("", err)
	}
	found := p.schemas.Differences(lock)
	status := StatusOK
	for _, name := range streams {
		difference, err := harness.CheckLock(ctx, &p.Process, lock, name)
		switch {
		case err != nil:
			status = p.complain(fmt.Errorf("read stream %s: %w", name, err), StatusDelivery)
		case difference != "":
			found = append(found, difference)
		}
	}
	for _, difference := range found {
		if err := p.say("%s\n", term.OneLine(difference, maxChange)); err != nil {
			return err
		}
	}
	switch {
	case status != StatusOK:
		return exit(status)
	case len(found) > 0:
		return exit(StatusFailed)
	}
	return p.say("as locked in %s\n", term.OneLine(file, maxChange))
}

func (p *program) schemaObserveCommand() *cobra.Command {
	file, format, all := drift.BaselineFile{Name: "openagent.schema.baseline"}, flags.NewChoice(formatHuman, "json", formatGitHub), false
	cmd := &cobra.Command{
		Use:   "observe [flags] FILE|FOLDER|-...",
		Short: "Say what keys and types streams really carry, and how that drifts",
		Long: `Read streams of the contract, and streams in an agent's own form, and say by agent
and version which keys they carry, how often and of which kinds; and what the
published schema does not know or differs from the baseline, the file that holds
what was seen before. A folder of evidence stands for its stream and the
one that it was made of, any other folder for what is below it.

Exit status: 0 no drift, 1 drift, 2 wrong command line, 3 a stream or the baseline
could not be read or written.`,
		Example: `  openagent schema observe events.jsonl
  openagent schema observe --update-baseline openagent-out
  openagent schema observe --file agents.baseline --format github openagent-out`,
		Args: operands(1, math.MaxInt, "FILE, FOLDER or -"),
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&file.Name, "file", file.Name, "the baseline `file`; the one of this name need not exist")
	fs.BoolVar(&file.Update, "update-baseline", false, "add what is seen to the baseline, and say what was added")
	fs.BoolVar(&all, "all", false, "list every key, not only those that the contract lets a producer leave out")
	fs.Var(&format, "format", "how the result is printed")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if file.Named = fs.Changed("file"); file.Name == "" {
			return usage("--file is empty: name the baseline, or leave the flag out")
		}
		p.CatchPipes()
		o, problems, err := file.Observe(cmd.Context(), &p.Process, args)
		status := StatusOK
		for _, problem := range problems {
			status = p.complain(problem, StatusDelivery)
		}
		if err == nil && (len(problems) == 0 || len(o.Streams) > 0) {
			if format.Value == formatGitHub {
				findings, more := o.Findings()
				err = job.Annotate(p.Out, p.Getenv("GITHUB_WORKSPACE"), findings, more)
			} else {
				err = o.Write(p.Out, format.Value, all)
			}
		}
		switch {
		case err != nil:
			return &statusError{StatusDelivery, err}
		case status == StatusOK && o.Drifts > 0:
			status = StatusFailed
		}
		return exit(status)
	}
	return cmd
}
