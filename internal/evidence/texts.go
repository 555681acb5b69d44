package evidence

import (
	"reflect"
	"slices"

	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// Evidence without texts is for those who may see what an agent did and not what it
// read and wrote: it has no preview, reason, message or final text, and no file that
// holds such. All else is that of the whole run, its verdict and its findings too.

// textsPath is what the manifest of evidence without texts lists as left out, beside the
// files that are.
const textsPath = "texts of " + EventsFile

const whyTexts = "the evidence was asked for without texts"

// leftOutTexts returns what a manifest of evidence without texts says of that.
func leftOutTexts() (list []schema.ManifestLeftOut) {
	for _, path := range []string{ArtifactsDir, FinalOutputFile, SourceFile, StderrFile, textsPath} {
		list = append(list, schema.ManifestLeftOut{Path: path, Why: whyTexts})
	}
	return list
}

// LacksTexts reports whether the evidence with that manifest was asked for without
// texts.
func LacksTexts(m schema.Manifest) bool {
	return slices.ContainsFunc(m.LeftOut, func(l schema.ManifestLeftOut) bool { return l.Path == textsPath && l.Why == whyTexts })
}

// unreadable stands for a line that is no event: what it holds may be a text.
const unreadable = "null\n"

// WithoutTexts returns the line as evidence without texts has it.
func WithoutTexts(l runner.Line) runner.Line {
	l.Findings = plainFindings(l.Findings)
	raw := []byte(unreadable)
	if l.Event != nil && l.Event.Data != nil {
		e := *l.Event
		e.Data = withoutTexts(e.Data)
		if line, err := schema.Encode(e); err == nil {
			l.Event, l.Raw = &e, line
			return l
		}
	}
	l.Event, l.Raw = nil, raw
	return l
}

// withoutTexts returns a copy of a payload without its texts.
func withoutTexts(payload any) any {
	own := reflect.New(reflect.TypeOf(payload).Elem())
	own.Elem().Set(reflect.ValueOf(payload).Elem())
	if cuts := own.Elem().FieldByName("Cuts"); cuts.IsValid() {
		cuts.SetZero() // they are about texts
	}
	switch p := own.Interface().(type) {
	case *schema.ToolCallDetected:
		null(&p.ArgumentsPreview)
		null(&p.TextPreview)
	case *schema.ToolDecision:
		p.Reason = nil
	case *schema.ToolExecFinished:
		p.ContentPreview, p.Truncated, p.OriginalBytes = nil, false, nil
		null(&p.SummaryText)
	case *schema.ToolRetry:
		null(&p.Reason)
	case *schema.StepBlocked:
		p.Reason = nil
	case *schema.ProviderError:
		p.MessageShort = nil
	case *schema.RunFinished:
		p.FinalOutput = ""
		if p.Truncated != nil {
			p.Truncated = new(false)
		}
		null(&p.OriginalBytes)
		null(&p.FinalOutputArtifact)
		if p.Error != nil {
			p.Error = &p.ExitReason
		}
	}
	return own.Interface()
}

// null takes the value of an additive member, if it is there.
func null[T any](o *schema.Optional[T]) {
	if !o.IsZero() {
		*o = schema.Null[T]()
	}
}

// plainFindings returns the findings with what their rules say in the place of what
// they quote.
func plainFindings(found []validate.Finding) []validate.Finding {
	plain := slices.Clone(found)
	for i, f := range plain {
		plain[i].Message, plain[i].Got, plain[i].Want, plain[i].Shown = "", "", "", ""
		if rule, ok := validate.RuleByID(f.Rule); ok {
			plain[i].Message = rule.Doc
		}
	}
	return plain
}

// ExecutionWithoutTexts returns a copy of the execution as evidence without texts shows
// of it. Of its command there is the program alone: its arguments can be what was asked.
func ExecutionWithoutTexts(e *runner.Execution) *runner.Execution {
	plain := *e
	plain.Findings, plain.Reason = plainFindings(e.Findings), e.PlainReason
	plain.Command = e.Command[:min(len(e.Command), 1)]
	if e.RunFinished != nil {
		plain.RunFinished = withoutTexts(e.RunFinished).(*schema.RunFinished)
	}
	if e.Source != nil {
		source := *e.Source
		source.Final = ""
		plain.Source = &source
	}
	return &plain
}

// dropForeign removes what the agent put into the folder itself.
func (f *Folder) dropForeign() error {
	if f.foreign == "" {
		return nil
	}
	return f.root.RemoveAll(f.foreign)
}
