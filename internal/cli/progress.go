package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/openagent-ci/openagent/internal/event"
	"github.com/openagent-ci/openagent/internal/projection"
	"github.com/openagent-ci/openagent/internal/redact"
	"github.com/openagent-ci/openagent/internal/view"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// maxShownFindings bounds the findings shown while an agent runs; all of them
// are in the evidence.
const maxShownFindings = 10

// progress shows people what an agent's stream tells, as run shows its own.
type progress struct {
	w     io.Writer
	human *view.Human
	kinds map[schema.Type]event.Kind
	shown int
	err   *redact.Writer
}

func newProgress(w io.Writer, r *redact.Redactor) *progress {
	p := &progress{w: w, human: view.NewHuman(w, false), kinds: map[schema.Type]event.Kind{}}
	p.err = redact.NewWriter(stderrLines{w}, r)
	for kind, typ := range projection.Table() {
		if typ != "" {
			p.kinds[typ] = kind
		}
	}
	return p
}

// line shows one line of the stream and what was found in it.
func (p *progress) line(l runner.Line) {
	for _, f := range l.Findings {
		if f.Severity == validate.SeverityInfo {
			continue
		}
		if p.shown++; p.shown <= maxShownFindings {
			fmt.Fprintln(p.w, "  "+view.OneLine(f.String(), 240))
		}
	}
	if l.Event == nil {
		return
	}
	var e struct{ Data event.Data }
	dec := json.NewDecoder(bytes.NewReader(l.Raw))
	dec.UseNumber()
	if dec.Decode(&e) != nil {
		return
	}
	_ = p.human.Emit(event.Event{ // never fails
		RunID: l.Event.RunID, Step: int(l.Event.Step), Kind: p.kinds[l.Event.Type], Data: e.Data,
	})
}

func (p *progress) stderr(piece []byte) { _, _ = p.err.Write(piece) }

// close shows what is left of stderr.
func (p *progress) close() { _ = p.err.Close() }

// stderrLines shows whole lines of an agent's stderr behind a prefix.
type stderrLines struct{ w io.Writer }

// Write shows the lines of p. It never fails: what cannot be shown is in the
// evidence.
func (s stderrLines) Write(p []byte) (int, error) {
	var b strings.Builder
	for _, line := range view.Clean(string(p)) {
		b.WriteString("  stderr | " + line + "\n")
	}
	_, _ = io.WriteString(s.w, b.String())
	return len(p), nil
}
