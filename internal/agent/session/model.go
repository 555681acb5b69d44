package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"

	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/agent/demo"
	"github.com/openagent-ci/openagent/internal/model/cassette"
	"github.com/openagent-ci/openagent/internal/model/prices"
	"github.com/openagent-ci/openagent/internal/model/provider"
	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/platform/key"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/text/nearest"
)

// model is the model of a run, what is said of it, and the cassette of its
// answers.
type model struct {
	agent.Model
	provider, name string
	endpoint       string        // its address, empty where none is asked
	digest         string        // of the script or the cassette that answers
	price          *prices.Price // nil where it is not known

	script   *transport.Script  // that answers, nil for none
	cassette *cassette.Cassette // likewise
	tape     *cassette.Recorder // of what the endpoint says, nil for none
}

func (s *setup) chooseModel(ctx context.Context) (m model, err error) {
	if m, err = s.answering(ctx); err == nil {
		m.price, err = s.price(ctx, m.name)
	}
	return m, err
}

// answering returns what answers the run: a script, a cassette or an endpoint.
func (s *setup) answering(ctx context.Context) (model, error) {
	if s.Script != "" {
		return s.scriptedModel(ctx)
	}
	if s.Cassette != "" {
		return s.cassetteModel(ctx)
	}
	return s.networkModel(nil)
}

// client returns the client for an endpoint, or for what stands in for one;
// what all have in common is added to c.
func (s *setup) client(c provider.Config) *provider.Client {
	c.Attempts, c.RetryFor = int(s.Endpoint.Attempts), s.Endpoint.RetryFor
	c.Redactor, c.Log, c.Edits, c.Query = s.masks, s.Logger(), s.Endpoint.Edits, s.Endpoint.Query
	c.Parameters = s.Endpoint.Parameters
	return provider.New(c)
}

// networkModel asks an endpoint, and records what it says if there is a tape.
func (s *setup) networkModel(tape *cassette.Recorder) (model, error) {
	base, secret := s.Endpoint.address(), len(s.Endpoint.Secrets()) > 0
	if err := CheckAddress(s.Env, base); err != nil {
		return model{}, err
	}
	if s.Endpoint.BaseURL == "" && s.given.Key == "" && !secret {
		return model{}, before(codeKeyMissing, errors.New("no key for "+base)).
			or("set OPENAI_API_KEY or --api-key-file, or name another endpoint by --base-url")
	}
	host := base
	if u, err := url.Parse(base); err == nil {
		host = u.Host
	}
	return model{tape: tape, provider: host, endpoint: base, name: s.Model, Model: s.client(provider.Config{
		API: s.Endpoint.API, BaseURL: base, Model: s.Model, Key: s.given.Key, KeySource: cmp.Or(s.given.Source, key.Source(s.KeyFile)),
		Jitter: tape == nil, // a replay waits as long as the recording
		Header: s.Endpoint.Header,
		HTTP:   transport.Network(transport.Options{Timeout: s.Endpoint.Timeout, Record: tape.Tape, Secret: secret}),
	})}, nil
}

// networkVariable keeps the program from asking other machines when it is
// loopback, as it is in scripts.
const networkVariable = "OPENAGENT_NETWORK"

// CheckNetwork refuses a run whose endpoint is on another machine where only
// loopback is allowed. What keeps a cassette from being found is for the run to
// report.
func CheckNetwork(p process.Env, o Options) error {
	if o.Script != "" {
		return nil
	}
	if o.Cassette != "" {
		if recording, err := Records(p, o.CassetteMode, o.Cassette); err != nil || !recording {
			return nil
		}
	}
	return CheckAddress(p, o.Endpoint.address())
}

// CheckAddress refuses an endpoint on another machine where only loopback is allowed.
func CheckAddress(p process.Env, base string) error {
	if p.Getenv(networkVariable) != "loopback" {
		return nil
	}
	u, err := url.Parse(base)
	if err != nil {
		return before(codeNetwork, fmt.Errorf("network access is refused, and the address cannot be read: %w", err))
	}
	host := u.Hostname()
	if transport.IsLoopback(host) {
		return nil
	}
	return before(codeNetwork, fmt.Errorf("network access to %s is refused: %s is loopback", host, networkVariable)).
		or("answer from a script by --script; lines of scripts that need a network begin with [network], which OPENAGENT_TEST_NETWORK=1 lets run")
}

// scriptedModel answers from a script, through the same client that asks a
// real endpoint.
func (s *setup) scriptedModel(ctx context.Context) (model, error) {
	script, text, err := ReadScript(ctx, s.Env, s.Script)
	if err != nil {
		return model{}, before(codeScript, err)
	}
	name := scriptName(s.Script)
	return model{script: script, provider: "script", name: name, digest: record.Digest(text), Model: s.client(provider.Config{
		API: s.Endpoint.API, BaseURL: "http://script.invalid/v1", Model: name,
		HTTP: transport.Client(script, transport.Options{Timeout: s.Endpoint.Timeout}),
	})}, nil
}

// ReadScript reads the script of that name, a file or the one of the demo, and
// returns its text too.
func ReadScript(ctx context.Context, p process.Env, name string) (script *transport.Script, text []byte, err error) {
	if name == demo.Name {
		text, err = demo.Script()
	} else {
		text, err = p.Read(ctx, name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("read script: %w%s", err, nearest.Hint(name, []string{demo.Name}))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read script: %w", err)
	}
	script, err = transport.LoadScript(name, text)
	return script, text, err
}
