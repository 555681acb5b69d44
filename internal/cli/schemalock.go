package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/cli/schemafile"
	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/text/term"
)

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
			status = complain(p.Err, fmt.Errorf("read stream %s: %w", name, err), StatusDelivery)
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
