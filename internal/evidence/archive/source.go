package archive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
	name string
	err  error
}

func (e *changedError) Error() string {
	return fmt.Sprintf("%s changed while it was read: %v", e.name, e.err)
}
func (e *changedError) Unwrap() error { return e.err }

// write writes the rows of the source.
func (s source) write(ctx context.Context, c *cells, out *rows) error {
	if s.results {
		return s.writeResults(c, out)
	}
	saved, err := evidence.Read(s.path)
	if err != nil {
		return &changedError{s.name, err}
	}
	defer saved.Close()
	if saved.Key() != s.key {
		return &changedError{s.name, errors.New("it has another manifest")}
	}
	files, err := readFindings(saved)
	if err != nil {
		return &changedError{s.name, err}
	}
	f := newFold(s.key, c, out)
	err = readWhole(saved, evidence.EventsFile, func(r io.Reader) error { return f.read(ctx, r) })
	switch {
	case f.err != nil:
		return f.err
	case err != nil:
		return &changedError{s.name, err}
	}
	if err := c.addFindings(s.key, files, f.unmapped, out); err != nil {
		return err
	}
	return out.add(tableRuns, c.runOf(s.key, saved.Manifest))
}

// maxLine bounds a line of which rows are made, in bytes; longer ones are none of the
// contract's.
const maxLine = schema.DefaultReaderBytes

// read makes rows of the lines of a stream.
func (f *fold) read(ctx context.Context, r io.Reader) error {
	in := lines.NewReader(r, 64<<10, maxLine)
	for number := int64(1); ; number++ {
		line, err := in.Next()
		switch {
		case err == io.EOF:
			f.err = f.close()
			return f.err
		case err == lines.ErrLong:
			continue
		case err != nil:
			return err
		case ctx.Err() != nil:
			f.err = ctx.Err()
			return f.err
		}
		e, err := schema.Decode(bytes.TrimSuffix(line, []byte("\n")))
		if err != nil || e.Data == nil {
			continue // it is no event, which the findings say
		}
		if f.err = f.add(number, len(line), e); f.err != nil {
			return f.err
		}
	}
}

// readWhole reads a file of the evidence, all of it, and fails unless it has the digest
// that the manifest has of it.
func readWhole(saved *evidence.Saved, name string, read func(io.Reader) error) error {
	i := slices.IndexFunc(saved.Manifest.Files, func(f schema.ManifestFile) bool { return f.Path == name })
	if i < 0 {
		return fmt.Errorf("%s: the manifest does not list it", name)
	}
	f, err := saved.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	in := io.TeeReader(f, sum)
	if err := read(in); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, in); err != nil {
		return err
	}
	if got := hexOf(sum); got != saved.Manifest.Files[i].SHA256 {
		return fmt.Errorf("%s: SHA-256 is %s, the manifest has %s", name, got, saved.Manifest.Files[i].SHA256)
	}
	return nil
}

func hexOf(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }
