package adapter

import (
	"strings"

	"github.com/openagent-ci/openagent/schema"
)

// usageForm says by which members an agent reports its usage. Input and output have
// disjoint parts, of which those after the first may be missing; cached and reasoning
// are among them. Total is what the agent itself calls so, empty where it says none.
type usageForm struct{ input, output, cached, reasoning, total string }

// usageForms are those of the agents.
var usageForms = map[string]usageForm{
	// Each result has the sums since the run began: usage of the main loop, modelUsage
	// of sub-agents too.
	"claude":            {"input_tokens cache_creation_input_tokens cache_read_input_tokens", "output_tokens", "cache_read_input_tokens", "output_tokens_details.thinking_tokens", ""},
	"claude modelUsage": {"inputTokens cacheCreationInputTokens cacheReadInputTokens", "outputTokens", "cacheReadInputTokens", "", ""},
	// The end of a turn has the sums of the thread.
	"codex": {"input_tokens", "output_tokens", "cached_input_tokens", "reasoning_output_tokens", ""},
	// The total counts the thoughts, which the output does not.
	"gemini": {"input_tokens", "output_tokens", "cached", "", "total_tokens"},
	// Of one turn each.
	"opencode": {"input cache.read cache.write", "output reasoning", "cache.read", "reasoning", "total"},
	"qwen":     {"input_tokens", "output_tokens", "cache_read_input_tokens", "", "total_tokens"},
}

// usageOf reads a report of usage of that form.
func usageOf(form string, report object) schema.Usage {
	f := usageForms[form]
	u := schema.Usage{
		InputTokens: parts(report, f.input), OutputTokens: parts(report, f.output),
		TotalTokens: parts(report, f.total), CachedInputTokens: parts(report, f.cached),
	}
	if u.TotalTokens == nil {
		u.TotalTokens = sum(u.InputTokens, u.OutputTokens)
	}
	if n := parts(report, f.reasoning); n != nil {
		u.ReasoningTokens = schema.Some(*n)
	}
	return u
}

// parts adds up the members of these names, nil where the first is not known.
func parts(report object, names string) *int64 {
	var total *int64
	for i, name := range strings.Fields(names) {
		n := report.At(strings.Split(name, ".")...).Integer()
		switch {
		case i == 0:
			total = n
		case n != nil:
			total = sum(total, n)
		}
	}
	return total
}

// added returns the usage of both.
func added(a *schema.Usage, b schema.Usage) schema.Usage {
	if a == nil {
		return b
	}
	b.InputTokens, b.OutputTokens, b.TotalTokens = sum(a.InputTokens, b.InputTokens), sum(a.OutputTokens, b.OutputTokens), sum(a.TotalTokens, b.TotalTokens)
	b.CachedInputTokens = sum(a.CachedInputTokens, b.CachedInputTokens)
	before, _ := a.ReasoningTokens.Get()
	if n, ok := b.ReasoningTokens.Get(); ok || !a.ReasoningTokens.IsZero() {
		b.ReasoningTokens = schema.Some(before + n)
	}
	return b
}
