package projection

import "github.com/openagent-ci/openagent/schema"

const noReason = "the run ended without a reason"

// failing are the reasons that the contract ties to ok false.
var failing = map[string]bool{
	schema.ExitPreRunError: true, schema.ExitProviderError: true, schema.ExitMaxSteps: true, schema.ExitBudgetExceeded: true,
	schema.ExitTimeout: true, schema.ExitDenied: true, schema.ExitBlocked: true, schema.ExitCancelled: true, schema.ExitInternalError: true,
}

// outcome bounds the final text, reason and error of a run, and makes reason, ok
// and error agree. If those of the event do not, the run counts as failed.
func (b *bounds) outcome(p *schema.RunFinished) {
	head, size := preview(p.FinalOutput)
	p.FinalOutput, p.Truncated, p.OriginalBytes = head, new(size != nil), optional(size)
	p.ExitReason = b.text("exit_reason", p.ExitReason)
	b.member("error", &p.Error)
	if p.ExitReason == "" {
		p.ExitReason, p.OK = schema.ExitInternalError, false
		if p.Error == nil {
			p.Error = new(noReason)
		}
		return
	}
	p.OK = p.OK && !failing[p.ExitReason] && p.Error == nil
	if !p.OK && p.ExitReason == schema.ExitOK {
		p.ExitReason = schema.ExitInternalError
	}
}
