// Package evidence writes and reads the evidence folder of a run: the stream as
// received, the files the agent left, and a manifest with their digests.
package evidence

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/runner"
)

// Names of the files of a folder.
const (
	EventsFile      = "events.jsonl"
	StderrFile      = "stderr.log"
	SourceFile      = "source.jsonl" // of an agent whose own stream was converted
	FindingsFile    = "findings.json"
	JUnitFile       = "junit.xml"
	SARIFFile       = "results.sarif"
	SummaryFile     = "summary.md"
	FinalOutputFile = "final_output.md"
	FinalJSONFile   = "final_output.json"
	PageFile        = "report.html"
	ManifestFile    = "manifest.json"
	ArtifactsDir    = "artifacts"
)

// Evidence can quote what the agent read, so only its owner may read it.
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// Options choose where a folder lies and what is kept out of it. With the zero
// value it gets a fresh name in the current folder.
type Options struct {
	// Dir is the folder; it must be new or empty. When Dir is empty the
	// folder gets a name of its own, from Now and 4 hex digits, in Parent.
	Dir, Parent string
	// Now is the time of the name; the current time when zero.
	Now time.Time
	// Redactor masks secrets in everything that is saved; nil masks what
	// looks like one.
	Redactor *redact.Redactor
	// Source makes room for the agent's own stream, beside what it is converted to.
	Source bool
	// NoTexts keeps no text of the run: neither the agent's stderr and its files nor its
	// final text. Whoever asks for it hands over lines by WithoutTexts.
	NoTexts bool
}

// Folder is an evidence folder that is being filled. As a runner.Handler it
// saves what an agent prints as it comes; Close completes it.
type Folder struct {
	dir      string
	root     *os.Root
	redactor *redact.Redactor
	noTexts  bool
	events   *lineLog
	source   *lineLog // nil where the agent has no stream of its own
	errFile  *os.File
	stderr   *redact.Writer
	end      ending // of stderr, redacted
	// stderrLeft is the room for stderr; below 0 the log says that it ends.
	stderrLeft int64
	bounds     bounds
	held       *os.File // disk space, see reserve
	// sums are of the files that were written piece by piece, by name.
	sums map[string]*digest
	// restored names the logs that were not there any more at the end.
	restored []string
	// written names those that hold something else than what was received.
	written []string
	// foreign is where in root lies what the agent put there, empty for
	// nothing; entries counts it.
	foreign string
	entries int
	sealed  bool
	// errs are of the steps that did not succeed, missing says them to people.
	errs    []error
	missing []string
	// lost is the first error of the logs. The run goes on without them.
	lost error
}

// Open makes the folder and its two logs.
func Open(o Options) (*Folder, error) {
	dir, err := makeDir(o)
	if err != nil {
		return nil, fmt.Errorf("make evidence folder: %w", err)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("make evidence folder: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open evidence folder: %w", err)
	}
	f := &Folder{dir: dir, root: root, redactor: o.Redactor, noTexts: o.NoTexts, bounds: defaultBounds, sums: map[string]*digest{}}
	f.stderrLeft = f.bounds.stderr
	if f.noTexts {
		f.stderrLeft = -1
	}
	if f.redactor == nil {
		f.redactor = redact.New(nil)
	}
	f.reserve()
	if err := f.openLogs(o.Source && !o.NoTexts); err != nil {
		f.release()
		return nil, errors.Join(fmt.Errorf("open evidence folder: %w", err), root.Close())
	}
	return f, nil
}

// reserveBytes of disk space, enough for manifest, findings and summary, are
// held for what Close writes last, in case the agent or its artifacts fill the
// rest.
const reserveBytes = 2 << 20

// Where less than twice reserveBytes is free, a smallDisk-th part of it is held,
// since the agent needs some too; but leastReserve, which does for a run without
// many findings, unless that is more than half.
const (
	smallDisk    = 10
	leastReserve = 64 << 10
)

// reserve holds that space. The file has no name, so that it ends with the process,
// whatever ends that; where an open file cannot be removed, as on Windows, there
// is no reserve.
func (f *Folder) reserve() {
	file := f.openHeld()
	if file == nil {
		return
	}
	held := reserveBytes
	if free := occupy(file); free < 2*reserveBytes {
		held = max(free/smallDisk, min(leastReserve, free/2))
	}
	if err := file.Truncate(int64(held)); err != nil {
		f.release()
	}
}

// openHeld opens the file of what is held, nil where there can be none.
func (f *Folder) openHeld() *os.File {
	const name = ".reserve"
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return nil
	}
	f.held = file
	if err := f.root.Remove(name); err != nil {
		f.release()
		_ = f.root.Remove(name)
		return nil
	}
	return file
}

