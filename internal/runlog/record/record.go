// Package record saves what a run did in its folder: configuration, outcome, calls,
// messages, final output and artifacts.
package record

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// Schema is the version of run.json.
const Schema = "openagent.run_record.v1"

// FinalOutputName is the file of the run folder that holds the whole final
// text; ArtifactsName the folder of what tools cut.
const (
	FinalOutputName = "final_output.md"
	ArtifactsName   = "artifacts"
)

// InfoName, CallsName and MessagesName are the files of the run folder for the
// run itself, its calls and its conversation.
const (
	InfoName     = "run.json"
	CallsName    = "calls.jsonl"
	MessagesName = "messages.jsonl"
)

// ErrExists reports that a run of that id was recorded before.
var ErrExists = errors.New("run folder exists already")

// Info is what is known of a run before it starts.
type Info struct {
	Schema  string    `json:"schema"`
	RunID   string    `json:"run_id"`
	Started time.Time `json:"started"`
	// CLI holds all effective flags, secrets left out.
	CLI map[string]any `json:"cli"`
	// Paths are the resolved folders and files of the run.
	Paths             map[string]string `json:"paths"`
	PromptSHA256      string            `json:"prompt_sha256"`
	PolicySHA256      string            `json:"policy_sha256"`
	ConfigFingerprint string            `json:"config_fingerprint"`
	// Scratch reports that the folder goes before anybody could miss it after a
	// crash of the machine.
	Scratch file.Scratch `json:"-"`
}

// Outcome is how a run ended.
type Outcome struct {
	ExitReason string  `json:"exit_reason"`
	OK         bool    `json:"ok"`
	Error      *string `json:"error"`
	Steps      int     `json:"steps"`
	ToolCalls  int     `json:"tool_calls"`
	DurationMS int64   `json:"duration_ms"`
	// Requests counts those of the whole conversation that were answered, also by
	// an error.
	Requests int          `json:"requests,omitempty"`
	Usage    *event.Usage `json:"usage"`
}

// Call is one line of calls.jsonl.
type Call struct {
	Step      int    `json:"step"`
	ID        string `json:"id"`
	Tool      string `json:"tool"`
	Source    string `json:"source"`
	Arguments string `json:"arguments"`
	// Used are the arguments as decoded, null when they could not be.
	Used      json.RawMessage `json:"arguments_used"`
	Decision  string          `json:"decision"`
	Reason    string          `json:"decision_reason"`
	DecidedBy string          `json:"decision_source"`
	// Result is the canonical result of the call, as package tool encodes it.
	Result     json.RawMessage `json:"result"`
	Rendered   string          `json:"rendered"`
	Started    time.Time       `json:"started"`
	DurationMS int64           `json:"duration_ms"`
}

// Run is the open record of one run.
type Run struct {
	dir             string
	held            *os.Root    // the folder, wherever its name leads
	made            fs.FileInfo // of the folder
	info            Info
	calls, messages *lines
}

// Open makes the folder <root>/<run id> and writes run.json with the outcome
// still null. It returns ErrExists for an id that has a folder already. If it
// fails there is no folder, so that another run may have the id.
func Open(root string, info Info) (*Run, error) {
	info.Schema = Schema
	r := &Run{dir: filepath.Join(root, info.RunID), info: info}
	if err := makeFolder(root); err != nil {
		return nil, fmt.Errorf("make state folder: %w", err)
	}
	if err := os.Mkdir(r.dir, 0o700); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("%w: %s", ErrExists, r.dir)
		}
		return nil, fmt.Errorf("make run folder: %w", err)
	}
	if err := r.begin(); err != nil {
		return nil, errors.Join(err, r.Discard())
	}
	return r, nil
}

// makeFolder is os.MkdirAll that also makes what a link leads to, such as the place of a
// cache that is not restored yet.
func makeFolder(path string) error {
	err := os.MkdirAll(path, 0o700)
	var at *fs.PathError
	if !errors.Is(err, fs.ErrExist) || !errors.As(err, &at) {
		return err
	}
	target, linked := os.Readlink(at.Path)
	if linked != nil {
		return err
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(at.Path), target)
	}
	if err := os.MkdirAll(target, 0o700); err != nil {
		return err
	}
	return os.MkdirAll(path, 0o700)
}

