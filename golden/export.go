package golden

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Export writes the kit into a folder, which is made when it is missing: the
// index, the streams and a README that says how a parser proves itself. Files
// of the same name are replaced, others stay.
func Export(dir string) error {
	return fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(dir, filepath.FromSlash(path))
		if entry.IsDir() {
			return os.MkdirAll(target, 0o777)
		}
		text, err := files.ReadFile(path)
		if err != nil {
			return fmt.Errorf("export %s: %w", path, err)
		}
		return os.WriteFile(target, text, 0o666)
	})
}
