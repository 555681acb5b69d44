package flags

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/model/provider"
	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/openagent-ci/openagent/internal/text/nearest"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// Size is a flag value in bytes: 4096, 32KiB, 1MiB, 2GiB.
type Size int64

func (s *Size) Type() string { return "size" }

func (s *Size) String() string {
	n := int64(*s)
	for _, u := range units() {
		if n != 0 && n%u.bytes == 0 {
			return fmt.Sprintf("%d%s", n/u.bytes, u.name)
		}
	}
	return strconv.FormatInt(n, 10)
}

func (s *Size) Set(text string) error {
	number, factor := text, int64(1)
	for _, u := range units() {
		if rest, ok := strings.CutSuffix(text, u.name); ok {
			number, factor = rest, u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64/factor {
		return fmt.Errorf("want bytes like 4096, 32KiB or 1MiB")
	}
	*s = Size(n * factor)
	return nil
}

type unit struct {
	name  string
	bytes int64
}

func units() []unit { return []unit{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} }

// Day is a day that no clock was set in.
const Day = 24 * time.Hour

// Age is a flag value that says how long something stays: 30d, 12h; 0 for ever.
type Age time.Duration

func (a *Age) Type() string { return "age" }

func (a *Age) String() string {
	switch d := time.Duration(*a); {
	case d == 0:
		return "0"
	case d%Day == 0:
		return fmt.Sprintf("%dd", d/Day)
	default:
		return (*Span)(a).String()
	}
}

func (a *Age) Set(text string) error {
	if text == "0" {
		*a = 0
		return nil
	}
	d, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n int64
		n, err = strconv.ParseInt(days, 10, 32)
		d = time.Duration(min(n, int64(maxSpan/Day))) * Day
	}
	if err != nil || d < time.Hour || d > maxSpan {
		return errors.New("want an age like 30d or 12h, at least 1h, or 0 for never")
	}
	*a = Age(d)
	return nil
}

// Choice is a flag value out of a fixed list, the default first.
type Choice struct {
	Value string
	Among []string
}

// NewChoice returns the first of a list, which is not empty.
func NewChoice(among ...string) Choice { return Choice{among[0], among} }

func (c *Choice) Type() string   { return strings.Join(c.Among, "|") }
func (c *Choice) String() string { return c.Value }

// Words returns all that can be chosen.
func (c *Choice) Words() []string { return c.Among }

func (c *Choice) Set(text string) error {
	for _, a := range c.Among {
		if text == a {
			c.Value = text
			return nil
		}
	}
	want := c.Among[len(c.Among)-1]
	if others := c.Among[:len(c.Among)-1]; len(others) > 0 {
		want = strings.Join(others, ", ") + " or " + want + nearest.Hint(text, c.Among)
	}
	return fmt.Errorf("want %s", want)
}

// Count is a flag value that is a whole number from 1, or 0 for no limit.
type Count int64

func (c *Count) Type() string   { return "n" }
func (c *Count) String() string { return strconv.FormatInt(int64(*c), 10) }

func (c *Count) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > 1<<53 {
		return fmt.Errorf("want a whole number from 1, or 0 for no limit")
	}
	*c = Count(n)
	return nil
}

// Dollars is a flag value that is an amount of US dollars, or 0 for no limit.
type Dollars float64

func (d *Dollars) Type() string   { return "usd" }
func (d *Dollars) String() string { return strconv.FormatFloat(float64(*d), 'f', -1, 64) }

var amount = lazyregexp.New(`^[0-9]{1,9}(\.[0-9]{1,6})?$`)

func (d *Dollars) Set(text string) error {
	usd, err := strconv.ParseFloat(text, 64)
	if err != nil || !amount().MatchString(text) {
		return fmt.Errorf("want US dollars like 0.50, with 6 decimals at most, or 0 for no limit")
	}
	*d = Dollars(usd)
	return nil
}

