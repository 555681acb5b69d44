package archive

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/lines"
	"github.com/openagent-ci/openagent/schema"
)

// noDate is the partition of what has no date, as Hive calls it.
const noDate = "__HIVE_DEFAULT_PARTITION__"

// source is evidence that is to be added: the folder of a run, or results of scenarios.
type source struct {
	name, path string // as it was called, and where it lies
	results    bool
	key, date  string
	bytes      int64 // of the stream
}

// find returns what a path leads to: a run, results, or both where a folder has both.
func find(name, path string) ([]source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, named(name, err)
	}
	if !info.IsDir() {
		if filepath.Base(path) == evidence.ResultsFile {
			s, err := findResults(name, path)
			return []source{s}, err
		}
		return nil, hint.With(fmt.Errorf("%s is no folder", name), "give the folder of evidence, or results.json of openagent test --out")
	}
	var found []source
	run, err := findRun(name, path)
	if err == nil {
		found = append(found, run)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	results := filepath.Join(path, evidence.ResultsFile)
	if info, err := os.Lstat(results); err == nil && info.Mode().IsRegular() {
		s, err := findResults(name, results)
		if err != nil {
			return nil, err
		}
		found = append(found, s)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no evidence in %s: it has neither %s nor %s; a run that goes on or was killed has no manifest", name, evidence.ManifestFile, evidence.ResultsFile)
	}
	return found, nil
}

// named returns an error of a file with the name the user gave.
func named(name string, err error) error {
	if at, ok := err.(*fs.PathError); ok { // itself: what wraps one says more
		err = at.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// findRun reads the manifest of the folder at path.
func findRun(name, path string) (source, error) {
	s := source{name: name, path: path}
	saved, err := evidence.Read(path)
	if err != nil {
		return s, unread(name, err)
	}
	defer saved.Close()
	s.key = saved.Key()
	started := instant(saved.Manifest.Started)
	if started == nil {
		return s, fmt.Errorf("the evidence in %s is not to be believed: its run began at %s, want a time from 2000 to 2099",
			name, saved.Manifest.Started.UTC().Format(time.RFC3339))
	}
	s.date = started.Format(time.DateOnly)
	for _, f := range saved.Manifest.Files {
		if f.Path == evidence.EventsFile {
			s.bytes = max(f.Bytes, 0)
		}
	}
	return s, nil
}

// unread returns the error of evidence that cannot be read, with the way out.
func unread(name string, err error) error {
	if errors.Is(err, evidence.ErrVersion) {
		return hint.With(fmt.Errorf("read evidence in %s: %w", name, err), "another version of openagent wrote it: add it with that one")
	}
	return fmt.Errorf("read evidence in %s: %w", name, err)
}

// verify asks all that can be asked of the evidence.
func (s source) verify(ctx context.Context) error {
	if s.results {
		return nil // read whole or refused, and there is no digest of it
	}
	saved, err := evidence.Read(s.path)
	if err != nil {
		return unread(s.name, err)
	}
	defer saved.Close()
	again, err := saved.Scan(ctx, nil)
	if err != nil && again != nil {
		return fmt.Errorf("read evidence in %s: %w", s.name, err)
	}
	d := saved.Problem(again)
	if d == nil {
		return nil
	}
	err = fmt.Errorf("the evidence in %s %s: %s", s.name, d.Why, strings.Join(d.What[:min(len(d.What), maxDoubts)], "; "))
	if d.OtherVersion {
		err = hint.With(err, "another version of openagent wrote it: add it with that one")
	}
	return err
}

// maxDoubts bounds the reasons that an error names.
const maxDoubts = 3

// changedError says that evidence is not any more what it was a moment ago, so that
// what was made of it does not count.
type changedError struct {
	source
	error
}

func (s source) changed(err error) error {
	return changedError{s, fmt.Errorf("%s changed while it was read: %w", s.name, err)}
}

// write writes the rows of the source.
func (s source) write(ctx context.Context, c *cells, out *rows) error {
	if s.results {
		return s.writeResults(c, out)
	}
	saved, err := evidence.Read(s.path)
	if err != nil {
		return s.changed(err)
	}
	defer saved.Close()
	f := newFold(s.key, c, out)
	stream, err := saved.Open(evidence.EventsFile)
	if err == nil {
		err = errors.Join(f.read(ctx, stream), stream.Close())
	}
	if err == nil {
		err = c.addFindings(s.key, saved, f.unmapped, out)
	}
	if changed := saved.Changed(); err == nil && (saved.Key() != s.key || len(changed) > 0) {
		err = fmt.Errorf("it has another manifest, or files that are not of it: %s", strings.Join(changed, "; "))
	}
	if err != nil {
		return s.changed(err)
	}
	out.add(tableRuns, c.runOf(s.key, saved.Manifest))
	return nil
}

// maxLine bounds a line of which rows are made, in bytes; longer ones are none of the
// contract's.
const maxLine = schema.DefaultReaderBytes

// read makes rows of the lines of a stream.
func (f *fold) read(ctx context.Context, r io.Reader) error {
	in := lines.NewReader(r, 64<<10, maxLine)
	for number := int64(1); ctx.Err() == nil; number++ {
		line, err := in.Next()
		switch {
		case err == io.EOF:
			f.close()
			return nil
		case err == lines.ErrLong:
			continue
		case err != nil:
			return err
		}
		if e, err := schema.Decode(bytes.TrimSuffix(line, []byte("\n"))); err == nil && e.Data != nil {
			f.add(number, len(line), e) // what is no event is in the findings
		}
	}
	return context.Cause(ctx)
}

func hexOf(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }
