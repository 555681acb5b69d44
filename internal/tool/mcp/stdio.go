package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
)

const (
	// maxMessage bounds one message of a server, in bytes.
	maxMessage = 16 << 20
	// leaveTime is what a server has to end when its input has; killGrace what it has
	// behind the polite signal.
	leaveTime = 500 * time.Millisecond
	killGrace = 500 * time.Millisecond
)

// codeTooLarge is the code of the error that takes the place of an answer that is too
// large; servers are free to use those of this range, and none has this meaning there.
const codeTooLarge = -31999

// tooLarge is what the model reads in place of such an answer.
var tooLarge = fmt.Sprintf("the answer has more than %d bytes", maxMessage)

// errEnded is why a message cannot be sent.
var errEnded = errors.New("the server has ended")

// stdio is the connection with a server that is a command: messages as lines over its
// standard streams. Of what the server sends by itself nothing is queued: notifications
// are handed to notified at once, and a question is answered before the next line is read.
type stdio struct {
	notified func(method string, params []byte) (pass bool)
	warn     func(what string)

	in   *io.PipeWriter
	out  chan []byte          // to the goroutine that writes
	read chan jsonrpc.Message // from the one that reads

	// kill ends the command; finished is closed when it has, and exit is set then.
	// The owner closes ended behind that, when all that it printed was told.
	kill            context.CancelFunc
	finished, ended chan struct{}
	exit            proc.Exit

	closing sync.Once
	closed  chan struct{}

	// line is what was read of the present one; of one that is too long, which dropping
	// reports, only the end, and head has its begin.
	line, head []byte
	dropping   bool
	strange    sync.Once

	mu      sync.Mutex
	pending map[jsonrpc.ID]bool // calls without an answer
}

// startStdio starts a command as a server: start does so, with these streams.
func startStdio(start func(stdin io.Reader, stdout io.Writer) (*proc.Process, error), notified func(string, []byte) bool, warn func(string)) (*stdio, error) {
	stdin, in := io.Pipe()
	c := &stdio{
		notified: notified, warn: warn, in: in, out: make(chan []byte), read: make(chan jsonrpc.Message),
		finished: make(chan struct{}), ended: make(chan struct{}), closed: make(chan struct{}), pending: map[jsonrpc.ID]bool{},
	}
	process, err := start(stdin, &stdoutOf{c})
	if err != nil {
		return nil, err
	}
	life, kill := context.WithCancel(context.Background())
	c.kill = kill
	go c.send()
	go func() {
		c.exit = process.Wait(life)
		close(c.finished)
		stdin.CloseWithError(errEnded)
		kill()
	}()
	return c, nil
}

// send writes messages one after the other.
func (c *stdio) send() {
	defer c.in.Close()
	for {
		select {
		case line := <-c.out:
			if _, err := c.in.Write(line); err != nil {
				return
			}
		case <-c.closed:
			return
		case <-c.finished:
			return
		}
	}
}

// Connect makes a stdio the transport of itself.
func (c *stdio) Connect(context.Context) (sdk.Connection, error) { return c, nil }

// SessionID is that of no session.
func (c *stdio) SessionID() string { return "" }

// Read returns the next answer of the server.
func (c *stdio) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-c.read:
		return m, nil
	case <-c.closed:
	case <-c.finished:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return nil, io.EOF
}

// Write sends a message; it does not wait for a server that reads nothing longer than
// ctx.
func (c *stdio) Write(ctx context.Context, m jsonrpc.Message) error {
	line, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	if call, ok := m.(*jsonrpc.Request); ok && call.IsCall() {
		c.await(call.ID, true)
	}
	select {
	case c.out <- append(line, '\n'):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.closed:
	case <-c.finished:
	}
	return errEnded
}

// await notes that a call has no answer, or has one.
func (c *stdio) await(id jsonrpc.ID, waits bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if waits {
		c.pending[id] = true
	} else {
		delete(c.pending, id)
	}
}

// Close ends the connection, not the command, whose input ends.
func (c *stdio) Close() error {
	c.closing.Do(func() { close(c.closed) })
	return nil
}