// hold holds space until release is called. The error is that there is none.
func (f *Folder) hold(space int) error {
	file := f.openHeld()
	if file == nil {
		return nil
	}
	err := allocate(file, int64(space))
	if errors.Is(err, errors.ErrUnsupported) {
		_, err = file.Write(make([]byte, space))
	}
	return err
}

// occupy takes twice reserveBytes of disk space for the empty file, or as much as
// there is, and returns how much that is.
func occupy(file *os.File) int {
	if allocate(file, 2*reserveBytes) == nil {
		return 2 * reserveBytes
	}
	_ = file.Truncate(0) // half an allocation would count twice
	free, piece := 0, make([]byte, 32<<10)
	for free < 2*reserveBytes {
		n, err := file.Write(piece)
		free += n
		if err != nil {
			break
		}
	}
	return free
}

// release frees the space.
func (f *Folder) release() {
	_ = f.held.Close() // nil when nothing was held
	f.held = nil
}

func (f *Folder) openLogs(source bool) (err error) {
	if f.events, err = f.openLines(EventsFile); err == nil && source {
		f.source, err = f.openLines(SourceFile)
	}
	if err != nil || f.noTexts {
		return err
	}
	if f.errFile, err = f.openLog(StderrFile); err != nil {
		return err
	}
	f.stderr = redact.NewWriter(io.MultiWriter(f.sums[StderrFile], &f.end), f.redactor)
	return nil
}

// openLog makes a file that is written as the agent prints, and counted.
func (f *Folder) openLog(name string) (*os.File, error) {
	file, err := f.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, fileMode)
	if err == nil {
		f.sums[name] = newDigest(file)
	}
	return file, err
}

// lineLog is a log of lines, which are gathered before they are written.
type lineLog struct {
	name  string
	file  *os.File
	lines *bufio.Writer
}

func (f *Folder) openLines(name string) (*lineLog, error) {
	file, err := f.openLog(name)
	if err != nil {
		return nil, err
	}
	return &lineLog{name, file, bufio.NewWriterSize(f.sums[name], 64<<10)}, nil
}

// Path returns the folder's absolute path.
func (f *Folder) Path() string { return f.dir }

// Line appends a line of the agent's stdout as the runner hands it over: as it
// was received, whatever it holds, but for known secrets and for what a line
// above the reader's cap has too much.
func (f *Folder) Line(l runner.Line) { f.append(f.events, l) }

// Source appends a line of the agent's own stream, alike.
func (f *Folder) Source(l runner.Line) {
	if f.source != nil {
		f.append(f.source, l)
	}
}

func (f *Folder) append(to *lineLog, l runner.Line) {
	_, err := to.lines.Write(l.Raw)
	f.note(to.name, err)
}

// Flush saves the lines that were gathered.
func (f *Folder) Flush() {
	for _, log := range []*lineLog{f.source, f.events} {
		if log != nil {
			f.note(log.name, log.lines.Flush())
		}
	}
}

// Stderr appends to the log of the agent's stderr, redacted; pieces may end
// anywhere. What is above the bound of the log is left out, which its last line
// says.
func (f *Folder) Stderr(piece []byte) {
	if f.stderrLeft < 0 {
		return
	}
	if n := int64(len(piece)); n > f.stderrLeft {
		piece = fmt.Appendf(bytes.Clone(piece[:f.stderrLeft]), "\n[openagent: what follows is left out, the log is full at %d bytes]\n", f.bounds.stderr)
		f.stderrLeft = -1
	} else {
		f.stderrLeft -= n
	}
	_, err := f.stderr.Write(piece)
	f.note(StderrFile, err)
}

func (f *Folder) note(file string, err error) {
	if err != nil && f.lost == nil {
		f.lost = fmt.Errorf("write %s: %w", file, err)
	}
}

// makeDir makes the folder that o asks for and returns its path.
func makeDir(o Options) (string, error) {
	if o.Dir != "" {
		return o.Dir, makeGiven(o.Dir)
	}
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	if err := os.MkdirAll(filepath.Join(o.Parent, "."), 0o755); err != nil {
		return "", err
	}
	for {
		var id [2]byte
		rand.Read(id[:])
		dir := filepath.Join(o.Parent, o.Now.UTC().Format("20060102T150405Z")+"-"+hex.EncodeToString(id[:]))
		// A name that is taken is no error: another run began in this second.
		if err := os.Mkdir(dir, dirMode); !errors.Is(err, fs.ErrExist) {
			return dir, err
		}
	}
}

// makeGiven makes dir, or checks that it is empty.
func makeGiven(dir string) error {
	dir = filepath.Clean(dir) // of a/ the parent is a
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	err := os.Mkdir(dir, dirMode)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	switch names, err := d.Readdirnames(1); {
	case len(names) > 0:
		return fmt.Errorf("%s is not empty; name a new folder or an empty one", dir)
	case errors.Is(err, io.EOF):
		return nil
	default:
		return err
	}
}
