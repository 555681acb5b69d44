package testscript

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/model/endpoint"
	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// modelVariable names the address of the model that is served, with the path that
// clients of OpenAI's APIs want.
const modelVariable = "MODEL_URL"

// servedModel is the model that the command model serves to a script.
type servedModel struct {
	script *transport.Script
	// source, if any, answers instead of the scripts that the command model names, until
	// the script ends: a cassette, or a real model.
	source *endpoint.Source
	origin string // empty while none is served
	stop   func() error
	files  map[string]bool // that point wrote
	prompt string          // that the last agent was given
}

// modelKey is the key of the model of a script.
type modelKey struct{}

// modelOf returns the model of a script.
func modelOf(ts *testscript.TestScript) *servedModel { return ts.Value(modelKey{}).(*servedModel) }

// refused returns why the model refused a request since it was last asked, nil for
// none.
func (m *servedModel) refused() *chat.Failure {
	switch {
	case m.source != nil:
		refused, _ := m.source.Outcome()
		return refused
	case m.script == nil:
		return nil
	}
	_, refused := m.script.Outcome()
	return refused
}

// close ends the model, if there is one.
func (m *servedModel) close() error {
	if m.origin == "" {
		return nil
	}
	m.origin = ""
	return m.stop()
}

// serveModel is model FILE: the turns in the file play the model, on a port of this
// machine, until the script ends or names another one. What points each agent
// that is known to it is in the environment and the home of the script.
func serveModel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: model FILE")
	}
	script, err := transport.LoadScript(args[0], []byte(ts.ReadFile(args[0])))
	ts.Check(err)
	m := modelOf(ts)
	if m.source != nil {
		return
	}
	ts.Check(m.close())
	m.script = script
	m.origin, m.stop, err = transport.Listen(context.Background(), script)
	ts.Check(err)
	ts.Defer(func() { _ = m.close() })
	ts.Check(m.point(ts.Getenv("HOME"), transport.ModelName, func(name, value string) { setVariable(ts, name, value) }))
}

// point has every agent ask the model that is served: it sets variables and writes files,
// but those that the script has itself.
func (m *servedModel) point(home, model string, set func(name, value string)) error {
	set(modelVariable, m.origin+"/v1")
	set(flags.Variable("base-url"), "")
	set(flags.Variable("model"), model)
	set("NO_PROXY", "127.0.0.1")
	set("no_proxy", "127.0.0.1")
	for _, a := range adapter.Agents() {
		start := a.Point(home, m.origin, model)
		for _, entry := range start.Env {
			name, value, _ := strings.Cut(entry, "=")
			set(name, value)
		}
		for name, text := range start.Files {
			path := filepath.Join(home, filepath.FromSlash(name))
			if _, err := os.Lstat(path); err == nil && !m.files[path] {
				continue
			}
			if err := file.WritePrivate(path, []byte(text)); err != nil {
				return err
			}
			m.files[path] = true
		}
	}
	return nil
}