// end ends the command with all that it started.
func (c *stdio) end() {
	_ = c.Close()
	select {
	case <-c.ended:
		return
	case <-time.After(leaveTime):
	}
	c.kill()
	<-c.ended
}

// stdout is the end of a stdio that the command writes to.
func (c *stdio) stdout(p []byte) {
	for len(p) > 0 {
		head, rest, whole := bytes.Cut(p, []byte{'\n'})
		p = rest
		if !c.dropping && len(c.line)+len(head) > maxMessage {
			c.dropping, c.head = true, slices.Clone(append(c.line, head...)[:idRoom])
		}
		c.line = append(c.line, head...)
		if c.dropping && len(c.line) > 2*idRoom {
			c.line = slices.Clone(c.line[len(c.line)-idRoom:])
		}
		if !whole {
			return
		}
		line := c.line
		c.line = nil
		if c.dropping {
			c.dropping = false
			c.tooLarge(c.head, line)
			continue
		}
		c.readLine(line)
	}
}

// Write takes what the command writes. It never fails.
func (c *stdoutOf) Write(p []byte) (int, error) {
	c.stdout(p)
	return len(p), nil
}

// stdoutOf is a stdio as the writer of its command.
type stdoutOf struct{ *stdio }

// readLine handles one line. What is no message is left out, as some servers print what
// they do.
func (c *stdio) readLine(line []byte) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return
	}
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		c.strange.Do(func() { c.warn("it prints lines on its standard output that are no messages; they are left out") })
		return
	}
	switch m := m.(type) {
	case *jsonrpc.Response:
		c.await(m.ID, false)
		c.pass(m)
	case *jsonrpc.Request:
		if m.IsCall() {
			c.reply(m)
		} else if c.notified(m.Method, m.Params) {
			c.pass(m)
		}
	}
}

// pass hands an answer to who reads, unless nobody does any more.
func (c *stdio) pass(m jsonrpc.Message) {
	select {
	case c.read <- m:
	case <-c.closed:
	}
}

// reply answers a question of the server: whether somebody is there. Nobody is there to
// be asked anything else, and no model for it.
func (c *stdio) reply(call *jsonrpc.Request) {
	answer := &jsonrpc.Response{ID: call.ID, Result: []byte("{}")}
	if call.Method != "ping" {
		answer.Result = nil
		answer.Error = &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "this client does not answer " + call.Method}
	}
	_ = c.Write(context.Background(), answer)
}

// idRoom is how much of the two ends of a message that is too large is looked at for
// which call it answers.
const idRoom = 4 << 10

// lastID finds the id at the end of a message.
var lastID = lazyregexp.New(`"id"\s*:\s*([0-9]+)\s*(,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)

// answered returns the id in what is left of a message, empty if it is not there.
func answered(head, tail []byte) string {
	r := jsontext.Reader[[]byte]{Src: head, Room: maxNesting}
	r.Blanks()
	for name := range r.Members() {
		at := r.Pos
		if r.Skip() && string(name) == "id" {
			return string(head[at:r.Pos])
		}
	}
	if m := lastID().FindSubmatch(tail); m != nil {
		return string(m[1])
	}
	return ""
}

// tooLarge takes the place of a message that was too large. Where it cannot be told
// which call that answers, it answers all.
func (c *stdio) tooLarge(head, tail []byte) {
	want := answered(head, tail)
	c.mu.Lock()
	var ids []jsonrpc.ID
	for id := range c.pending {
		if want == "" || fmt.Sprint(id.Raw()) == want {
			ids = append(ids, id)
			delete(c.pending, id)
		}
	}
	c.mu.Unlock()
	for _, id := range ids {
		c.pass(&jsonrpc.Response{ID: id, Error: &jsonrpc.Error{
			Code: codeTooLarge, Message: tooLarge,
		}})
	}
}

// death says how a command ended.
func death(exit proc.Exit) string {
	if exit.Signal != "" {
		return "it was ended by signal " + exit.Signal
	}
	return fmt.Sprintf("it ended with status %d", exit.Status)
}
