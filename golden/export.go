package golden

import (
	"fmt"
	"io/fs"
	"os"

	"github.com/openagent-ci/openagent/internal/platform/file"
)

// Export writes the kit into a folder, which is made when it is missing: the
// index, the streams and a README that says how a parser proves itself. Files
// of the same name are replaced, others stay.
func Export(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			err := root.MkdirAll(path, 0o777)
			file.Sweep(root, path)
			return err
		}
		text, err := files.ReadFile(path)
		if err != nil {
			return fmt.Errorf("export %s: %w", path, err)
		}
		return file.Scratch(true).Create(root, path, text)
	})
}
