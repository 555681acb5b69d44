package session

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/tool"
)

// broken is a reader that has gone.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("gone") }

// The error of a run says who is still to be told of it.
func TestRun_Errors(t *testing.T) {
	at := inputFiles(t)
	for name, tt := range map[string]struct {
		edit func(*Options)
		out  io.Writer
		want string
	}{
		"ok":                {func(*Options) {}, io.Discard, "<nil>"},
		"for people":        {func(o *Options) { o.People = unseen }, io.Discard, "<nil>"},
		"not ok":            {func(o *Options) { o.MaxTokens = 1 }, io.Discard, "failed"},
		"never began":       {func(o *Options) { o.Script = at("@none") }, io.Discard, "failed"},
		"never, for people": {func(o *Options) { o.Script, o.People = at("@none"), unseen }, io.Discard, "read script"},
		"undelivered":       {func(*Options) {}, broken{}, "delivery"},
		"no last words":     {func(o *Options) { o.People = unseen }, broken{}, "delivery"},
		"no first words":    {func(o *Options) { o.Script = at("@none") }, broken{}, "delivery"},
	} {
		s, _ := newRun(t, "", func(o *Options) {
			o.Prompt, o.Script, o.Workspace, o.StateDir = "do", at("@script"), t.TempDir(), t.TempDir()
			tt.edit(o)
		})
		s.Out = tt.out
		err := Run(t.Context(), s.Process, s.Options)
		var undelivered *DeliveryError
		got := "<nil>"
		switch {
		case err == ErrFailed:
			got = "failed"
		case errors.As(err, &undelivered):
			got = "delivery"
		case err != nil:
			got = err.Error()
		}
		if !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: Run = %v, want %s", name, err, tt.want)
		}
	}
}

// What a run holds is given back the last first, and the rest also after one
// that fails.
func TestClosers_LastFirst(t *testing.T) {
	var order, log strings.Builder
	var held closers
	for _, name := range []string{"a", "b", "c"} {
		held.add(func() error {
			order.WriteString(name)
			return errors.New("no good: " + name)
		})
	}
	held.close((&process.Process{Err: &log}).Logger())
	if order.String() != "cba" || strings.Count(log.String(), "no good") != 3 {
		t.Errorf("closed %s and warned %q, want cba and each error", &order, &log)
	}
}

func TestToolCall_Errors(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("sk-test-0123456789\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	call := func(c ToolCall) (tool.Result, string, error) {
		c.StateDir, c.MaxOutput, c.Masks = state, 1<<10, redact.New([]string{"sk-test-0123456789"})
		return c.Run(t.Context(), &process.Process{In: strings.NewReader(""), Out: io.Discard, Err: &bytes.Buffer{}})
	}
	result, rendered, err := call(ToolCall{Name: "read_file", Arguments: `{"path": "a.txt"}`, Workspace: dir})
	if err != nil || result.Status == tool.StatusError || !strings.Contains(rendered, redact.Mask) {
		t.Errorf("read_file = %+v, %q, %v, want the file without its secret", result, rendered, err)
	}
	for name, arguments := range map[string]string{"no_tool": "{}", "read_file": "{"} {
		if result, _, err := call(ToolCall{Name: name, Arguments: arguments, Workspace: dir}); err != nil || result.Status != tool.StatusError {
			t.Errorf("%s with %s = %+v, %v, want an error of the tool", name, arguments, result, err)
		}
	}
	var closed *PlaceError
	if _, _, err := call(ToolCall{Name: "read_file", Workspace: filepath.Join(dir, "none")}); !errors.As(err, &closed) {
		t.Errorf("a workspace that is none: %v, want a PlaceError", err)
	}
	state = filepath.Join(dir, "a.txt")
	_, _, err = call(ToolCall{Name: "execute_command", Arguments: `{"command": "seq 9999"}`, Workspace: dir})
	if err == nil || errors.As(err, &closed) || hint.Of(err) != "" {
		t.Errorf("a result that cannot be saved: %v, want its error", err)
	}
}

// unseen is a view for people that shows nothing.
func unseen(io.Writer) event.Sink { return event.Multi{} }
