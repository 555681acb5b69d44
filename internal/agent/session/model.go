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
	"github.com/openagent-ci/openagent/internal/model/endpoint"
	"github.com/openagent-ci/openagent/internal/model/prices"
	"github.com/openagent-ci/openagent/internal/model/provider"
	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/platform/key"
	"github.com/openagent-ci/openagent/internal/platform/process"
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

	source *endpoint.Source // nil for an endpoint that is not recorded
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

// networkModel asks an endpoint, and records what it answers if there is a recorder.
func (s *setup) networkModel(tape *endpoint.Source) (model, error) {
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
	return model{source: tape, provider: host, endpoint: base, name: s.Model, Model: s.client(provider.Config{
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

// scriptedModel answers from a script.
func (s *setup) scriptedModel(ctx context.Context) (model, error) {
	script, err := ReadScript(ctx, s.Process, s.Script)
	if err != nil {
		return model{}, before(codeScript, err)
	}
	return s.answeredBy(script, "script", scriptName(s.Script), s.Endpoint.API, "/v1"), nil
}

// answeredBy has the source answer, through the same client that asks a real endpoint.
func (s *setup) answeredBy(source *endpoint.Source, provided, name string, api provider.API, path string) model {
	return model{source: source, provider: provided, name: name, digest: source.Digest, Model: s.client(provider.Config{
		API: api, BaseURL: "http://" + provided + ".invalid" + path, Model: name,
		HTTP: transport.Client(source.Transport(), transport.Options{Timeout: s.Endpoint.Timeout}),
	})}
}

// ReadScript reads the script of that name, a file or the one of the demo.
func ReadScript(ctx context.Context, p *process.Process, name string) (*endpoint.Source, error) {
	text, err := demo.Script()
	if name != demo.Name {
		text, err = p.Read(ctx, name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read script: %w%s", err, nearest.Hint(name, []string{demo.Name}))
	}
	if err != nil {
		return nil, fmt.Errorf("read script: %w", err)
	}
	return endpoint.Script(p, name, text)
}
