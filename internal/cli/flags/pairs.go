package flags

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/openagent-ci/openagent/internal/model/provider"
	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// Pair is a header or a parameter that a request carries. A value that comes
// from a variable, or under a name that tells of one, is a secret.
type Pair struct {
	provider.Pair
	variable string // that has the value, empty for none
}

// Pairs is a flag value of NAME=VALUE, given several times; in a variable they
// stand one a line.
type Pairs []Pair

func (p *Pairs) Type() string { return "NAME=VALUE" }

// String shows no secret: such a value is only what was written for it.
func (p *Pairs) String() string {
	var all []string
	for _, one := range *p {
		shown := one.Value
		switch {
		case one.variable != "":
			shown = fromVariable + one.variable
		case one.Secret:
			shown = redact.Mask
		}
		all = append(all, one.Name+"="+shown)
	}
	return strings.Join(all, "\n")
}

// fromVariable stands before the name of a variable that has the value.
const fromVariable = "env:"

var pairName = lazyregexp.New(`^[A-Za-z0-9!#$%&'*+.^_|~-]+$`)

func (p *Pairs) Set(text string) error {
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "=")
		if !ok || !pairName().MatchString(name) || strings.ContainsFunc(value, unicode.IsControl) {
			return errors.New("want NAME=VALUE or NAME=env:VARIABLE")
		}
		one := Pair{Pair: provider.Pair{Name: name, Value: value, Secret: redact.IsSecretName(name)}}
		if variable, ok := strings.CutPrefix(value, fromVariable); ok {
			one.Value, one.variable, one.Secret = "", variable, true
		}
		*p = append(*p, one)
	}
	return nil
}

// Resolve reads the variables that have values.
func (p Pairs) Resolve(flag string, getenv func(string) string) error {
	for i := range p {
		if flag == "header" && !transport.IsHeader(p[i].Name) {
			return fmt.Errorf("--header %s: a request makes this header itself", p[i].Name)
		}
		if name := p[i].variable; name != "" {
			if p[i].Value = getenv(name); p[i].Value == "" {
				return fmt.Errorf("--%s %s: variable %q is not set", flag, p[i].Name, name)
			}
			if strings.ContainsFunc(p[i].Value, unicode.IsControl) {
				return fmt.Errorf("--%s %s: the value of variable %s has control characters", flag, p[i].Name, name)
			}
		}
	}
	return nil
}

// Plain returns the pairs as they are sent.
func (p Pairs) Plain() (all []provider.Pair) {
	for _, one := range p {
		all = append(all, one.Pair)
	}
	return all
}

// Edits is a flag value of POINTER=JSON, given several times; in a variable
// they stand one a line.
type Edits []provider.Edit

func (e *Edits) Type() string { return "POINTER=JSON" }

func (e *Edits) String() string { return provider.Edits(*e).String() }

func (e *Edits) Set(text string) error {
	for line := range strings.Lines(text) {
		one, err := provider.ParseEdit(strings.TrimRight(line, "\r\n"))
		if err != nil {
			return err
		}
		*e = append(*e, one)
	}
	return nil
}