// begin fills the new folder.
func (r *Run) begin() (err error) {
	if r.held, err = os.OpenRoot(r.dir); err != nil {
		return fmt.Errorf("open run folder: %w", err)
	}
	if r.made, err = r.held.Stat("."); err != nil {
		return fmt.Errorf("open run folder: %w", err)
	}
	if err := os.Mkdir(r.ArtifactsDir(), 0o700); err != nil {
		return fmt.Errorf("make artifacts folder: %w", err)
	}
	if err := r.save(nil, nil); err != nil {
		return err
	}
	if r.calls, err = openLines(filepath.Join(r.dir, CallsName)); err != nil {
		return fmt.Errorf("open record of calls: %w", err)
	}
	if r.messages, err = openLines(filepath.Join(r.dir, MessagesName)); err != nil {
		return fmt.Errorf("open record of messages: %w", err)
	}
	return nil
}

// Dir returns the run folder.
func (r *Run) Dir() string { return r.dir }

// ArtifactsDir returns the folder for the whole of what was cut.
func (r *Run) ArtifactsDir() string { return filepath.Join(r.dir, ArtifactsName) }

// Call appends one call; it is on disk when Call returns, unless the folder is
// scratch.
func (r *Run) Call(c Call) error {
	err := r.calls.write(c)
	if err == nil {
		err = r.info.Scratch.Sync(r.calls.file)
	}
	if err != nil {
		return fmt.Errorf("record call %s: %w", c.ID, err)
	}
	return nil
}

// Verify returns the names of the files of lines that are not what this run
// wrote, and "the folder" if its name leads elsewhere. What stands there instead
// is moved aside, and what this run wrote is put back where it is still there. What
// cannot be read is an error, no change.
func (r *Run) Verify() (changed []string, err error) {
	same, err := r.verifyFolder()
	if !same {
		changed = append(changed, "the folder")
	}
	for _, l := range []*lines{r.calls, r.messages} {
		same, verifyErr := l.verify()
		err = errors.Join(err, verifyErr)
		if !same {
			changed = append(changed, filepath.Base(l.path))
		}
	}
	return changed, err
}

// Discard removes the folder of a run that never began, so that another one may
// have its id.
func (r *Run) Discard() error {
	return errors.Join(r.close(), os.RemoveAll(r.dir))
}

// Finish saves the final text, unless it is empty, and the outcome.
func (r *Run) Finish(ended time.Time, finalOutput string, o Outcome) error {
	if finalOutput != "" {
		if err := r.info.Scratch.WriteIn(r.dir, FinalOutputName, []byte(finalOutput), 0o600); err != nil {
			return fmt.Errorf("save final output: %w", err)
		}
	}
	if err := r.close(); err != nil {
		return fmt.Errorf("close the record: %w", err)
	}
	return r.save(&ended, &o)
}

// close gives back what the record holds open, as far as it was opened.
func (r *Run) close() (err error) {
	for _, l := range []*lines{r.calls, r.messages} {
		if l != nil {
			err = errors.Join(err, l.file.Close())
		}
	}
	if r.held != nil {
		err = errors.Join(err, r.held.Close())
	}
	return err
}

// save writes run.json by temporary name, sync and rename.
func (r *Run) save(ended *time.Time, o *Outcome) error {
	doc := Saved{Info: r.info, Ended: ended, Outcome: o}
	if o != nil {
		doc.Lines = map[string]string{}
		for _, l := range []*lines{r.calls, r.messages} {
			doc.Lines[filepath.Base(l.path)] = l.written.Digest()
		}
	}
	b, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return fmt.Errorf("encode run.json: %w", err)
	}
	if err := r.info.Scratch.WriteIn(r.dir, InfoName, append(b, '\n'), 0o600); err != nil {
		return fmt.Errorf("save run.json: %w", err)
	}
	return nil
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	err := jsontext.Write(&b, v)
	return b.Bytes(), err
}

// Digest returns the SHA-256 of b in hex.
func Digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// maxID is the length of the longest id.
const maxID = 64

// ErrID says what an id must be.
var ErrID = errors.New("want 1 to 64 letters, digits, dots, underscores or dashes, the first a letter or digit")

// ValidID reports whether a run can have this id, which is also the name of its
// folder.
func ValidID(id string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	return id != "" && len(id) <= maxID && strings.Trim(id, letters+"._-") == "" && strings.Contains(letters, id[:1])
}

// NewID returns an id for a run that begins at that time.
func NewID(at time.Time) string {
	var random [4]byte
	_, _ = rand.Read(random[:]) // never fails
	return at.UTC().Format("20060102T150405Z-") + hex.EncodeToString(random[:])
}

// Fingerprint returns the SHA-256 in hex of v's JSON: equal for equal
// configurations, whatever order maps were filled in.
func Fingerprint(v any) (string, error) {
	b, err := encode(v)
	if err != nil {
		return "", fmt.Errorf("fingerprint: %w", err)
	}
	return Digest(b), nil
}
