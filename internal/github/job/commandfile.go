package job

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxCommandFile bounds what is read of a command file: an agent can make it
// of any size.
const maxCommandFile = 16 << 20

// commandFile is one of them as it was before the agent began.
type commandFile struct {
	name, path string
	// info and links tell the file from whatever takes its place; info is nil
	// where none could be read, and err then says why.
	info    os.FileInfo
	links   uint64
	err     error
	content []byte // what it has to hold
}

// noteFile takes note of the file that the variable name names.
func noteFile(name, path string) *commandFile {
	f := &commandFile{name: name, path: path}
	var file *os.File
	if file, f.err = f.openRegular(); f.err != nil {
		return f
	}
	defer file.Close()
	f.err = f.adopt(file)
	return f
}

// openRegular opens the file for reading and writing, unless something else
// than a regular file has its name.
func (f *commandFile) openRegular() (*os.File, error) {
	info, err := os.Lstat(f.path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // a pipe would be waited for
		return nil, notRegular(info.Mode())
	}
	return os.OpenFile(f.path, os.O_RDWR|noFollow, 0)
}

// notRegular is the error about a file of another kind.
type notRegular fs.FileMode

func (m notRegular) Error() string { return m.kind() + " has the name of a file for the runner" }

func (m notRegular) kind() string {
	switch fs.FileMode(m).Type() {
	case fs.ModeSymlink:
		return "a link"
	case fs.ModeDir:
		return "a folder"
	case fs.ModeNamedPipe:
		return "a pipe"
	}
	return "a device or socket"
}

// adopt makes the open file the one that f stands for.
func (f *commandFile) adopt(file *os.File) (err error) {
	if f.info, err = file.Stat(); err != nil {
		return err
	}
	if f.links, err = links(file); err != nil {
		return err
	}
	if f.content, err = io.ReadAll(io.LimitReader(file, maxCommandFile)); err != nil {
		f.info = nil // what it has to hold is not known
	}
	return err
}

// gone stands for what is there when nothing has the file's name.
const gone = "nothing"

// open opens the file once, for reading and writing, whatever became of its
// name meanwhile: what is another file, has another number of names, or shares
// its content with one of others, is removed and the file made anew. instead
// says what stood in its place.
func (f *commandFile) open(others []*commandFile) (file *os.File, instead string, err error) {
	unlock(f.path)
	file, err = f.openRegular()
	var other notRegular
	switch {
	case err == nil:
		if instead, err = f.differs(file, others); instead == "" && err == nil {
			return file, "", nil
		}
		err = errors.Join(err, file.Close())
	case errors.As(err, &other):
		instead, err = other.kind(), nil
	case errors.Is(err, fs.ErrNotExist):
		instead, err = gone, nil
	}
	if err == nil {
		file, err = f.renew()
	}
	return file, instead, err
}

// differs says what the open file is, where it is not the one of before.
func (f *commandFile) differs(file *os.File, others []*commandFile) (string, error) {
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	n, err := links(file)
	switch {
	case err != nil:
		return "", err
	case !os.SameFile(f.info, info):
		return "another file", nil
	case n != f.links:
		return "a file with more names than one", nil
	}
	for _, o := range others {
		there, err := os.Lstat(o.path)
		if o != f && err == nil && os.SameFile(info, there) {
			return "the file of " + o.name, nil
		}
	}
	return "", nil
}

// renew makes the file anew, empty, in the place of whatever has its name.
func (f *commandFile) renew() (*os.File, error) {
	if err := os.RemoveAll(f.path); err != nil {
		// A folder can be made so that it cannot be emptied.
		if os.Rename(f.path, f.path+".foreign") != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(f.path, os.O_RDWR|os.O_CREATE|os.O_EXCL|noFollow, 0o644)
	if err != nil {
		return nil, err
	}
	if f.info, err = file.Stat(); err == nil {
		f.links, err = links(file)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// restore gives the file the content that it has to hold, then what add
// appends to it, through one descriptor. deed says what had been done to the
// file, without who did it; empty for nothing.
func (f *commandFile) restore(others []*commandFile, add []byte) (tampering string, err error) {
	if f.info == nil {
		return f.removeForeign()
	}
	file, instead, err := f.open(others)
	if err != nil {
		return "", fmt.Errorf("restore the file of %s: %w", f.name, err)
	}
	defer file.Close()
	now, err := io.ReadAll(io.LimitReader(file, maxCommandFile))
	tampering = f.describeTampering(instead, foreignLines(f.content, now))
	if len(add) > 0 && len(f.content) > 0 && f.content[len(f.content)-1] != '\n' {
		f.content = append(f.content, '\n')
	}
	f.content = append(f.content, add...)
	if err == nil && (tampering != "" || len(add) > 0) {
		err = rewrite(file, f.content)
	}
	if err != nil {
		return "", fmt.Errorf("write the file of %s: %w", f.name, err)
	}
	return tampering, nil
}

// describeTampering says what took the file's place, or how many lines were
// foreign; empty when nothing was done to it.
func (f *commandFile) describeTampering(instead string, lines int) string {
	switch {
	case instead == gone:
		return fmt.Sprintf("removed the file of %s, want it left alone; it was made anew", f.name)
	case instead != "":
		return fmt.Sprintf("replaced the file of %s by %s, want it left alone; it was made anew", f.name, instead)
	case lines > 0:
		return fmt.Sprintf("wrote to the file of %s, which acts on the rest of the job: %d foreign lines, want 0; they were removed", f.name, lines)
	}
	return ""
}

// removeForeign removes what has the name of a file that was not there before;
// one that was and could not be read is left as it is.
func (f *commandFile) removeForeign() (tampering string, err error) {
	if _, err := os.Lstat(f.path); err != nil || !errors.Is(f.err, fs.ErrNotExist) {
		return "", nil
	}
	if err := os.RemoveAll(f.path); err != nil {
		return "", fmt.Errorf("restore the file of %s: %w", f.name, err)
	}
	return fmt.Sprintf("made the file of %s, want none; it was removed", f.name), nil
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
func rewrite(file *os.File, data []byte) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := file.WriteAt(data, 0)
	return err
}
