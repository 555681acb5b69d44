package transport

import (
	"net/http"
	"slices"

	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
)

var headerName = lazyregexp.New(`^[A-Za-z0-9!#$%&'*+.^_|~-]+$`)

// IsHeader reports whether a user can give a header of that name: one that has the
// form of a name, and that no request makes itself.
func IsHeader(name string) bool {
	own := []string{"Host", "Content-Length", "Content-Type", "Transfer-Encoding", "Trailer"}
	return headerName().MatchString(name) && !slices.Contains(own, http.CanonicalHeaderKey(name))
}
