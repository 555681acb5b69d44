package scenarios

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report/scenarioresult"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// output prints results in the order of the scripts, and on a terminal
// which scripts run.
type output struct {
	w        io.Writer
	form     scenarioresult.Form
	terminal io.Writer // nil when there is none

	mu      sync.Mutex
	running []string
	results []*scenarioresult.Script // nil of one that has no result yet
	count   int                      // of those that are there
	printed int
	shown   bool // the terminal shows a line of progress
	err     error
}

func newOutput(p *process.Process, form scenarioresult.Form, scripts int) *output {
	o := &output{w: p.Out, form: form, results: make([]*scenarioresult.Script, scripts)}
	if term.NewScreen(p.Err, p.Getenv).Terminal() {
		o.terminal = p.Err
	}
	return o
}

func (o *output) broken() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err != nil
}

func (o *output) begin(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.clear()
	o.running = append(o.running, name)
	o.progress()
}

// add adds the result of the script with the name and prints those whose turn has come.
func (o *output) add(i int, script string, s scenarioresult.Script) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.running = slices.DeleteFunc(o.running, func(name string) bool { return name == script })
	o.results[i] = &s
	o.count++
	o.clear()
	for o.err == nil && o.printed < len(o.results) && o.results[o.printed] != nil {
		if o.form.Each != nil {
			o.err = o.form.Each(o.w, *o.results[o.printed])
		}
		o.printed++
	}
	o.progress()
}

// done returns the results that there are, in order.
func (o *output) done() []scenarioresult.Script {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.clear()
	list := []scenarioresult.Script{}
	for _, s := range o.results {
		if s != nil {
			list = append(list, *s)
		}
	}
	return list
}

// maxProgress bounds the line of progress in characters, so that it stays one
// line on most terminals.
const maxProgress = 76

// progress shows on a terminal how far the scripts have come.
func (o *output) progress() {
	if o.terminal == nil || len(o.running) == 0 {
		return
	}
	line := fmt.Sprintf("%d/%d running %s", o.count, len(o.results), strings.Join(o.running, ", "))
	fmt.Fprint(o.terminal, term.OneLine(line, maxProgress))
	o.shown = true
}

// clear removes the line of progress.
func (o *output) clear() {
	if o.shown {
		fmt.Fprint(o.terminal, "\r\x1b[K")
		o.shown = false
	}
}
