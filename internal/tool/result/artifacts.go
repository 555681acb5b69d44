package result

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/openagent-ci/openagent/internal/tool"
)

// An artifact holds the first ArtifactHead bytes of a stream, and of what
// follows the last ArtifactTail bytes.
const (
	ArtifactHead = 64 << 20
	ArtifactTail = 1 << 20
)

// artifactsName is the folder's name in references, which are relative to the
// run folder.
const artifactsName = "artifacts"

// Artifacts is the folder for the whole of what was cut. The folder is made
// when the first artifact is. It is safe for concurrent use.
//
// Output passes its filter before anything of it is kept or cut: a secret that
// was cut in two would not be found any more.
type Artifacts struct {
	dir    string
	filter func(io.Writer) io.WriteCloser

	mu  sync.Mutex
	err error
}

// NewArtifacts returns the artifacts in dir, the folder "artifacts" of a run.
// All output goes through filter, which is closed at its end; nil for none.
// Counts and bounds are those of the bytes behind the filter.
func NewArtifacts(dir string, filter func(io.Writer) io.WriteCloser) *Artifacts {
	return &Artifacts{dir: dir, filter: filter}
}

// Err returns the first error in saving an artifact. The results go on without
// the artifact; whether the run does is the caller's decision.
func (a *Artifacts) Err() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}

func (a *Artifacts) fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil {
		a.err = fmt.Errorf("save artifact: %w", err)
	}
}

// Open opens an artifact for reading by its reference as a receipt prints it,
// or by its file name alone. Only regular files directly in the folder open.
func (a *Artifacts) Open(name string) (*os.File, error) {
	base := strings.TrimPrefix(name, artifactsName+"/")
	if a == nil || base != path.Base(base) || !filepath.IsLocal(base) {
		return nil, fmt.Errorf("open artifact: %w", fs.ErrNotExist)
	}
	root, err := os.OpenRoot(a.dir)
	if err != nil {
		return nil, fmt.Errorf("open artifact: %w", fs.ErrNotExist)
	}
	defer root.Close()
	if info, err := root.Lstat(base); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("open artifact: %w", fs.ErrNotExist)
	}
	return root.Open(base)
}

// NextStep returns the first step, from 1, to which no artifact of the folder
// belongs: calls that share a folder and follow one another count on.
func (a *Artifacts) NextStep() int {
	entries, err := os.ReadDir(a.dir)
	if err != nil {
		return 1 // no folder yet; one that cannot be used fails when it is written
	}
	last := 0
	for _, e := range entries {
		number, _, _ := strings.Cut(e.Name(), "-")
		if step, err := strconv.Atoi(number); err == nil {
			last = max(last, step)
		}
	}
	return last + 1
}

// save writes a stream that is already complete.
func (a *Artifacts) save(call tool.Call, role string, data []byte) *tool.Artifact {
	return a.Save(call, role+".log", data)
}

// Save keeps data that a call brought, in a file that is named for the call and ends
// in name, such as "item1.png"; nil if there is no folder or it cannot be written.
func (a *Artifacts) Save(call tool.Call, name string, data []byte) *tool.Artifact {
	w := a.create(call, name)
	if w == nil {
		return nil
	}
	out := a.filtered(w)
	_, err := out.Write(data)
	if err = errors.Join(err, out.Close()); err != nil {
		w.err = err
	}
	return w.close()
}

// filtered returns w behind the filter.
func (a *Artifacts) filtered(w io.Writer) io.WriteCloser {
	if a == nil || a.filter == nil {
		return nopCloser{w}
	}
	return a.filter(w)
}

// create begins an artifact; nil if there is no folder or it cannot be made.
func (a *Artifacts) create(call tool.Call, name string) *artifact {
	if a == nil {
		return nil
	}
	name = fmt.Sprintf("%d-%d-%s", call.Step, call.Index, name)
	if err := os.MkdirAll(a.dir, 0o700); err != nil {
		a.fail(err)
		return nil
	}
	// A file that is there already is another call's, or a link that somebody
	// put in the way.
	file, err := os.OpenFile(filepath.Join(a.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		a.fail(err)
		return nil
	}
	return &artifact{folder: a, path: artifactsName + "/" + name, file: file, left: ArtifactHead}
}

// nopCloser stands where a filter would be.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// artifact is one that is being written.
type artifact struct {
	folder *Artifacts
	path   string
	file   *os.File
	left   int64
	tail   tail
	err    error
}

// Write never fails: its first error is returned by close, and the command whose
// output this is goes on.
func (a *artifact) Write(p []byte) (int, error) {
	size := len(p)
	if n := min(a.left, int64(len(p))); n > 0 {
		a.emit(p[:n])
		a.left -= n
		p = p[n:]
	}
	if len(p) > 0 {
		a.tail.max = ArtifactTail
		a.tail.write(p)
	}
	return size, nil
}

func (a *artifact) emit(p []byte) {
	if a.err == nil && len(p) > 0 {
		_, a.err = a.file.Write(p)
	}
}

// close returns the reference, or nil if the artifact is not whole.
func (a *artifact) close() *tool.Artifact {
	a.emit(a.tail.last(ArtifactTail))
	if a.err = errors.Join(a.err, a.file.Close()); a.err != nil {
		a.folder.fail(a.err)
		return nil
	}
	return &tool.Artifact{Path: a.path}
}

// discard closes the file and removes it; the folder may be gone already.
func (a *artifact) discard() {
	_ = a.file.Close()
	_ = os.Remove(a.file.Name())
}