// Integer is a flag value that is a whole number, not less than Least.
type Integer struct{ Value, Least int64 }

func (i *Integer) Type() string   { return "number" }
func (i *Integer) String() string { return strconv.FormatInt(i.Value, 10) }

func (i *Integer) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil && n >= i.Least && n <= math.MaxInt32 {
		i.Value = n
		return nil
	}
	return fmt.Errorf("want a whole number from %d to %d", i.Least, math.MaxInt32)
}

// Part is a flag value from 0 to 1.
type Part float64

func (p *Part) Type() string   { return "part" }
func (p *Part) String() string { return strconv.FormatFloat(float64(*p), 'g', -1, 64) }

func (p *Part) Set(text string) error {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0 && x <= 1) {
		return fmt.Errorf("want a number from 0 to 1, such as 0.2")
	}
	*p = Part(x)
	return nil
}

// Span is a flag value that is a time longer than nothing and shorter than
// maxSpan, so that it can be added to any other.
type Span time.Duration

const maxSpan = math.MaxInt64 / 4

// Duration returns the value as what it is.
func (s Span) Duration() time.Duration { return time.Duration(s) }

func (s *Span) Type() string { return "duration" }

func (s *Span) String() string {
	text := time.Duration(*s).String()
	text = strings.TrimSuffix(text, "m0s")
	if !strings.HasSuffix(text, "s") {
		text += "m"
	}
	return text
}

func (s *Span) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > maxSpan {
		return fmt.Errorf("want a time like 30s, 15m or 1h30m")
	}
	*s = Span(d)
	return nil
}

// Clock is a flag value that fixes the clock, nil for the real one.
type Clock struct{ At *time.Time }

func (c *Clock) Type() string { return "fixed:TIME" }

func (c *Clock) String() string {
	if c.At == nil {
		return ""
	}
	return "fixed:" + c.At.Format(time.RFC3339Nano)
}

func (c *Clock) Set(text string) error {
	rest, ok := strings.CutPrefix(text, "fixed:")
	t, err := time.Parse(time.RFC3339, rest)
	if !ok || err != nil || strings.Contains(rest, ",") || t.Year() < 1970 || t.Year() > 9998 {
		return fmt.Errorf("want fixed:2026-03-03T20:11:12Z, a year from 1970 to 9998")
	}
	t = t.UTC()
	c.At = &t
	return nil
}

// Address is a flag value that names an endpoint.
type Address string

func (a *Address) Type() string   { return "address" }
func (a *Address) String() string { return string(*a) }

func (a *Address) Set(text string) error {
	if err := provider.CheckBaseURL(text); err != nil {
		return err
	}
	*a = Address(text)
	return nil
}

// Identifier is a flag value that serves as an id and as a folder name.
type Identifier string

func (i *Identifier) Type() string   { return "id" }
func (i *Identifier) String() string { return string(*i) }

func (i *Identifier) Set(text string) error {
	if !record.ValidID(text) {
		return record.ErrID
	}
	*i = Identifier(text)
	return nil
}

// Names is a flag value that lists names with commas between; given several
// times, the lists add up.
type Names []string

func (n *Names) Type() string   { return "names" }
func (n *Names) String() string { return strings.Join(*n, ",") }

func (n *Names) Set(text string) error {
	if text != "" && strings.Trim(text, ", ") == "" {
		return fmt.Errorf("want names with commas between")
	}
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			*n = append(*n, name)
		}
	}
	return nil
}

// Lines is a flag value given several times, each a text as it is; in a
// variable they stand one a line.
type Lines []string

func (l *Lines) Type() string   { return "text" }
func (l *Lines) String() string { return strings.Join(*l, "\n") }

func (l *Lines) Set(text string) error {
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			*l = append(*l, line)
		}
	}
	return nil
}

// Temperature is a flag value of a model's temperature, 0 to 2, or none.
type Temperature string

