package cassette

import (
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/openagent-ci/openagent/internal/redact"
)

// masks masks the secrets that are known, and the keys that requests carry: another
// program may have its key from a place that only it reads, and then say it in a
// request, or be told it in an answer. It is safe for concurrent use.
type masks struct {
	known *redact.Redactor

	mu   sync.Mutex
	keys []string         // of the requests so far
	all  *redact.Redactor // known, and for keys
}

func newMasks(known *redact.Redactor) *masks { return &masks{known: known, all: known} }

// learn adds the keys of a request, and returns what masks all that are known now.
func (m *masks) learn(req *http.Request) *redact.Redactor {
	m.mu.Lock()
	defer m.mu.Unlock()
	count := len(m.keys)
	for _, key := range keysOf(req) {
		if !slices.Contains(m.keys, key) && len(m.keys) < maxKeys {
			m.keys = append(m.keys, key)
		}
	}
	if len(m.keys) > count {
		m.all = m.known.With(m.keys)
	}
	return m.all
}

// now returns what masks all that are known.
func (m *masks) now() *redact.Redactor {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all
}

// maxKeys bounds the keys of one recording: a client that signs each request anew
// has no key that could be found.
const maxKeys = 64

// keysOf returns the values of headers and parameters of a request that hold keys by
// their names, a credential without the word for its scheme.
func keysOf(req *http.Request) []string {
	var keys []string
	for name, values := range req.Header {
		if !redact.IsSecretName(name) {
			continue
		}
		for _, value := range values {
			if _, credential, ok := strings.Cut(value, " "); ok && strings.HasSuffix(name, "Authorization") {
				value = strings.TrimSpace(credential)
			}
			keys = append(keys, value)
		}
	}
	if _, password, ok := req.BasicAuth(); ok {
		keys = append(keys, password)
	}
	for name, values := range req.URL.Query() {
		if keyParameter().MatchString(name) {
			keys = append(keys, values...)
		}
	}
	return slices.DeleteFunc(keys, func(key string) bool { return len(key) < redact.MinSecretBytes })
}
