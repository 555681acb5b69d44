package evidence

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/sandbox/protected"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/schema"
)

// bounds limit what is copied, so that an agent can fill neither the disk nor
// the manifest.
type bounds struct {
	bytes   int64 // of all artifacts
	entries int   // files, folders and all else that is looked at
	listed  int   // of what was left out
	stderr  int64 // bytes of the log of stderr
	// cancelled is the time for copying once the run is cancelled: a
	// cancelled job is killed soon, and the manifest comes last.
	cancelled time.Duration
}

var defaultBounds = bounds{
	bytes: 512 << 20, entries: 20_000, listed: 1000, stderr: 256 << 20, cancelled: 750 * time.Millisecond,
}

const (
	maxPath = 1024
	// maxDepth bounds how deep folders are looked into: a folder is opened by
	// way of all those above it.
	maxDepth = 64
	// maxPiece is how much of a line is searched for secrets at once.
	maxPiece = 1 << 20
)

// collector copies trees and notes what it leaves out.
type collector struct {
	ctx     context.Context
	until   time.Time // when copying ends, zero while the run is not cancelled
	folder  *Folder
	in      *bufio.Reader // nil until a file is copied
	src     *os.Root
	seen    int
	bytes   int64
	leftOut []schema.ManifestLeftOut
	dropped int
	// lost counts what could not be copied although no limit forbids it.
	lost  int
	first error // of these
}

// collect copies what lies in dir to the folder's artifacts, then what the agent
// put into the folder itself, and returns what was left out. A dir that does not
// exist holds nothing; one that cannot be read is left out whole. It goes on
// after an error of a single file, and for a short time after the end of ctx.
// The error names what could not be copied although no limit forbids it, and
// where that still lies; unsaved reports whether dir is such a place.
func (f *Folder) collect(ctx context.Context, dir string) (leftOut []schema.ManifestLeftOut, unsaved bool, err error) {
	// Every evidence folder has this one, also when it is empty.
	if err = f.root.Mkdir(ArtifactsDir, dirMode); errors.Is(err, fs.ErrExist) {
		err = nil
	}
	c := &collector{ctx: ctx, folder: f}
	if dir != "" {
		c.tree(dir)
		unsaved = c.lost > 0
		err = errors.Join(err, c.loss(dir))
	}
	if f.foreign == "" {
		return c.list(), unsaved, err
	}
	c.tree(filepath.Join(f.dir, f.foreign))
	return c.list(), unsaved, errors.Join(err, f.endForeign(c))
}

// endForeign removes what the agent put into the folder once it is copied.
// Nobody redacted it, so what could not be copied goes beside the folder.
func (f *Folder) endForeign(c *collector) error {
	if c.lost == 0 {
		return f.root.RemoveAll(f.foreign)
	}
	aside := f.dir + f.foreign
	if err := os.Rename(filepath.Join(f.dir, f.foreign), aside); err != nil {
		return errors.Join(c.loss(""), err, f.root.RemoveAll(f.foreign))
	}
	return c.loss(aside)
}

// tree copies what lies in dir; what was lost counts anew.
func (c *collector) tree(dir string) {
	c.lost, c.first = 0, nil
	// The agent may have replaced its folder by a pipe, which an open would
	// wait for.
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		c.lose(".", err)
		return
	case !info.IsDir():
		c.leave(".", "not a folder")
		return
	}
	if c.src, err = os.OpenRoot(dir); err != nil {
		c.lose(".", err)
		return
	}
	defer c.src.Close()
	if err := fs.WalkDir(c.src.FS(), ".", c.visit); err != nil {
		c.lose(".", err)
	}
}

// errNoTime ends the copying of a cancelled run.
var errNoTime = errors.New("no time left after the run was cancelled")

// late reports whether the time for copying is over.
func (c *collector) late() bool {
	if c.ctx.Err() == nil {
		return false
	}
	if c.until.IsZero() {
		c.until = time.Now().Add(c.folder.bounds.cancelled)
	}
	return !time.Now().Before(c.until)
}

func (c *collector) visit(name string, d fs.DirEntry, err error) error {
	if name == "." {
		return err
	}
	c.seen++
	switch {
	case err != nil:
		c.lose(name, err)
	case c.seen > c.folder.bounds.entries:
		c.leave(name, fmt.Sprintf("more than %d entries; what follows is left out too", c.folder.bounds.entries))
		return fs.SkipAll
	case c.late():
		c.leave(name, errNoTime.Error()+"; what follows is left out too")
		return fs.SkipAll
	case d.IsDir() && !portable(name): // io/fs cannot read one that is not UTF-8
		c.leave(name, notPortable)
		return fs.SkipDir
	case d.IsDir() && strings.Count(name, "/") >= maxDepth:
		c.leave(name, fmt.Sprintf("below more than %d folders", maxDepth))
		return fs.SkipDir
	case d.IsDir():
		return nil
	default:
		c.addFile(name, d)
	}
	return nil
}

// addFile copies the file name, or notes why not.
func (c *collector) addFile(name string, d fs.DirEntry) {
	why := refused(name, d.Type())
	// The manifest could not name such a file as it is.
	if why == "" && c.folder.redactor.String(name) != name {
		why = "name that holds a secret"
	}
	var err error
	if why == "" {
		why, err = c.copy(name)
	}
	switch {
	case err != nil:
		c.lose(name, err)
	case why != "":
		c.leave(name, why)
	}
}

