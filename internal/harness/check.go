package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// Scan reads and checks a saved stream, a file or - for standard input, and shows
// on a terminal how much of it was read. Only that, and nothing of the stream, is
// printed or written.
func Scan(ctx context.Context, p *process.Process, name string, cfg runner.Config) (*runner.Execution, error) {
	in, err := p.Input(ctx, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	progress := term.NewStatus(p.Err)
	defer progress.Clear()
	return runner.Scan(ctx, progress.Reader(in, cfg.File), cfg)
}

// Streams returns the streams that args stand for: a folder for those below it,
// no argument for standard input. A folder of evidence is returned as it is, for its
// stream is only one of its files. What could not be listed is a problem, which
// does not keep the rest from being found; what is left out of a folder is warned of.
func Streams(p *process.Process, args []string) (list []string, problems []error) {
	if len(args) == 0 {
		return []string{"-"}, nil
	}
	for _, arg := range args {
		if info, err := p.Stat(arg); arg == "-" || err != nil || !info.IsDir() {
			list = append(list, arg)
			continue
		}
		found, missed := streamsBelow(p, arg)
		if len(found)+len(missed) == 0 {
			missed = []error{hint.With(fmt.Errorf("no *.jsonl file in folder %s", arg), "name a stream, a folder of evidence, or - for standard input")}
		}
		list, problems = append(list, found...), append(problems, missed...)
	}
	return list, problems
}

// streamsBelow returns the *.jsonl files below a folder, and what could not be
// listed. A link there may be a second name for one of them, so it is left out.
func streamsBelow(p *process.Process, folder string) (list []string, problems []error) {
	// With the separator a link to a folder is followed, as the links in it
	// are not.
	_ = filepath.WalkDir(p.Path(folder)+string(os.PathSeparator), func(path string, d fs.DirEntry, err error) error {
		path = p.Called(path, folder)
		switch {
		case err != nil:
			problems = append(problems, fmt.Errorf("list folder: %w", err))
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir() && isEvidence(p.Path(path)):
			list = append(list, filepath.Clean(path))
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".jsonl"):
		case d.Type().IsRegular():
			list = append(list, path)
		default:
			term.Message(p.Err, "warning", "left out "+path+", which is no regular file: name it to have it checked")
		}
		return nil
	})
	return list, problems
}

// isEvidence reports whether dir is a folder of evidence, also one of which the
// manifest cannot be read, or that lost it: what the agent printed is there then.
func isEvidence(dir string) bool {
	saved, err := evidence.Read(dir)
	if err == nil {
		saved.Close()
		return true
	}
	needed := []string{evidence.EventsFile}
	if errors.Is(err, fs.ErrNotExist) {
		needed = append(needed, evidence.StderrFile)
	}
	return !slices.ContainsFunc(needed, func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err != nil
	})
}

// EvidenceStream returns the stream of a folder of evidence that Streams returned,
// which is any folder among them, and what is wrong with the folder as a whole.
// Another name is a stream itself.
func EvidenceStream(p *process.Process, name string) (stream string, found []validate.Finding, err error) {
	if info, err := p.Stat(name); name == "-" || err != nil || !info.IsDir() {
		return name, nil, nil
	}
	stream = filepath.Join(name, evidence.EventsFile)
	saved, err := evidence.Read(p.Path(name))
	if errors.Is(err, fs.ErrNotExist) {
		why := "the evidence has no " + evidence.ManifestFile + ": the run goes on, or its harness was killed"
		return stream, []validate.Finding{validate.NewFinding(validate.RuleEvidence, 0, why)}, nil
	}
	if err != nil {
		return stream, nil, err
	}
	defer saved.Close()
	if d := saved.Broken(); d != nil {
		for _, what := range d.What[:min(len(d.What), runner.DefaultMaxFindings)] {
			found = append(found, validate.NewFinding(validate.RuleEvidence, 0, "the evidence "+d.Why+": "+what))
		}
	}
	return stream, found, nil
}

// StreamName is how a saved stream is called in what is printed.
func StreamName(name string) string {
	if name == "-" {
		return "stdin"
	}
	return name
}

// CheckLock reads a saved stream for its versions and returns how it departs from
// the lock, empty when it does not. Whether the lines keep the contract is for
// Scan to find.
func CheckLock(ctx context.Context, p *process.Process, lock schema.Lock, name string) (difference string, err error) {
	versions := &streamVersions{lock: lock}
	if _, err := Scan(ctx, p, name, runner.Config{File: name, Handler: runner.Lines(versions.add)}); err != nil {
		return "", err
	}
	return versions.difference(StreamName(name)), nil
}

// streamVersions looks at the schema_version of each line.
type streamVersions struct {
	lock schema.Lock
	read int // lines that name a version
	// line is the first that names one which is not pinned, 0 when none does.
	line    int
	version string
}

// add looks at one line; what is no event has no version.
func (s *streamVersions) add(l runner.Line) {
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

// ofStream reports whether a version is one of the event contract, not of a document.
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
