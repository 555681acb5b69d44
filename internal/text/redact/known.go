package redact

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
)

// minKeyBytes is the shortest value that the name KEY makes a secret: such names
// are given to much that is none.
const minKeyBytes = 16

// secretWords name a secret whatever the value looks like. TOKENS is none of
// them: it is what a limit counts.
var secretWords = []string{"TOKEN", "SECRET", "SECRETS", "PASSWORD", "PASSWORDS", "CREDENTIAL", "CREDENTIALS"}

// Environment returns the values of environ, given as by os.Environ, that are
// secrets by the names of their variables: those with TOKEN, SECRET, PASSWORD or
// CREDENTIAL as a word, those with KEY whose value looks like one, and what
// OTEL_*_HEADERS hold. Paths and plain URLs only lead to a secret.
func Environment(environ []string) []string {
	var list []string
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		name, value = strings.ToUpper(name), strings.TrimSpace(value)
		switch {
		case strings.HasPrefix(name, "OTEL_") && strings.HasSuffix(name, "_HEADERS"):
			list = append(list, headerValues(value)...)
		case len(value) < MinSecretBytes || isPath(value) || isPlainURL(value):
		case hasWord(name, secretWords) || strings.Contains(name, "KEY") && random(value):
			list = append(list, value)
		}
	}
	return list
}

// hump is where a word begins by a capital letter.
var hump = lazyregexp.New(`([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])`)

// IsSecretName reports whether the value of a header, or of a parameter in an
// address, is a secret by its name.
func IsSecretName(name string) bool {
	parted := name + " " + hump().ReplaceAllString(name, "$1$3-$2$4")
	words := strings.FieldsFunc(strings.ToUpper(parted), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.ContainsFunc(words, func(w string) bool {
		switch w {
		case "AUTHORIZATION", "COOKIE", "KEY", "APIKEY", "TOKEN", "SECRET", "PASSWORD", "AUTH", "SIG":
			return true
		}
		return false
	})
}

// hasWord reports whether one of the words stands in a name between signs that
// are no letters.
func hasWord(name string, words []string) bool {
	parts := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.ContainsFunc(parts, func(p string) bool { return slices.Contains(words, p) })
}

// isPath reports whether a value can only be the path of a file. Base64 can
// begin with a slash too; + and = are rare in paths.
func isPath(value string) bool {
	if strings.ContainsAny(value, "+=\n") {
		return false
	}
	drive := len(value) > 2 && value[1] == ':' && (value[2] == '\\' || value[2] == '/')
	return drive || slices.ContainsFunc([]string{"/", "./", "../", "~/", `\\`}, func(p string) bool { return strings.HasPrefix(value, p) })
}

// isPlainURL reports whether a value is an address that names no user.
func isPlainURL(value string) bool {
	u, err := url.Parse(value)
	return err == nil && u.Scheme != "" && u.Host != "" && u.User == nil
}

// random reports whether a value looks like a generated one: long enough, and
// of more than two classes of characters.
func random(value string) bool {
	var lower, upper, digit, other int
	for i := range len(value) {
		switch c := value[i]; {
		case c >= 'a' && c <= 'z':
			lower = 1
		case c >= 'A' && c <= 'Z':
			upper = 1
		case c >= '0' && c <= '9':
			digit = 1
		default:
			other = 1
		}
	}
	return len(value) >= minKeyBytes && lower+upper+digit+other > 2
}

// headerValues returns the values of a list like "api-key=1,authorization=Basic%202",
// as they stand there and decoded, also without the scheme before them.
func headerValues(list string) []string {
	var values []string
	for pair := range strings.SplitSeq(list, ",") {
		_, value, _ := strings.Cut(pair, "=")
		value = strings.TrimSpace(value)
		values = append(values, value)
		if decoded, err := url.PathUnescape(value); err == nil {
			values = append(values, decoded, decoded[strings.LastIndexByte(decoded, ' ')+1:])
		}
	}
	return values
}
