package runner

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// lookahead is how far a cut line is read beyond its cut, so that a secret
// across the cut is still seen whole.
const lookahead = 16 << 10

// maxLine is the highest cap of a line, above all that memory can hold.
const maxLine = math.MaxInt >> 1

// checker checks a stream line by line and fills in an Execution.
type checker struct {
	cfg      Config
	maxLine  int
	max      int64 // of the stream; 0 is no bound
	secrets  *redact.Redactor
	exec     *Execution
	split    *splitter
	stream   *validate.Stream
	findings *collector
	facts    *facts
	// native is the agent whose own stream this seems to be, although one of the
	// contract was to come; recognized says that a line has shown whose it is.
	native     string
	recognized bool
	written    block // what Write takes
	// refused is called when the endpoint has refused the credentials of another agent again
	// and again, nil for a saved stream.
	refused func()
	// finished is called with true when the last run so far has ended, and with
	// false when another one begins after it.
	finished func(bool)
}

func newChecker(cfg Config, e *Execution, maxStream int64) *checker {
	c := &checker{
		cfg: cfg, maxLine: min(cfg.maxLine(), maxLine), max: maxStream, secrets: redact.New(cfg.Secrets), exec: e,
		stream:   validate.NewStream(cfg.held()),
		facts:    newFacts(e, cfg),
		finished: func(bool) {},
	}
	c.findings = newCollector(e, cfg, c.secrets)
	c.split = &splitter{max: c.maxLine + 2 + lookahead, emit: c.line}
	return c
}

// Write takes a piece of the stream; it never fails.
func (c *checker) Write(p []byte) (int, error) {
	c.written.text = p
	c.written.scan()
	c.block(&c.written)
	return len(p), nil
}

func (c *checker) flush() {
	if f, ok := c.cfg.Handler.(Flusher); ok {
		f.Flush()
	}
}

// close checks the stream as a whole. One that was not read to its end is not
// blamed for what the end might have held.
func (c *checker) close(emit.End) {
	c.split.close()
	c.flush()
	switch {
	case c.native != "":
		c.findings.replace(nativeFinding(c.native))
	case !c.exec.Capped || c.exec.Source != nil:
		c.findings.close(c.stream.Close())
	}
}

// further takes over what only the caller can find.
func (c *checker) further() {
	if c.cfg.Further != nil {
		c.findings.close(c.cfg.Further(c.exec))
	}
}

// line checks one line; dropped counts the bytes of it that were cut.
func (c *checker) line(raw []byte, dropped int64) { c.check(raw, dropped, nil, nil) }

// whole checks a line that lies in memory whole.
func (c *checker) whole(line []byte, found *validate.Scanned) {
	if len(line) > c.split.max {
		_, _ = c.split.Write(line) // never fails
		return
	}
	c.check(line, 0, nil, found)
}

// check is line for one whose event may be known, so that it need not be decoded, or
// which was scanned.
func (c *checker) check(raw []byte, dropped int64, decoded *schema.Event, scanned *validate.Scanned) {
	if c.exec.Capped && c.exec.Source == nil {
		return
	}
	size := int64(len(raw)) + dropped
	number := c.exec.Events + 1
	if c.max > 0 && c.exec.Bytes+size > c.max {
		c.exec.Capped = true
		c.findings.addRun(number, validate.RuleStreamCap,
			fmt.Sprintf("the stream is longer than %d bytes", c.max), "no more; the rest was not checked")
		return
	}
	c.exec.Events, c.exec.Bytes = number, c.exec.Bytes+size
	content, ending := trimLF(raw)
	long := len(content) > c.maxLine
	if long {
		raw = content[:c.maxLine+1]
	}
	found := c.stream.Check(raw, scanned)
	c.recognize(number, raw)
	out, secrets := redactLine(c.secrets, raw, content, long, dropped > 0, c.maxLine)
	if c.cfg.Handler == nil && c.refused == nil && len(found)+secrets == 0 && c.counted() {
		return
	}
	c.show(found, out)
	c.findings.add(found)
	if secrets > 0 {
		c.exec.SecretLines++
		decoded = nil // it holds the secret
		found = append(found, c.findings.addRun(number, validate.RuleSecret, "the line holds a known secret, which was replaced", "none"))
	}
	if c.native != "" {
		found = nil // at the end there will be one in their place
	}
	l := Line{Number: number, Raw: out, Cut: long, Findings: found}
	if !long {
		l.Event = c.event(out, found, decoded)
		l.Findings = append(l.Findings, c.tampered(number, l.Event)...)
	} else if ending {
		l.Raw = append(l.Raw[:len(l.Raw):len(l.Raw)], '\n')
	}
	if c.cfg.Handler != nil {
		c.cfg.Handler.Line(l)
	}
}

