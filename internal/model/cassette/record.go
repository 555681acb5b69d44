package cassette

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// Recorder writes exchanges to a cassette while they go on. It keeps method,
// path and body of a request; of an answer the status, the headers that a
// client acts on and the body, of a refusal only one that is JSON, with the
// fact that it was cut.
// No key, host, date, cookie or id of a request gets into the file, and known
// secrets and the keys that requests carry are masked in the bodies. The same exchanges give the same bytes,
// as ids and times that change with each reply and that no client reads are
// replaced; ids of tool calls are kept, since the client repeats them.
//
// Each exchange is written and synced when it ends, so that a kill loses only
// the one under way. The file has the name of the cassette and PartialSuffix
// until Close puts it in place. A Recorder is safe for concurrent use.
type Recorder struct {
	run   context.Context
	path  string
	masks *masks
	agent *Agent

	mu      sync.Mutex
	named   bool // the folder of the agent, by a request
	count   int
	last    []part // of the latest request
	file    *os.File
	written file.Written // to file
	err     error
}

// PartialSuffix ends the name of a recording that is under way, or whose run
// did not end well. Nothing replays it until somebody renames it.
const PartialSuffix = ".partial"

// NewRecorder returns a recorder for the cassette at path. An exchange that the
// end of run breaks off is left out. The folder is made if there is none. A
// cassette that is there already stays until Close.
func NewRecorder(run context.Context, path string, r *redact.Redactor) (*Recorder, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("record cassette: %w", err)
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("record cassette: %s is no file", path)
	}
	// The first exchange would be too late: it is paid for.
	probe, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return nil, fmt.Errorf("record cassette: %w", err)
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		return nil, fmt.Errorf("record cassette: %w", err)
	}
	return &Recorder{run: run, path: path, masks: newMasks(r)}, nil
}

// SetAgent notes whose requests are recorded, before the first one.
func (r *Recorder) SetAgent(a Agent) { r.agent = &a }

// Err returns why the cassette could not be written, nil while it can.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Empty reports whether nothing was recorded yet.
func (r *Recorder) Empty() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.count == 0
}

// refusedBy ends the recording of another program where a request was not sent on: it
// may make nothing of that, and what it does then was not asked of its endpoint.
func (r *Recorder) refusedBy(err error) {
	var refusal *chat.Failure
	if r.agent != nil && errors.As(err, &refusal) && !refusal.Retryable {
		r.fail(refusal)
	}
}

// Close ends the recording. If it is whole, it takes the place of the cassette,
// whose mode it keeps; otherwise Close returns the path at which it stays, empty
// when nothing was recorded.
func (r *Recorder) Close(whole bool) (partial string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return "", nil
	}
	partial = r.path + PartialSuffix
	err = r.ours()
	if err == nil && r.err == nil {
		var same bool
		if same, err = r.written.IsIn(partial); err == nil && !same {
			err = errChanged
		}
	}
	err = errors.Join(err, r.file.Close())
	r.file = nil
	if err == nil && whole {
		err = r.leaveFolderOut(partial)
	}
	if err == nil && whole {
		if was, err := os.Stat(r.path); err == nil {
			_ = os.Chmod(partial, was.Mode().Perm()) // private is no reason to lose it
		}
		if err = os.Rename(partial, r.path); err == nil {
			return "", nil
		}
	}
	if err != nil {
		err = fmt.Errorf("record cassette %s: %w", r.path, err)
	}
	return partial, err
}

// leaveFolderOut takes the folder of the agent out of the first line where no request
// names it, since each attempt at a scenario has another one.
func (r *Recorder) leaveFolderOut(partial string) error {
	if r.agent == nil || r.named || r.agent.Folder == "" {
		return nil
	}
	text, err := os.ReadFile(partial)
	if err != nil {
		return err
	}
	own := header(r.agent)
	r.agent.Folder = ""
	dir, name := filepath.Split(partial)
	return file.WriteIn(filepath.Join(dir, "."), name, append(header(r.agent), text[len(own):]...), 0o600)
}

// Tape returns a transport that records what next does.
func (r *Recorder) Tape(next http.RoundTripper) http.RoundTripper { return taped{next, r} }

// taped is a transport whose exchanges go to a recorder.
type taped struct {
	next http.RoundTripper
	to   *Recorder
}

// RoundTrip records what next does; nothing waits for it but the end of the
// body, which waits for the file.
func (t taped) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := readBody(req)
	if err != nil {
		return nil, err
	}
	t.to.packed("a request", req.Header)
	x := asked(req, body, t.to.masks)
	sent := req.Clone(req.Context())
	sent.Body = io.NopCloser(bytes.NewReader(body))
	resp, err := t.next.RoundTrip(sent)
	if err != nil {
		if x.end = lostBy(req.Context(), err); x.end != "" && t.to.run.Err() == nil {
			t.to.save(x)
		}
		t.to.refusedBy(err)
		return nil, err
	}
	if t.to.packed("an answer", resp.Header) {
		return resp, nil
	}
	x.status, x.headers = resp.StatusCode, t.to.headers(req, resp)
	resp.Body = &tape{body: resp.Body, ctx: req.Context(), host: req.URL.Host, x: x, media: mediaType(resp.Header), to: t.to}
	return resp, nil
}