func (t *Temperature) Type() string   { return "number" }
func (t *Temperature) String() string { return string(*t) }

func (t *Temperature) Set(text string) error {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f >= 0 && f <= 2) { // NaN is neither
		return errors.New("want a number from 0 to 2")
	}
	*t = Temperature(strconv.FormatFloat(max(f, 0), 'g', -1, 64)) // without the sign of -0
	return nil
}

// What Update can be.
const (
	UpdateYes   = "yes"
	UpdateForce = "force"
)

// Update is a flag value that asks for golden files to be rewritten, empty
// when they are not.
type Update string

func (u *Update) Type() string   { return UpdateYes + "|" + UpdateForce }
func (u *Update) String() string { return string(*u) }

func (u *Update) Set(text string) error {
	if text != UpdateYes && text != UpdateForce {
		return fmt.Errorf("want %s or %s", UpdateYes, UpdateForce)
	}
	*u = Update(text)
	return nil
}

// ExitStatus is a flag value that is a process's exit status, nil for one that
// is not known.
type ExitStatus struct{ Status *int }

func (s *ExitStatus) Type() string { return "status" }

func (s *ExitStatus) String() string {
	if s.Status == nil {
		return ""
	}
	return strconv.Itoa(*s.Status)
}

func (s *ExitStatus) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > math.MaxUint32 { // Windows uses all of them
		return fmt.Errorf("want a whole number from 0; of a process that a signal ended, name the signal")
	}
	status := int(n)
	s.Status = &status
	return nil
}

// Signal is a flag value that is a signal's number, 0 for none.
type Signal int

// signals are those whose number is the same on all systems.
var signals = map[string]Signal{
	"HUP": 1, "INT": 2, "QUIT": 3, "ILL": 4, "TRAP": 5, "ABRT": 6, "FPE": 8, "KILL": 9, "SEGV": 11, "PIPE": 13, "ALRM": 14, "TERM": 15,
}

func (s *Signal) Type() string { return "signal" }

func (s *Signal) String() string {
	if *s == 0 {
		return ""
	}
	return strconv.Itoa(int(*s))
}

func (s *Signal) Set(text string) error {
	n, err := strconv.Atoi(text)
	if signal := signals[strings.TrimPrefix(strings.ToUpper(text), "SIG")]; signal != 0 {
		n, err = int(signal), nil
	}
	if err != nil || n < 1 || n > 64 {
		return fmt.Errorf("want a signal like TERM, SIGTERM or 15")
	}
	*s = Signal(n)
	return nil
}

// Setting is one of the values that a flag sets by name.
type Setting struct {
	Name  string
	Value pflag.Value
	given bool
}

// Settings is a flag value of NAME=VALUE with commas between, each name a value of its
// own; given several times, the lists add up.
type Settings []Setting

func (s *Settings) Type() string { return "NAME=VALUE" }

// String lists the values that were given, and those that are set without that.
func (s *Settings) String() string {
	var all []string
	for _, one := range *s {
		if text := one.Value.String(); one.given || text != "" && text != "0" {
			all = append(all, one.Name+"="+text)
		}
	}
	return strings.Join(all, ",")
}

func (s *Settings) Set(text string) error {
	var names []string
	for _, one := range *s {
		names = append(names, one.Name)
	}
	for item := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == '\n' }) {
		name, value, _ := strings.Cut(strings.TrimSpace(item), "=")
		at := slices.Index(names, name)
		if at < 0 {
			return fmt.Errorf("want NAME=VALUE, with a NAME of %s%s", strings.Join(names, ", "), nearest.Hint(name, names))
		}
		if (*s)[at].given {
			return fmt.Errorf("%s is given twice: give it once", name)
		}
		if err := (*s)[at].Value.Set(value); err != nil {
			return fmt.Errorf("%s is %q: %w", name, redact.Shown(value), err)
		}
		(*s)[at].given = true
	}
	return nil
}

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
