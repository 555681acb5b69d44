// Package again gives back the program's pages a second time while packages are set
// up: after net/http, before the largest libraries.
package again

import (
	_ "net/http" // is set up before this package

	"github.com/openagent-ci/openagent/internal/process/pages"
)

var _ = pages.Again()