// counted takes the facts of a line without decoding it, where that is enough: of
// most lines that nobody is shown and in which nothing was found.
func (c *checker) counted() bool {
	b, ok := c.stream.Brief()
	return ok && c.facts.count(&b)
}

// recognize finds out by the first lines whether the stream is another agent's own.
// It is none once a line speaks of the contract.
func (c *checker) recognize(number int, raw []byte) {
	switch {
	case !c.recognized && number <= adapter.MaxUndecided && c.exec.Source == nil:
		name := adapter.Contract
		if _, ok := c.stream.Brief(); !ok {
			name, _ = adapter.Detect(raw)
		}
		if c.recognized = name != ""; name != adapter.Contract {
			c.native = name
		}
	case c.native != "" && bytes.Contains(raw, schemaVersion):
		c.native = ""
	}
}

var schemaVersion = []byte(`"schema_version"`)

func trimLF(raw []byte) (content []byte, ending bool) {
	if n := len(raw); n > 0 && raw[n-1] == '\n' {
		return raw[:n-1], true
	}
	return raw, false
}

// What is shown of a line that is no JSON: so many characters of its first
// bytes.
const (
	shownChars = 60
	shownBytes = 4 << 10
)

// show adds to findings about a line that could not be read how it begins.
func (c *checker) show(found []validate.Finding, redacted []byte) {
	for i := range found {
		rule, _ := validate.RuleByID(found[i].Rule)
		if rule.Stage != validate.StageLine || rule.Rest != validate.RestNothing {
			return
		}
		head, _ := clip.Prefix(string(redacted[:min(len(redacted), shownBytes)]), shownBytes)
		found[i].Shown, _ = clip.Chars(strings.Map(printable, c.secrets.String(head)), shownChars)
	}
}

// printable drops what a terminal would act upon or not show.
func printable(r rune) rune {
	if r == utf8.RuneError || !unicode.IsPrint(r) {
		return -1
	}
	return r
}

// tampered makes findings of what an agent says was changed behind its back.
func (c *checker) tampered(number int, e *schema.Event) (found []validate.Finding) {
	if e == nil {
		return nil
	}
	if end, ok := e.Data.(*schema.RunFinished); ok {
		for _, of := range []struct {
			rule string
			list []string
		}{{validate.RuleTampering, end.Tampered}, {validate.RuleGitConfig, end.GitConfig}} {
			for _, what := range of.list[:min(len(of.list), schema.MaxListItems)] {
				found = append(found, c.findings.addRun(number, of.rule, "a command of the run changed "+what, "it as the run left it"))
			}
		}
	}
	return found
}

// event takes the facts of a line whose envelope is valid, decoded unless known.
func (c *checker) event(line []byte, found []validate.Finding, decoded *schema.Event) *schema.Event {
	envelope, payload := readable(found)
	if !envelope {
		return nil
	}
	if decoded == nil {
		got, err := schema.Decode(line)
		if err != nil {
			return nil
		}
		decoded = &got
	}
	e := *decoded
	if !payload {
		e.Data = nil
	}
	before := c.exec.Finished()
	c.facts.add(e)
	if now := c.exec.Finished(); now != before {
		c.finished(now)
	}
	return &e
}
