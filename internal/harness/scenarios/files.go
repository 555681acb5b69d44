package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/hint"
)

// Find returns the scripts that the arguments stand for, each file once.
func Find(args []string) ([]Script, error) {
	files, err := findFiles(args)
	if err != nil {
		return nil, err
	}
	scripts := make([]Script, len(files))
	names := scriptNames(files)
	for i, file := range files {
		scripts[i] = Script{Name: names[i], File: file, Unreadable: readable(file)}
	}
	return scripts, nil
}

// scriptNames returns what scripts are called by their files: the name of the file without
// its ending, of several with one name their paths.
func scriptNames(files []string) (names []string) {
	count := map[string]map[string]bool{}
	for _, file := range files {
		name := scriptName(file)
		if count[name] == nil {
			count[name] = map[string]bool{}
		}
		count[name][file] = true
	}
	for _, file := range files {
		name := scriptName(file)
		if len(count[name]) > 1 {
			name = filepath.ToSlash(strings.TrimSuffix(file, filepath.Ext(file)))
		}
		names = append(names, name)
	}
	return names
}

// findFiles returns the files of scripts that the arguments stand for, each once. One
// that a folder holds need not be readable: it fails, and the others run.
func findFiles(args []string) ([]string, error) {
	var files []string
	seen := map[string]bool{}
	for _, arg := range args {
		err := filepath.WalkDir(arg, func(path string, d os.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && path != arg && strings.HasPrefix(d.Name(), "."):
				return filepath.SkipDir
			case d.IsDir(), path != arg && filepath.Ext(path) != ".txtar", seen[path]:
				return nil
			}
			if err := readable(path); err != nil && path == arg {
				return err
			}
			if path == arg && filepath.Ext(path) != ".txtar" {
				return hint.With(fmt.Errorf("%s is no script", path), "name *.txtar files, or folders with such files")
			}
			seen[path] = true
			files = append(files, path)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("look for scripts: %w", err)
		}
	}
	if len(files) == 0 {
		return nil, hint.With(fmt.Errorf("%w: there is no *.txtar file in %s", ErrNothing, strings.Join(args, ", ")),
			"openagent init writes a first one")
	}
	return files, nil
}

// readable refuses what is no script: a script is read whole, more than once, which a
// pipe has no answer to and a device no end.
func readable(path string) error {
	switch info, err := os.Stat(path); {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no regular file", path)
	case info.Size() > process.MaxInput:
		return fmt.Errorf("%s is larger than %d bytes", path, int64(process.MaxInput))
	}
	return nil
}
