package cli

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/openagent-ci/openagent/internal/provider"
	"github.com/openagent-ci/openagent/internal/redact"
)

// pair is a header or a parameter that a request carries. A value that comes
// from a variable, or under a name that tells of one, is a secret.
type pair struct {
	name, value string
	variable    string // that has the value, empty for none
	secret      bool
}

// pairs is a flag value of NAME=VALUE, given several times; in a variable they
// stand one a line.
type pairs []pair

func (p *pairs) Type() string { return "NAME=VALUE" }

// String shows no secret: such a value is only what was written for it.
func (p *pairs) String() string {
	var all []string
	for _, one := range *p {
		shown := one.value
		switch {
		case one.variable != "":
			shown = fromVariable + one.variable
		case one.secret:
			shown = redact.Mask
		}
		all = append(all, one.name+"="+shown)
	}
	return strings.Join(all, "\n")
}

// fromVariable stands before the name of a variable that has the value.
const fromVariable = "env:"

var pairName = regexp.MustCompile(`^[A-Za-z0-9!#$%&'*+.^_|~-]+$`)

func (p *pairs) Set(text string) error {
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "=")
		if !ok || !pairName.MatchString(name) || strings.ContainsFunc(value, unicode.IsControl) {
			return errors.New("want NAME=VALUE or NAME=env:VARIABLE")
		}
		one := pair{name: name, value: value, secret: secretName(name)}
		if variable, ok := strings.CutPrefix(value, fromVariable); ok {
			one.value, one.variable, one.secret = "", variable, true
		}
		*p = append(*p, one)
	}
	return nil
}

// hump is where a word begins by a capital letter.
var hump = regexp.MustCompile(`([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])`)

// secretName reports whether what stands under a name is a secret.
func secretName(name string) bool {
	parted := name + " " + hump.ReplaceAllString(name, "$1$3-$2$4")
	words := strings.FieldsFunc(strings.ToUpper(parted), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.ContainsFunc(words, func(w string) bool {
		switch w {
		case "AUTHORIZATION", "COOKIE", "KEY", "APIKEY", "TOKEN", "SECRET", "PASSWORD", "AUTH", "SIG":
			return true
		}
		return false
	})
}

// ownHeader reports whether each request has a header of its own making, which
// no other can take the place of.
func ownHeader(name string) bool {
	switch http.CanonicalHeaderKey(name) {
	case "Host", "Content-Length", "Content-Type", "Transfer-Encoding", "Trailer":
		return true
	}
	return false
}

// resolve reads the variables that have values.
func (p pairs) resolve(flag string, getenv func(string) string) error {
	for i := range p {
		if flag == "header" && ownHeader(p[i].name) {
			return usage("--header %s: a request makes this header itself", p[i].name)
		}
		if name := p[i].variable; name != "" {
			if p[i].value = getenv(name); p[i].value == "" {
				return usage("--%s %s: variable %q is not set", flag, p[i].name, name)
			}
			if strings.ContainsFunc(p[i].value, unicode.IsControl) {
				return usage("--%s %s: the value of variable %s has control characters", flag, p[i].name, name)
			}
		}
	}
	return nil
}

// secrets returns the values that are secrets, and of one that names a scheme
// of authorization also what follows it.
func (p pairs) secrets() (all []string) {
	for _, one := range p {
		if one.secret {
			all = append(all, one.value)
			if _, rest, ok := strings.Cut(one.value, " "); ok {
				all = append(all, rest)
			}
		}
	}
	return all
}

// fingerprint returns what counts of p: of a secret its name.
func (p pairs) fingerprint() []string {
	all := []string{}
	for _, one := range p {
		if one.secret {
			all = append(all, one.name)
		} else {
			all = append(all, one.name+"="+one.value)
		}
	}
	return all
}

func (p pairs) sent() (all []provider.Pair) {
	for _, one := range p {
		all = append(all, provider.Pair{Name: one.name, Value: one.value})
	}
	return all
}

// handed returns p as takeHanded reads it.
func (p pairs) handed(flag string) (all []string) {
	for _, one := range p {
		all = append(all, fmt.Sprintf("%s %t %s=%s", flag, one.secret, one.name, one.value))
	}
	return all
}

// takeHanded adds the headers and parameters that a harness handed over.
func (f *endpointFlags) takeHanded(lines []string) {
	for _, line := range lines {
		words := strings.SplitN(line, " ", 3)
		if len(words) < 3 {
			continue
		}
		name, value, _ := strings.Cut(words[2], "=")
		one := pair{name: name, value: value, secret: words[1] == "true"}
		if words[0] == "query" {
			f.query = append(f.query, one)
		} else {
			f.header = append(f.header, one)
		}
	}
}

// edits is a flag value of POINTER=JSON, given several times; in a variable
// they stand one a line.
type edits []provider.Edit

func (e *edits) Type() string { return "POINTER=JSON" }

func (e *edits) String() string {
	all := make([]string, len(*e))
	for i, one := range *e {
		all[i] = one.String()
	}
	return strings.Join(all, "\n")
}

func (e *edits) Set(text string) error {
	for line := range strings.Lines(text) {
		one, err := provider.ParseEdit(strings.TrimRight(line, "\r\n"))
		if err != nil {
			return err
		}
		*e = append(*e, one)
	}
	return nil
}