// packed reports whether a body is compressed, which ends the recording.
func (r *Recorder) packed(what string, h http.Header) bool {
	how := h.Get("Content-Encoding")
	if how == "" || how == "identity" {
		return false
	}
	r.fail(fmt.Errorf("%s came compressed by %s, in which no secret can be found", what, strconv.Quote(how)))
	return true
}

// readBody reads and closes the body of a request.
func readBody(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	defer req.Body.Close()
	return io.ReadAll(req.Body)
}

// lostBy returns how an exchange without an answer ended, "" for one that is
// not to be recorded: the caller gave up, or nothing was sent.
func lostBy(ctx context.Context, err error) string {
	var refusal *chat.Failure
	var slow net.Error
	switch {
	case errors.Is(context.Cause(ctx), transport.ErrIdle):
		return endTimeout
	case ctx.Err() != nil, errors.As(err, &refusal):
		return ""
	case errors.As(err, &slow) && slow.Timeout():
		return endTimeout
	}
	return endCut
}

// headers returns those of an answer that are kept, without what they say of
// the host or the date.
func (r *Recorder) headers(req *http.Request, resp *http.Response) map[string]string {
	kept := map[string]string{}
	for name, value := range map[string]string{
		"Content-Type":   mediaType(resp.Header),
		"Retry-After-Ms": waitOf(resp.Header.Get("Retry-After-Ms")),
		"Retry-After":    secondsOf(resp.Header.Get("Retry-After"), time.Now()),
		"Location":       pathWithin(req.URL, resp.Header.Get("Location"), r.masks.now()),
	} {
		if value != "" {
			kept[name] = mask(r.masks.now(), value)
		}
	}
	if strings.EqualFold(resp.Header.Get("X-Should-Retry"), "false") {
		kept["X-Should-Retry"] = "false"
	}
	return kept
}

// secondsOf returns a Retry-After as whole seconds from now, "" if it is none.
func secondsOf(value string, now time.Time) string {
	at, err := http.ParseTime(value)
	if err != nil {
		return waitOf(value)
	}
	return strconv.Itoa(int(math.Ceil(max(at.Sub(now).Seconds(), 0))))
}

// waitOf returns a number that is a wait, "" for any other text.
func waitOf(value string) string {
	if n, err := strconv.ParseFloat(value, 64); err != nil || !(n >= 0) || math.IsInf(n, 0) {
		return ""
	}
	return value
}

// pathWithin returns where a redirect leads on the same origin, without keys; one that
// leads elsewhere is not followed, so nobody needs to know where.
func pathWithin(from *url.URL, location string, r *redact.Redactor) string {
	to, err := from.Parse(location)
	if location == "" || err != nil || to.Scheme != from.Scheme || to.Host != from.Host {
		return ""
	}
	return address(to, r)
}

// save adds an exchange to the file.
func (r *Recorder) save(x *exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return
	}
	r.count++
	if x.status/100 == 2 {
		series := ""
		if r.agent != nil { // another program may take answers with one id for one, which ours does not look at
			series = strconv.Itoa(r.count) + "_"
		}
		normalize(x.answer, series)
		maskAnswer(r.masks.now(), x.answer)
	}
	if err := r.write(x.encode(r.count, r.last)); err != nil {
		r.err = fmt.Errorf("record cassette %s: %w", r.path, err)
	}
	r.last = x.body
	if r.agent != nil {
		names := newScrubber(r.agent.Folder).folder
		r.named = r.named || slices.ContainsFunc(x.body, func(p part) bool { return names.Replace(p.value) != p.value })
	}
}

// fail ends the recording for a reason; answers are handed on all the same.
func (r *Recorder) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = fmt.Errorf("record cassette %s: %w", r.path, err)
	}
}

// write appends an exchange; the first time it makes the file.
func (r *Recorder) write(exchange []byte) (err error) {
	if r.written.Size()+int64(len(exchange)) > MaxFile {
		return fmt.Errorf("it becomes larger than %d bytes, which nothing replays", MaxFile)
	}
	if r.file == nil {
		dir, name := filepath.Split(r.path + PartialSuffix)
		whole := append(header(r.agent), exchange...)
		if err := file.WriteIn(filepath.Join(dir, "."), name, whole, 0o600); err != nil {
			return err
		}
		r.written.Add(whole)
		r.file, err = os.OpenFile(r.path+PartialSuffix, os.O_WRONLY|os.O_APPEND, 0)
		return err
	}
	if err := r.ours(); err != nil {
		return err
	}
	if info, err := r.file.Stat(); err != nil || info.Size() != r.written.Size() {
		return errors.Join(err, errChanged)
	}
	if _, err := r.file.Write(exchange); err != nil {
		return err
	}
	r.written.Add(exchange)
	return r.file.Sync()
}

// errChanged is the error of a recording that somebody else wrote to.
var errChanged = errors.New("the file was changed while the run went on: nothing else may write to it")

// ours returns an error when the name of the file leads to another one.
func (r *Recorder) ours() error {
	ours, err := r.file.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Stat(r.path + PartialSuffix); err != nil || !os.SameFile(ours, there) {
		return errors.New("the file was replaced while the run went on: give each run a cassette of its own")
	}
	return nil
}
