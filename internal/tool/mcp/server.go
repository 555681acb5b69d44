package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/text/hint"
)

// server is one server while it runs.
type server struct {
	config  Server
	options Options
	failure error // why it cannot be used

	session *sdk.ClientSession
	command *stdio // nil for one with an address
	stderr  *lines
	ending  sync.Once

	tools []remoteTool
	// stale reports that the tools have changed, telling that the SDK is being told so.
	stale, refreshing atomic.Bool

	calls   int
	present atomic.Pointer[patience] // with the present call
	// abort ends the wait for the present answer, with the reason.
	abort atomic.Pointer[context.CancelCauseFunc]
}

var (
	// errSlow is the cause of a context that ended with the time for a start.
	errSlow = errors.New("slow to start")
	// errTooLarge is the cause of one that ended with a message that is too large.
	errTooLarge = fmt.Errorf("the answer has more than %d bytes", maxMessage)
)

// start starts the server and reads its tools.
func (s *server) start(ctx context.Context) error {
	begin, cancel := context.WithTimeoutCause(ctx, s.options.StartTime, errSlow)
	defer cancel()
	err := s.connect(begin)
	if err == nil {
		s.tools, err = s.list(begin)
	}
	if err == nil {
		return nil
	}
	ended := s.hasEnded()
	s.end()
	switch {
	case s.command != nil && ended:
		err = fmt.Errorf("%s before it could be used%s", death(s.command.exit), s.lastWords())
	case errors.Is(context.Cause(begin), errSlow):
		err = fmt.Errorf("it could not be used within %v%s", s.options.StartTime, s.lastWords())
	}
	if s.stderr != nil && hint.Of(err) == "" {
		said := s.stderr.said()
		err = hint.With(err, cmp.Or(s.options.Commands.Refusal(said), s.options.Variables.withheld(said)))
	}
	return err
}

// connect starts a session with the server, which replaces an earlier one.
func (s *server) connect(ctx context.Context) error {
	t, err := s.transport()
	if err != nil {
		return err
	}
	session, err := within(ctx, func() (*sdk.ClientSession, error) { return s.client().Connect(ctx, t, nil) })
	if err != nil {
		return err
	}
	s.leave()
	s.session = session
	return nil
}

// leave ends the session, and waits for that no longer than closeTime.
func (s *server) leave() {
	session := s.session
	if session == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	_, _ = within(ctx, func() (any, error) { return nil, session.Close() }) // it is over, however it went
}

// within returns the result of do, or the cause of the end of ctx if that comes first.
// The SDK waits without end to write to a command that reads nothing; such a do returns
// when the command has ended.
func within[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := do()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// ask asks the server. Where the server has refused the request since it no longer knows
// the session (HTTP), ask starts a new session and asks again, once.
func ask[T any](ctx context.Context, s *server, do func(context.Context, *sdk.ClientSession) (T, error)) (T, error) {
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	s.abort.Store(&abort)
	defer s.abort.Store(nil)
	try := func() (T, error) {
		session := s.session
		return within(ctx, func() (T, error) {
			answer, err := do(ctx, session)
			if s.config.URL != "" && errors.Is(err, sdk.ErrConnectionClosed) && errors.Is(session.Wait(), sdk.ErrSessionMissing) {
				err = errNoSession
			}
			return answer, err
		})
	}
	answer, err := try()
	if errors.Is(err, errNoSession) {
		if err := s.connect(ctx); err != nil {
			return answer, fmt.Errorf("%w: there is no new session: %w", sdk.ErrConnectionClosed, cmp.Or(context.Cause(ctx), err))
		}
		s.stale.Store(true) // the tools may be others
		answer, err = try()
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return answer, err
}

// oversized ends the wait for the present answer since a message is too large.
func (s *server) oversized() {
	if abort := s.abort.Load(); abort != nil {
		(*abort)(errTooLarge)
	}
}

// lastWords quotes what a command printed last on its standard error.
func (s *server) lastWords() string {
	if s.stderr == nil || s.stderr.last() == "" {
		return ""
	}
	return fmt.Sprintf("; it said last: %s", s.stderr.last())
}

// hasEnded reports whether the command has ended by itself. That is known a moment
// after its output has.
func (s *server) hasEnded() bool {
	if s.command == nil {
		return false
	}
	select {
	case <-s.command.finished:
	default:
		return false
	}
	select {
	case <-s.command.ended:
		return true
	case <-time.After(leaveTime):
		return false
	}
}

// client makes what speaks with the server. It offers nothing to it: no model, no
// folders, nobody to ask.
func (s *server) client() *sdk.Client {
	return sdk.NewClient(&sdk.Implementation{Name: "openagent", Version: cmp.Or(s.options.Version, "dev")}, &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {
			s.refreshing.Store(false)
			s.stale.Store(true)
		},
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			s.progressed(r.Params.ProgressToken)
		},
	})
}

