package transport

import (
	"net/http"

	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
)

var headerName = lazyregexp.New(`^[A-Za-z0-9!#$%&'*+.^_|~-]+$`)

// IsHeader reports whether a user can give a header of that name: one that has the
// form of a name, and that no request makes itself.
func IsHeader(name string) bool { return headerName().MatchString(name) && !ownHeader(name) }

// ownHeader reports whether each request sets the header itself.
func ownHeader(name string) bool {
	switch http.CanonicalHeaderKey(name) {
	case "Host", "Content-Length", "Content-Type", "Transfer-Encoding", "Trailer":
		return true
	}
	return false
}
