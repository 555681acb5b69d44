package evidence

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/openagent-ci/openagent/internal/atomicfile"
	"github.com/openagent-ci/openagent/internal/redact"
)

// ResultsFile is the name of the results of scripts as JSON.
const ResultsFile = "results.json"

// Results is a folder for the results of scripts: files and nothing else,
// for there is no run that a manifest could be about.
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
	return &Results{Folder{dir: dir, root: root, redactor: r, sums: map[string]*digest{}}}, nil
}

// Path returns the folder's absolute path.
func (r *Results) Path() string { return r.folder.dir }

// Close writes the files, each also when another could not be written.
func (r *Results) Close(files []File) error {
	var errs []error
	for _, file := range files {
		var b bytes.Buffer
		err := file.Write(&b, Contents{})
		if err = errors.Join(err, r.folder.write(atomicfile.Write, file.Name, r.folder.mask(b.Bytes()))); err != nil {
			errs = append(errs, fmt.Errorf("write %s: %w", file.Name, err))
		}
	}
	return errors.Join(append(errs, r.folder.root.Close())...)
}
