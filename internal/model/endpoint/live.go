package endpoint

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/model/wire"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// Upstream says where the requests of any agent go, each by the API that it speaks.
// What asks has no key: it gets one on the way.
type Upstream struct {
	// BaseURL is the one endpoint for all, empty for that of each API's maker.
	BaseURL string
	// NoKey says that the endpoint wants none.
	NoKey bool
	// Key returns the key in a variable, empty for none.
	Key func(variable string) string
}

// NewUpstream returns one to the endpoint at base, empty for those of the makers. On this
// machine it wants no key.
func NewUpstream(base string, noKey bool, key func(variable string) string) Upstream {
	if at, err := url.Parse(base); err == nil && base != "" && transport.IsLoopback(at.Hostname()) {
		noKey = true
	}
	return Upstream{base, noKey, key}
}

// makers are the endpoint and the variables of the key of each API, by its name.
var makers = map[string]struct {
	address string
	keys    []string
}{
	"chat":      {"https://api.openai.com/v1", []string{"OPENAI_API_KEY", "CODEX_API_KEY"}},
	"responses": {"https://api.openai.com/v1", []string{"OPENAI_API_KEY", "CODEX_API_KEY"}},
	"anthropic": {"https://api.anthropic.com", []string{"ANTHROPIC_API_KEY"}},
	"gemini":    {"https://generativelanguage.googleapis.com", []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}},
}

// openAI names the API of requests that say of none which one they are for, such as that
// for a list of models.
const openAI = "chat"

// key returns the key for an API, and the variable that it is looked for in first.
func (u Upstream) key(api string) (key, variable string) {
	names := makers[api].keys
	for _, name := range names {
		key = cmp.Or(key, u.Key(name))
	}
	return key, names[0]
}

// Missing returns the variable of the key that an agent needs and that is not set, empty
// for none. An agent of another name may speak any API, and needs one of the keys.
func (u Upstream) Missing(agent string) string {
	if u.NoKey {
		return ""
	}
	apis := []string{openAI, "anthropic", "gemini"}
	if a, err := adapter.ByName(agent); err == nil {
		apis = []string{cmp.Or(a.Wire, openAI)}
	} else if agent == adapter.Contract {
		apis = apis[:1]
	}
	var missing []string
	for _, api := range apis {
		key, variable := u.key(api)
		if key != "" {
			return ""
		}
		missing = append(missing, variable)
	}
	return strings.Join(missing, " or ")
}

// RoundTrip sends a request on, with the key of its API.
func (u Upstream) RoundTrip(req *http.Request) (*http.Response, error) {
	api := openAI
	if w, _, _ := wire.Find(req.URL.Path, req.Header); w != nil {
		api = w.Name
	}
	at, err := url.Parse(cmp.Or(u.BaseURL, makers[api].address))
	if err != nil {
		return nil, err
	}
	key, variable := u.key(api)
	if key == "" && !u.NoKey {
		return nil, &chat.Failure{Kind: chat.FailUnauthorized, Message: "there is no key for this endpoint: set " + variable}
	}
	sent := req.Clone(req.Context())
	sent.URL.Scheme, sent.URL.Host, sent.Host = at.Scheme, at.Host, ""
	sent.URL.Path, sent.URL.RawPath = joinVersion(at.Path, req.URL.Path), ""
	if key != "" {
		for _, values := range sent.Header {
			for i := range values {
				values[i] = strings.ReplaceAll(values[i], adapter.ServedKey, key)
			}
		}
		sent.URL.RawQuery = strings.ReplaceAll(sent.URL.RawQuery, adapter.ServedKey, url.QueryEscape(key))
	}
	return transport.Upstream().RoundTrip(sent)
}

// joinVersion returns a path below that of a base URL, which may end with the version
// that the path begins with, or have another one instead.
func joinVersion(base, path string) string {
	base = strings.TrimRight(base, "/")
	for _, version := range []string{"/v1beta", "/v1"} {
		if cut, ok := strings.CutSuffix(base, version); ok {
			return cut + path
		}
	}
	if rest, ok := strings.CutPrefix(path, "/v1/"); ok && base != "" {
		return base + "/" + rest
	}
	return base + path
}

// Live returns a source that asks real endpoints, and records what they answer in the
// file name unless that is empty.
func Live(ctx context.Context, p *process.Process, to Upstream, name string, masks *redact.Redactor) (*Source, error) {
	at, err := url.Parse(cmp.Or(to.BaseURL, "https://model.invalid"))
	if err != nil {
		return nil, err
	}
	s := &Source{process: p, masks: masks, quiet: true}
	if name != "" {
		if s, err = Recorder(ctx, p, name, at, masks); err != nil {
			return nil, err
		}
		s.quiet = true
	}
	s.upstream, s.live = at, to
	return s, nil
}
