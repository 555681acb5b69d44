package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/atomicfile"
	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/hint"
	"github.com/openagent-ci/openagent/internal/view"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

const defaultLockFile = "openagent.schema.lock"

func (p *program) schemaLockCommand() *cobra.Command {
	file := defaultLockFile
	cmd := &cobra.Command{
		Use:   "lock [flags]",
		Short: "Record which schemas a parser was built against",
		Long: `Write a lock file with the version, revision and digest of each published schema.
Keep it beside a parser and let schema verify hold the tool and its streams
against it.

Exit status: 0 written, 2 wrong command line, 3 the file could not be written.`,
		Args: operands(0, 0, "none"),
		RunE: func(*cobra.Command, []string) error {
			text, err := schema.NewLock().Encode()
			if err == nil {
				err = atomicfile.Replace(p.Path(file), text)
			}
			if err != nil {
				return &statusError{StatusDelivery, fmt.Errorf("write schema lock: %w", err)}
			}
			return p.say("wrote %s\n", view.OneLine(file, maxChange))
		},
	}
	cmd.Flags().StringVar(&file, "file", file, "the lock `file`")
	return cmd
}

// lockVerifier compares the tool and streams with a lock.
type lockVerifier struct {
	program *program
	file    string
}

func (p *program) schemaVerifyCommand() *cobra.Command {
	v := &lockVerifier{program: p}
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
		RunE: func(cmd *cobra.Command, args []string) error { return v.verify(cmd.Context(), args) },
	}
	cmd.Flags().StringVar(&v.file, "file", defaultLockFile, "the lock `file`")
	return cmd
}

func (v *lockVerifier) verify(ctx context.Context, streams []string) error {
	v.program.CatchPipes()
	lock, err := v.lock(ctx)
	if err != nil {
		return err
	}
	found := lock.Differences()
	status := StatusOK
	for _, name := range streams {
		versions := &streamVersions{lock: lock}
		if err := v.scan(ctx, name, versions); err != nil {
			status = complain(v.program.Err, fmt.Errorf("read stream %s: %w", name, err), StatusDelivery)
			continue
		}
		if difference := versions.difference(shownName(name)); difference != "" {
			found = append(found, difference)
		}
	}
	for _, difference := range found {
		if err := v.program.say("%s\n", view.OneLine(difference, maxChange)); err != nil {
			return err
		}
	}
	switch {
	case status != StatusOK:
		return exit(status)
	case len(found) > 0:
		return exit(StatusFailed)
	}
	return v.program.say("as locked in %s\n", view.OneLine(v.file, maxChange))
}

func (v *lockVerifier) lock(ctx context.Context) (schema.Lock, error) {
	text, err := v.program.Read(ctx, v.file)
	if os.IsNotExist(err) {
		err = hint.With(err, "openagent schema lock writes one")
	}
	if err == nil {
		var lock schema.Lock
		if lock, err = schema.ParseLock(text); err == nil {
			return lock, nil
		}
		err = fmt.Errorf("%s: %w", v.file, err)
	}
	return schema.Lock{}, &statusError{StatusDelivery, err}
}

// scan reads a stream for its versions. Whether the lines keep the contract is
// for check to say.
func (v *lockVerifier) scan(ctx context.Context, name string, found *streamVersions) error {
	_, err := harness.Scan(ctx, &v.program.Process, name, runner.Config{File: name, Handler: found})
	return err
}

// streamVersions is a handler that looks at the schema_version of each line.
type streamVersions struct {
	lock schema.Lock
	read int // lines that name a version
	// line is the first that names one which is not pinned, 0 when none does.
	line    int
	version string
}

// Line looks at one line; what is no event has no version.
func (s *streamVersions) Line(l runner.Line) {
	var e struct {
		Version *string `json:"schema_version"`
	}
	if s.line > 0 || json.Unmarshal(l.Raw, &e) != nil || e.Version == nil {
		return
	}
	s.read++
	if !s.lock.Pinned(*e.Version) || !ofStream(*e.Version) {
		s.line, s.version = l.Number, *e.Version
	}
}

// Stderr does nothing: a saved stream has none.
func (s *streamVersions) Stderr([]byte) {}

// difference says how the stream called name departs from the lock, empty when
// it does not.
func (s *streamVersions) difference(name string) string {
	switch {
	case s.line > 0:
		return fmt.Sprintf("%s:%d: schema_version is %q, want %s", name, s.line, s.version, pinned(s.lock))
	case s.read == 0:
		return fmt.Sprintf("%s: no line names a schema_version, want %s", name, pinned(s.lock))
	}
	return ""
}

// ofStream tells a version of the event contract from one of a document.
func ofStream(version string) bool { return strings.HasPrefix(version, "openagent.run_event.") }

// pinned lists the versions of the lock that a stream can have.
func pinned(lock schema.Lock) string {
	var versions []string
	for _, pin := range lock.Pins {
		if ofStream(pin.Version) {
			versions = append(versions, pin.Version)
		}
	}
	if len(versions) == 0 {
		return "none: the lock pins no schema of streams"
	}
	return strings.Join(versions, " or ")
}
