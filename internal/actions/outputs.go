package actions

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// output is one output of the step.
type output struct{ name, value string }

// encodeOutputs returns the outputs in the form that the runner reads, each
// between lines of a delimiter of its own that no value can hold by design.
func encodeOutputs(outputs []output, random io.Reader) ([]byte, error) {
	var b bytes.Buffer
	for _, o := range outputs {
		if err := checkName(o.name); err != nil {
			return nil, err
		}
		t, err := token(random)
		if err != nil {
			return nil, err
		}
		delimiter := "openagent_" + t
		if strings.Contains(o.value, delimiter) {
			return nil, fmt.Errorf("output %s holds its own delimiter", o.name)
		}
		fmt.Fprintf(&b, "%s<<%s\n%s\n%s\n", o.name, delimiter, o.value, delimiter)
	}
	return b.Bytes(), nil
}

// checkName accepts lower-case words joined by "-".
func checkName(name string) error {
	bad := strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
	})
	if bad || name == "" {
		return fmt.Errorf("output name %q: want lower-case letters, digits and -", name)
	}
	return nil
}

// writeOutputs writes the output file anew: what it held before the agent
// began, then the outputs. Everything else in it, which only the agent or what
// it started can have written, goes; foreign counts its lines.
func (j *Job) writeOutputs(outputs []output) (foreign int, err error) {
	path := j.getenv(envOutput)
	if path == "" {
		return 0, fmt.Errorf("%s is not set", envOutput)
	}
	data, err := encodeOutputs(outputs, j.random)
	if err != nil {
		return 0, err
	}
	before := j.before[envOutput]
	foreign, err = j.foreign(envOutput, path)
	if err != nil {
		return 0, err
	}
	kept := bytes.Clone(before)
	if len(kept) > 0 && kept[len(kept)-1] != '\n' {
		kept = append(kept, '\n')
	}
	if err := rewrite(path, append(kept, data...)); err != nil {
		return 0, err // what is foreign is still there
	}
	return foreign, nil
}

// maxCommandFile bounds what is read of a command file: an agent can make it
// of any size.
const maxCommandFile = 16 << 20

// readRegular reads the file that the variable name names, or the beginning of
// a huge one, unless something else took its place.
func readRegular(name, path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s names no regular file", name)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxCommandFile))
}

// commandFiles are the files, besides that of outputs, by which a step acts on
// the rest of its job: variables and search path of later steps, state, and the
// page of the job.
func commandFiles() []string {
	return []string{"GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE", envSummary}
}

// restore gives the command files back the content that they had before the
// agent began. It returns how many lines each of those had that it changed.
func (j *Job) restore() (foreign map[string]int, err error) {
	foreign = map[string]int{}
	var errs []error
	for _, name := range commandFiles() {
		path := j.getenv(name)
		if path == "" {
			continue
		}
		n, err := j.foreign(name, path)
		if n > 0 && err == nil {
			err = rewrite(path, j.before[name])
		}
		if n > 0 && err == nil {
			foreign[name] = n
		}
		if j.before[name] == nil && errors.Is(err, fs.ErrNotExist) {
			continue // was never there
		}
		errs = append(errs, err)
	}
	return foreign, errors.Join(errs...)
}

// foreign counts the lines of a command file that are not from before the agent
// began. What has taken the place of a regular file, a link above all, leads
// the runner astray: an empty file takes its place in turn, and it counts as a
// line.
func (j *Job) foreign(name, path string) (int, error) {
	unlock(path)
	now, err := readRegular(name, path)
	if err == nil {
		return foreignLines(j.before[name], now), nil
	}
	if j.before[name] == nil {
		return 0, err
	}
	if err := os.RemoveAll(path); err != nil {
		return 0, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, err
	}
	return 1, f.Close()
}

// unlock gives the owner back the rights to read, write and replace a command
// file, which an agent of the same user can take away. What does not succeed
// shows when the file is written.
func unlock(path string) {
	for _, p := range []struct {
		path   string
		rights fs.FileMode
	}{{filepath.Dir(path), 0o700}, {path, 0o600}} {
		info, err := os.Lstat(p.path)
		if err == nil && info.Mode()&fs.ModeSymlink == 0 && info.Mode()&p.rights != p.rights {
			_ = os.Chmod(p.path, info.Mode().Perm()|p.rights)
		}
	}
}

// foreignLines counts the lines of now that were not in before; a change of
// what was there counts as one at least.
func foreignLines(before, now []byte) int {
	rest, ok := bytes.CutPrefix(now, before)
	n := bytes.Count(rest, []byte("\n"))
	if len(rest) > 0 && rest[len(rest)-1] != '\n' || !ok && n == 0 {
		n++
	}
	return n
}

// rewrite replaces the content in place: the runner holds on to the file.
func rewrite(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
