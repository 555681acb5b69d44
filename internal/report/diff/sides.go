package diff

import (
	"fmt"
	"slices"
	"strings"
)

// compareSides fills in what the runs say of themselves, told apart where it differs,
// and adds the names of what does.
func (d *Diff) compareSides(base, head *Run, differ map[string]bool) {
	d.Base, d.Head = base.side(), head.side()
	set := func(name string, was, is *string, b, h string, max int) {
		*was, *is = TruncateAroundDifference(b, h, max)
		differ[name] = differ[name] || b != h
	}
	set(NameVerdict, &d.Base.Verdict, &d.Head.Verdict, base.Verdict, head.Verdict, maxName)
	set(NameReason, &d.Base.Reason, &d.Head.Reason, base.Reason, head.Reason, maxText)
	b, h := joined(": ", base.ended(), head.ended())
	set(NameReason, &d.Base.Ended, &d.Head.Ended, b, h, maxEnded)
	b, h = joined(" ", []string{base.agent, base.version}, []string{head.agent, head.version})
	set(NameAgent, &d.Base.Agent, &d.Head.Agent, b, h, maxText)
	set(NameModel, &d.Base.Model, &d.Head.Model, base.model, head.model, maxText)
	set(NamePrompt, &d.Base.Prompt, &d.Head.Prompt, base.prompt, head.prompt, maxText)
	b, h = base.schema, head.schema
	if base.Revision > 0 && head.Revision > 0 {
		b, h = withRevision(b, base.Revision), withRevision(h, head.Revision)
	}
	set(NameSchema, &d.Base.Schema, &d.Head.Schema, b, h, maxName)
	differ[NameReason] = differ[NameReason] && !differ[NameVerdict]
}

func withRevision(schema string, n int) string {
	return strings.TrimSpace(fmt.Sprintf("%s revision %d", schema, n))
}

// joined joins the parts of two facts, quoted where the facts would not differ else.
func joined(sign string, base, head []string) (b, h string) {
	join := func(parts []string) string {
		return strings.Join(slices.DeleteFunc(slices.Clone(parts), func(p string) bool { return p == "" }), sign)
	}
	b, h = join(base), join(head)
	if b != "" && b == h && !slices.Equal(base, head) {
		return fmt.Sprintf("%+q", base), fmt.Sprintf("%+q", head)
	}
	return b, h
}
