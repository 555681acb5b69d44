package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/provider"
	"github.com/openagent-ci/openagent/internal/record"
)

// size is a flag value in bytes: 4096, 32KiB, 1MiB, 2GiB.
type size int64

func (s *size) Type() string { return "size" }

func (s *size) String() string {
	n := int64(*s)
	for _, u := range units() {
		if n != 0 && n%u.bytes == 0 {
			return fmt.Sprintf("%d%s", n/u.bytes, u.name)
		}
	}
	return strconv.FormatInt(n, 10)
}

func (s *size) Set(text string) error {
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
	*s = size(n * factor)
	return nil
}

type unit struct {
	name  string
	bytes int64
}

func units() []unit { return []unit{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} }

const day = 24 * time.Hour

// age is a flag value that says how long something stays: 30d, 12h; 0 for ever.
type age time.Duration

func (a *age) Type() string { return "age" }

func (a *age) String() string {
	switch d := time.Duration(*a); {
	case d == 0:
		return "0"
	case d%day == 0:
		return fmt.Sprintf("%dd", d/day)
	default:
		return (*span)(a).String()
	}
}

func (a *age) Set(text string) error {
	if text == "0" {
		*a = 0
		return nil
	}
	d, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n int64
		n, err = strconv.ParseInt(days, 10, 32)
		d = time.Duration(min(n, int64(maxSpan/day))) * day
	}
	if err != nil || d < time.Hour || d > maxSpan {
		return errors.New("want an age like 30d or 12h, at least 1h, or 0 for never")
	}
	*a = age(d)
	return nil
}

// choice is a flag value out of a fixed list, the default first.
type choice struct {
	value string
	among []string
}

func newChoice(among ...string) choice { return choice{among[0], among} }

func (c *choice) Type() string   { return strings.Join(c.among, "|") }
func (c *choice) String() string { return c.value }

func (c *choice) Set(text string) error {
	for _, a := range c.among {
		if text == a {
			c.value = text
			return nil
		}
	}
	want := c.among[len(c.among)-1]
	if others := c.among[:len(c.among)-1]; len(others) > 0 {
		want = strings.Join(others, ", ") + " or " + want
	}
	return fmt.Errorf("want %s", want)
}

// count is a flag value that is a whole number from 1, or 0 for no limit.
type count int64

func (c *count) Type() string   { return "n" }
func (c *count) String() string { return strconv.FormatInt(int64(*c), 10) }

func (c *count) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > 1<<53 {
		return fmt.Errorf("want a whole number from 1, or 0 for no limit")
	}
	*c = count(n)
	return nil
}

// integer is a flag value that is a whole number, not less than least.
type integer struct{ value, least int64 }

// anyInteger returns a whole number without bounds: its use moves it into its
// own, so one that is too large to count with is as good as the largest.
func anyInteger(value int64) integer { return integer{value, math.MinInt64} }

func (i *integer) Type() string   { return "number" }
func (i *integer) String() string { return strconv.FormatInt(i.value, 10) }

func (i *integer) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if i.least == math.MinInt64 {
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return fmt.Errorf("want a whole number")
		}
		i.value = n // of one out of range the nearest
		return nil
	}
	if err == nil && n >= i.least && n <= math.MaxInt32 {
		i.value = n
		return nil
	}
	return fmt.Errorf("want a whole number from %d to %d", i.least, math.MaxInt32)
}

// part is a flag value from 0 to 1.
type part float64

func (p *part) Type() string   { return "part" }
func (p *part) String() string { return strconv.FormatFloat(float64(*p), 'g', -1, 64) }

func (p *part) Set(text string) error {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0 && x <= 1) {
		return fmt.Errorf("want a number from 0 to 1, such as 0.2")
	}
	*p = part(x)
	return nil
}

// span is a flag value that is a time longer than nothing and shorter than
// maxSpan, so that it can be added to any other.
type span time.Duration

const maxSpan = math.MaxInt64 / 4

func (s span) duration() time.Duration { return time.Duration(s) }

func (s *span) Type() string { return "duration" }

func (s *span) String() string {
	text := time.Duration(*s).String()
	text = strings.TrimSuffix(text, "m0s")
	if !strings.HasSuffix(text, "s") {
		text += "m"
	}
	return text
}

func (s *span) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > maxSpan {
		return fmt.Errorf("want a time like 30s, 15m or 1h30m")
	}
	*s = span(d)
	return nil
}

// clockValue is a flag value that fixes the clock, nil for the real one.
type clockValue struct{ at *time.Time }

func (c *clockValue) Type() string { return "fixed:TIME" }

func (c *clockValue) String() string {
	if c.at == nil {
		return ""
	}
	return "fixed:" + c.at.Format(time.RFC3339Nano)
}

func (c *clockValue) Set(text string) error {
	rest, ok := strings.CutPrefix(text, "fixed:")
	t, err := time.Parse(time.RFC3339, rest)
	if !ok || err != nil || strings.Contains(rest, ",") || t.Year() < 1970 || t.Year() > 9998 {
		return fmt.Errorf("want fixed:2026-03-03T20:11:12Z, a year from 1970 to 9998")
	}
	t = t.UTC()
	c.at = &t
	return nil
}

// address is a flag value that names an endpoint.
type address string

func (a *address) Type() string   { return "address" }
func (a *address) String() string { return string(*a) }

func (a *address) Set(text string) error {
	if err := provider.CheckBaseURL(text); err != nil {
		return err
	}
	*a = address(text)
	return nil
}

// identifier is a flag value that serves as an id and as a folder name.
type identifier string

func (i *identifier) Type() string   { return "id" }
func (i *identifier) String() string { return string(*i) }

func (i *identifier) Set(text string) error {
	if !record.ValidID(text) {
		return fmt.Errorf("want 1 to 64 letters, digits, dots, underscores or dashes, the first a letter or digit")
	}
	*i = identifier(text)
	return nil
}

// names is a flag value that lists names with commas between; given several
// times, the lists add up.
type names []string

func (n *names) Type() string   { return "names" }
func (n *names) String() string { return strings.Join(*n, ",") }

func (n *names) Set(text string) error {
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

// lines is a flag value given several times, each a text as it is; in a
// variable they stand one a line.
type lines []string

func (l *lines) Type() string   { return "text" }
func (l *lines) String() string { return strings.Join(*l, "\n") }

func (l *lines) Set(text string) error {
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			*l = append(*l, line)
		}
	}
	return nil
}
