package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/openagent-ci/openagent/internal/platform/proc"
)

const (
	// maxMessage bounds one message of a server, in bytes.
	maxMessage = 16 << 20
	// leaveTime is the time a server has to end after its input has ended, killGrace
	// the time after the polite signal.
	leaveTime = 500 * time.Millisecond
	killGrace = 500 * time.Millisecond
)

// errEnded is the error of a message to a server that has ended.
var errEnded = errors.New("the server has ended")

// stdio is a server that is a command. The SDK writes its messages to one pipe and reads
// the server's from another. Write filters them: the SDK ends the connection at a line
// that is no message, and queues notifications and questions without a bound.
type stdio struct {
	server *server
	in     *io.PipeWriter // from the SDK to the command
	out    *io.PipeWriter // from here to the SDK
	sdk    *sdk.IOTransport

	// kill ends the command; finished is closed when it has ended, and exit is set then.
	// ended is closed after that, when all that it printed was passed on.
	kill            context.CancelFunc
	finished, ended chan struct{}
	exit            proc.Exit

	line     []byte // the present line, empty while dropping
	dropping bool   // the present line is too long
	strange  sync.Once
}

// startStdio starts a command as a server: start does so, with these streams.
func startStdio(s *server, start func(stdin io.Reader, stdout io.Writer) (*proc.Process, error)) (*stdio, error) {
	stdin, in := io.Pipe()
	answers, out := io.Pipe()
	c := &stdio{
		server: s, in: in, out: out, sdk: &sdk.IOTransport{Reader: answers, Writer: in, MaxLineLength: -1},
		finished: make(chan struct{}), ended: make(chan struct{}),
	}
	process, err := start(stdin, c)
	if err != nil {
		return nil, err
	}
	life, kill := context.WithCancel(context.Background())
	c.kill = kill
	go func() {
		c.exit = process.Wait(life)
		close(c.finished)
		stdin.CloseWithError(errEnded)
		_ = out.Close()
		kill()
	}()
	return c, nil
}

// end ends the command with all that it started.
func (c *stdio) end() {
	_ = c.in.Close()
	select {
	case <-c.ended:
		return
	case <-time.After(leaveTime):
	}
	c.kill()
	<-c.ended
}

// Write takes what the command prints. It never fails.
func (c *stdio) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		head, after, whole := bytes.Cut(rest, []byte{'\n'})
		rest = after
		if !c.dropping && len(c.line)+len(head) > maxMessage {
			c.dropping, c.line = true, nil
			c.server.oversized()
		}
		if !c.dropping {
			c.line = append(c.line, head...)
		}
		if whole {
			line := c.line
			c.line, c.dropping = nil, false
			c.read(bytes.TrimSpace(line))
		}
	}
	return len(p), nil
}

// read handles one line. A line that is no message is dropped, as some servers print
// what they do.
func (c *stdio) read(line []byte) {
	if len(line) == 0 {
		return
	}
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		c.strange.Do(func() {
			c.server.options.Log.Warn("an MCP server does not keep to the protocol", "server", c.server.config.Name,
				"what", "it prints lines on its standard output that are no messages; they are left out")
		})
		return
	}
	if request, ok := m.(*jsonrpc.Request); ok {
		if request.IsCall() {
			c.reply(request)
			return
		}
		if !c.server.notified(request.Method, request.Params) {
			return
		}
	}
	_, _ = c.out.Write(append(line, '\n')) // it fails when nobody reads any more
}

// reply answers a question of the server before its next line is read. There is only
// the answer to a ping: no model and nobody to ask.
func (c *stdio) reply(call *jsonrpc.Request) {
	answer := &jsonrpc.Response{ID: call.ID, Result: []byte("{}")}
	if call.Method != "ping" {
		answer.Result = nil
		answer.Error = &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "this client does not answer " + call.Method}
	}
	if line, err := jsonrpc.EncodeMessage(answer); err == nil {
		_, _ = c.in.Write(append(line, '\n')) // it fails when the server has ended
	}
}

// death says how a command ended.
func death(exit proc.Exit) string {
	if exit.Signal != "" {
		return "it was ended by signal " + exit.Signal
	}
	return fmt.Sprintf("it ended with status %d", exit.Status)
}
