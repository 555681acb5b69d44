package testscript

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/openagent-ci/openagent/internal/platform/file"
)

// copies stand in for scripts that are to be updated. The library of testscript
// writes over a script in place, and what would be left of it on a disk that is
// full at that moment is nothing: it gets a copy, and a script is replaced whole.
type copies struct {
	dir     string
	scripts map[string]original // by the path of the copy
}

// original is a script as it was when it was copied.
type original struct {
	file string
	text []byte
}

// copyScripts copies scripts into a folder of their own.
func copyScripts(files []string) (*copies, error) {
	dir, err := os.MkdirTemp("", "openagent-update-")
	if err != nil {
		return nil, fmt.Errorf("copy scripts: %w", err)
	}
	c := &copies{dir: dir, scripts: map[string]original{}}
	for _, name := range files {
		text, err := os.ReadFile(name)
		path := filepath.Join(dir, filepath.Base(name))
		if err == nil {
			err = file.WritePrivate(path, text)
		}
		if err != nil {
			c.remove()
			return nil, fmt.Errorf("copy script: %w", err)
		}
		c.scripts[path] = original{name, text}
	}
	return c, nil
}

// update replaces the script of that copy if the copy was changed. It is called
// for scripts that passed: of the others, writing the copy may be what failed.
func (c *copies) update(path string) error {
	text, err := os.ReadFile(path)
	if script := c.scripts[path]; err == nil && !bytes.Equal(text, script.text) {
		err = file.Replace(script.file, text)
	}
	if err != nil {
		return fmt.Errorf("update script: %w", err)
	}
	return nil
}

// named returns the text with the names of the scripts in place of the copies'.
func (c *copies) named(text string) string {
	for path, script := range c.scripts {
		text = strings.ReplaceAll(text, path, script.file)
	}
	return text
}

func (c *copies) remove() { _ = os.RemoveAll(c.dir) } // temporary all the same