// refused says why a file of this name and type is not kept, else "".
func refused(name string, mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "link"
	case !mode.IsRegular():
		return "not a regular file"
	case len(name) > maxPath:
		return "path too long"
	case !portable(name):
		return notPortable
	case protected.MayBeSecret(name):
		return "name that stands for a secret"
	}
	return ""
}

const notPortable = "name that not every system can keep"

// portable reports whether the name can be uploaded and unpacked everywhere: the
// upload of a whole folder fails at one of these characters.
func portable(name string) bool {
	return utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool {
		return unicode.IsControl(r) || strings.ContainsRune(`":<>|*?\`, r)
	})
}

// copy copies one regular file. Why says which limit forbids it, the error why
// it could not be done.
func (c *collector) copy(name string) (why string, err error) {
	// A file can have become a pipe meanwhile; O_NONBLOCK keeps the open from
	// waiting for a writer.
	in, err := c.src.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer in.Close()
	info, err := in.Stat()
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "not a regular file", nil
	case info.Size() > c.folder.bounds.bytes-c.bytes:
		return fmt.Sprintf("%d bytes, above the limit of %d in all", info.Size(), c.folder.bounds.bytes), nil
	}
	c.bytes += info.Size()
	err = c.save(path.Join(ArtifactsDir, name), io.LimitReader(in, info.Size()))
	if errors.Is(err, errNoTime) {
		return errNoTime.Error(), nil
	}
	return "", err
}

// save writes the file name of the folder with known secrets masked, and
// takes it away again when that cannot be done to its end.
func (c *collector) save(name string, in io.Reader) (err error) {
	root := c.folder.root
	if err := root.MkdirAll(path.Dir(name), dirMode); err != nil {
		return err
	}
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	sum := newDigest(out)
	err = errors.Join(c.mask(sum, in), out.Close())
	if err != nil {
		return errors.Join(err, root.Remove(name))
	}
	c.folder.sums[name] = sum
	return nil
}

// mask copies in to out, known secrets masked: in each line, which may be JSON,
// and then in pieces of many lines, since a secret may be wrapped.
func (c *collector) mask(out io.Writer, in io.Reader) error {
	w := &pieces{w: out, r: c.folder.redactor}
	if c.in == nil {
		c.in = bufio.NewReaderSize(nil, maxPiece)
	}
	c.in.Reset(in)
	var held []byte
	for !c.late() {
		piece, err := c.in.ReadSlice('\n')
		held = append(held, piece...)
		cut := len(held)
		if errors.Is(err, bufio.ErrBufferFull) {
			cut = c.folder.redactor.SafeCut(held)
		}
		masked, _ := c.folder.redactor.JSONLine(held[:cut])
		if _, err := w.Write(masked); err != nil {
			return err
		}
		held = append(held[:0], held[cut:]...)
		switch {
		case errors.Is(err, io.EOF):
			return w.Close()
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
	return errNoTime
}

// pieces masks known secrets in large pieces of what is written to it.
type pieces struct {
	w    io.Writer
	r    *redact.Redactor
	held []byte
}

func (p *pieces) Write(text []byte) (int, error) {
	p.held = append(p.held, text...)
	if len(p.held) < maxPiece {
		return len(text), nil
	}
	cut := p.r.SafeCut(p.held)
	err := p.put(p.held[:cut])
	p.held = append(p.held[:0], p.held[cut:]...)
	return len(text), err
}

// Close writes what is held.
func (p *pieces) Close() error { return p.put(p.held) }

func (p *pieces) put(text []byte) error {
	masked, n := p.r.Known(string(text))
	if n > 0 {
		text = []byte(masked)
	}
	_, err := p.w.Write(text)
	return err
}

func (c *collector) leave(name, why string) {
	if len(c.leftOut) == c.folder.bounds.listed {
		c.dropped++
		return
	}
	name = strings.ToValidUTF8(name, "\ufffd")
	c.leftOut = append(c.leftOut, schema.ManifestLeftOut{Path: name, Why: why})
}

// lose notes what could not be copied although no limit forbids it.
func (c *collector) lose(name string, err error) {
	c.leave(name, reason(err))
	if c.lost++; c.lost == 1 {
		c.first = fmt.Errorf("%s: %s", strings.ToValidUTF8(name, "\ufffd"), reason(err))
	}
}

// loss returns an error about what was lost of the last tree, nil for nothing;
// it still lies in dir, nowhere for an empty one.
func (c *collector) loss(dir string) error {
	if c.lost == 0 {
		return nil
	}
	if dir != "" {
		dir = "; what the agent left stays in " + dir
	}
	return fmt.Errorf("%d not copied, the first is %w%s", c.lost, c.first, dir)
}

// list returns what was left out; the last item counts what it has no room for.
func (c *collector) list() []schema.ManifestLeftOut {
	if c.dropped > 0 {
		c.leftOut = append(c.leftOut, schema.ManifestLeftOut{Path: ".", Why: fmt.Sprintf("%d more are not listed", c.dropped)})
	}
	return c.leftOut
}