// transport returns the way to the server, and starts it if it is a command.
func (s *server) transport() (sdk.Transport, error) {
	if s.config.URL != "" {
		secret := slices.ContainsFunc(s.config.Headers, func(h Setting) bool { return h.secrets != nil }) || len(s.config.secrets) > 0
		client := transport.Network(transport.Options{MaxBody: maxStream, Secret: secret})
		client.Transport = &carrier{next: client.Transport, headers: s.config.Headers}
		return &sdk.StreamableClientTransport{Endpoint: s.config.URL, HTTPClient: client, MaxRetries: maxRetries, MaxEventSize: maxMessage}, nil
	}
	dir := s.options.Root
	if filepath.IsAbs(s.config.Dir) {
		dir = s.config.Dir
	} else if s.config.Dir != "" {
		dir = filepath.Join(dir, s.config.Dir)
	}
	env := slices.Clone(s.options.Environ)
	for _, v := range s.config.Env {
		env = append(env, v.Name+"="+v.Value)
	}
	path, err := program(s.config.Command, dir, env)
	if err != nil {
		return nil, err
	}
	s.stderr = &lines{prefix: "mcp " + s.config.Name + ": ", to: s.options.Stderr}
	stderr := s.options.filtered(s.stderr)
	s.command, err = startStdio(s, func(stdin io.Reader, stdout io.Writer) (*proc.Process, error) {
		return s.options.Commands.Start(proc.Command{
			Path: path, Args: append([]string{path}, s.config.Args...), Dir: dir, Env: env,
			Stdin: stdin, Stdout: stdout, Stderr: stderr, Grace: killGrace,
		})
	})
	if err != nil {
		if hinted := s.options.Commands.Refusal(err.Error()); hinted != "" {
			err = hint.With(err, hinted)
		}
		return nil, err
	}
	go func() {
		<-s.command.finished
		_ = stderr.Close() // what is behind the filter never fails
		close(s.command.ended)
	}()
	return s.command.sdk, nil
}

// program finds a command: a path from dir, or a name on the PATH of env.
func program(name, dir string, env []string) (string, error) {
	if strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		path, err := exec.LookPath(name)
		if no := new(exec.Error); errors.As(err, &no) {
			err = fmt.Errorf("%s: %w", quoted(name), no.Err)
		}
		return path, err
	}
	search := ""
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, "PATH="); ok {
			search = value
		}
	}
	for _, folder := range filepath.SplitList(search) {
		if !filepath.IsAbs(folder) {
			continue // it would be another one in each folder
		}
		if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return path, nil
		}
	}
	return "", hint.With(fmt.Errorf("there is no program %s on PATH", quoted(name)), "install it before, or give its path")
}

// filtered returns the way to w, secrets out.
func (o Options) filtered(w io.Writer) io.WriteCloser {
	if o.Filter == nil {
		return nopCloser{w}
	}
	return o.Filter(w)
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// maxRetries is how often a stream of a server with an address is opened again that
// was closed; maxStream bounds one, in bytes.
const (
	maxRetries = 2
	maxStream  = 64 << 20
)

// notified handles a notification of a command: progress at once, that tools have changed
// by the SDK, of which one at a time is enough. Others say nothing to anybody here.
func (s *server) notified(method string, params []byte) (pass bool) {
	switch method {
	case "notifications/progress":
		s.progressed(progressToken(params))
	case "notifications/tools/list_changed":
		return s.refreshing.CompareAndSwap(false, true)
	}
	return false
}

// progressed begins the time of the present call anew.
func (s *server) progressed(token any) {
	if p := s.present.Load(); p != nil && token == p.token {
		p.restart()
	}
}

// closeTime bounds the farewell to a server.
const closeTime = time.Second

// end ends the connection, and the command with all that it started.
func (s *server) end() {
	s.ending.Do(func() {
		if s.command != nil {
			s.command.end()
		}
		s.leave()
	})
}
