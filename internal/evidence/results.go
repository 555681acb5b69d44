package evidence

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// Names of the files about scripts that only their results have.
const (
	// ResultsFile has the results of scripts as JSON.
	ResultsFile = "results.json"
	// TimingsFile has how long they took, where they were put together.
	TimingsFile = "timings.json"
	// SumsFile has the digests of all other files, in the form of sha256sum. It is
	// there from the start, so that a folder has one writer, and empty until the end.
	SumsFile = "SHA256SUMS"
	// EvidenceDir has what agents left.
	EvidenceDir = "evidence"
)

// Results is a folder for the results of scripts: files and their digests, for there
// is no run that a manifest could be about.
type Results struct {
	folder Folder
}

// OpenResults makes the folder dir, which must be new or empty. What is saved
// in it is redacted by r.
func OpenResults(dir string, r *redact.Redactor) (*Results, error) {
	err := makeGiven(dir)
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("make folder for results: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open folder for results: %w", err)
	}
	claim, err := root.OpenFile(SumsFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if errors.Is(err, fs.ErrExist) {
		err = errors.New("another one writes to it: name another folder")
	}
	if err == nil {
		err = claim.Close()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open folder for results: %s: %w", dir, err), root.Close())
	}
	return &Results{Folder{dir: dir, root: root, redactor: r, sums: map[string]*digest{}}}, nil
}

// Path returns the folder's absolute path.
func (r *Results) Path() string { return r.folder.dir }

// Mask takes secrets out of JSON.
func (r *Results) Mask(text []byte) []byte { return r.folder.mask(text) }

// Close writes the files, each also when another could not be written, and last of
// all their digests.
func (r *Results) Close(files []File) error {
	var errs []error
	write := func(name string, data []byte, err error) {
		if err = errors.Join(err, r.folder.write(file.Write, name, data)); err != nil {
			errs = append(errs, fmt.Errorf("write %s: %w", name, err))
		}
	}
	for _, file := range files {
		var b bytes.Buffer
		err := file.Write(&b, Contents{})
		data := b.Bytes()
		if !file.Masked {
			data = r.folder.mask(data)
		}
		write(file.Name, data, err)
	}
	sums, err := r.sums()
	write(SumsFile, sums, err)
	return errors.Join(append(errs, r.folder.root.Close())...)
}

// sums lists all files of the folder, the evidence of agents too, as sha256sum does.
func (r *Results) sums() ([]byte, error) {
	files, err := r.folder.files()
	var b bytes.Buffer
	for _, f := range files {
		if f.Path != SumsFile && !strings.Contains(f.Path, "\n") {
			fmt.Fprintf(&b, "%s  %s\n", f.SHA256, f.Path)
		}
	}
	return b.Bytes(), err
}

// Adopt copies those listed files of the results in dir that are below a folder of
// theirs to a place in these.
func (r *Results) Adopt(dir string, listed Listed, name, place string) error {
	from, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer from.Close()
	for _, file := range listed.Below(name) {
		text, err := from.ReadFile(file)
		target := path.Join(place, strings.TrimPrefix(file, name))
		if err = errors.Join(err, r.folder.root.MkdirAll(path.Dir(target), 0o755)); err == nil {
			err = r.folder.root.WriteFile(target, text, fileMode)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Listed are the files that the digests of a folder of results are of, in order.
type Listed []string

// Below returns those in a folder.
func (l Listed) Below(folder string) Listed {
	from, _ := slices.BinarySearch(l, folder+"/")
	to, _ := slices.BinarySearch(l, folder+"0") // the character after the slash
	return l[from:to]
}

// What of a folder of results is read at most, in bytes.
const (
	maxSums    = 64 << 20
	maxResults = 256 << 20
)

// ReadResults returns the results in the folder dir, and its files that have a digest,
// when all of them are as they were written, and all evidence is among them. No link is
// followed, and nothing outside of the folder is read.
func ReadResults(dir string) (text []byte, listed Listed, err error) {
	s, err := ReadBare(dir)
	if err != nil {
		return nil, nil, errors.New(reason(err))
	}
	defer s.Close()
	sums, err := s.readAll(SumsFile, maxSums)
	switch _, there := s.root.Lstat(ResultsFile); {
	case errors.Is(err, fs.ErrNotExist) && there != nil:
		return nil, nil, errors.New("it has no results of openagent test")
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, fmt.Errorf("it has no %s, which says what its files were: it is not whole, or another version wrote it", SumsFile)
	case err != nil:
		return nil, nil, fmt.Errorf("%s: %s", SumsFile, reason(err))
	case len(sums) == 0:
		return nil, nil, fmt.Errorf("%s is empty: the test that was to fill the folder was killed, or is not at its end", SumsFile)
	}
	if listed, err = s.compare(string(sums)); err != nil {
		return nil, nil, err
	}
	text, err = s.readAll(ResultsFile, maxResults)
	return text, listed, err
}

// compare compares the files with their digests, among which those of the results and
// of all evidence must be.
func (s *Saved) compare(sums string) (listed Listed, err error) {
	for line := range strings.Lines(sums) {
		sum, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok || !strings.HasSuffix(line, "\n") || !filepath.IsLocal(filepath.FromSlash(name)) || path.Clean(name) != name {
			return nil, fmt.Errorf("%s has a line that is none: %.60q", SumsFile, line)
		}
		listed = append(listed, name)
		switch got, err := s.digest(name); {
		case err != nil:
			return nil, fmt.Errorf("%s: %s", name, reason(err))
		case got.SHA256 != sum:
			return nil, fmt.Errorf("%s is not as it was written: its SHA-256 is %s, want %.64s", name, got.SHA256, sum)
		}
	}
	slices.Sort(listed)
	if _, ok := slices.BinarySearch(listed, ResultsFile); !ok {
		return nil, fmt.Errorf("%s does not list %s: it could not be written", SumsFile, ResultsFile)
	}
	return listed, fs.WalkDir(s.root.FS(), EvidenceDir, func(name string, d fs.DirEntry, err error) error {
		switch _, ok := slices.BinarySearch(listed, name); {
		case name == EvidenceDir && errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil || ok || !d.Type().IsRegular() || strings.Contains(name, "\n"): // which has no line
			return err
		}
		return fmt.Errorf("%s is not as it was written: %s does not list it", name, SumsFile)
	})
}

// readAll reads a file of at most max bytes.
func (s *Saved) readAll(name string, max int64) ([]byte, error) {
	f, err := s.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return process.ReadUpTo(f, name, max)
}
