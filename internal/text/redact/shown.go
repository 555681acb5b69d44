package redact

import (
	"strings"

	"github.com/openagent-ci/openagent/internal/text/clip"
)

// maxShown bounds a value in an error, in characters.
const maxShown = 200

// Shown returns the beginning of a value as an error may show it: an address may
// hold a password, and a key among its parameters.
func Shown(value string) string {
	if address, _, ok := strings.Cut(value, "?"); ok && strings.Contains(address, "://") {
		value = address + "?" + Mask
	}
	return clip.Short(new(Redactor).String(value), maxShown)
}
