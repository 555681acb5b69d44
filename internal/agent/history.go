package agent

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/agent/history"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// History keeps what is said and done, for later runs.
type History interface {
	// Begin returns what goes before the prompt and keeps the prompt. It is
	// called once, before the others.
	Begin(ctx context.Context, prompt string, summarise history.Summarise) (history.Past, error)
	// Called keeps a call and its result, Answer the text that ends the run,
	// which may be empty. Both do so also when ctx has ended, in little time.
	Called(ctx context.Context, call history.Call) error
	Answer(ctx context.Context, text string) error
}

//go:embed closing.md
var closingNotice string

// recall puts the first request together: the system prompt, what the session
// has of earlier runs, and the prompt, which becomes the session's next line.
func (r *run) recall(ctx context.Context) *ending {
	if r.cfg.Resume != nil {
		return r.goOn(ctx)
	}
	system, prompt := r.system, &chat.Message{Role: chat.RoleUser, Content: r.cfg.Prompt}
	if r.cfg.History == nil {
		r.messages = []*chat.Message{{Role: chat.RoleSystem, Content: system}, prompt}
		return nil
	}
	past, err := r.cfg.History.Begin(ctx, r.cfg.Prompt, r.summarise)
	if err != nil {
		return r.historyEnding(ctx, err)
	}
	if past.Closing {
		system += "\n" + closingNotice
	}
	r.messages = []*chat.Message{{Role: chat.RoleSystem, Content: system}}
	if past.Summary != "" {
		r.messages = append(r.messages, &chat.Message{Role: chat.RoleUser, Content: "Summary of what was said before:\n\n" + past.Summary})
	}
	for _, t := range past.Talk {
		r.messages = append(r.messages, t.Message())
	}
	r.messages = append(r.messages, prompt)
	return nil
}

// summarise asks the model for a summary; nothing else of the run changes.
func (r *run) summarise(ctx context.Context, instructions, talk string) (string, error) {
	messages := []*chat.Message{
		{Role: chat.RoleSystem, Content: instructions},
		{Role: chat.RoleUser, Content: talk},
	}
	reply, err := r.complete(ctx, chat.Request{Messages: messages, Seed: r.seed(), OnRetry: r.retrying})
	if err != nil {
		return "", err
	}
	r.usage.add(reply, messages)
	switch {
	case reply.FinishReason != "stop":
		return "", fmt.Errorf("the model's summary ended with finish reason %s", reply.FinishReason)
	case strings.TrimSpace(reply.Text) == "":
		return "", errors.New("the model's summary is empty")
	}
	return reply.Text, nil
}

// saveToHistory appends a call and its result to the session.
func (r *run) saveToHistory(ctx context.Context, h handled, rendered string) *ending {
	if r.cfg.History == nil {
		return nil
	}
	return internal(r.cfg.History.Called(ctx, history.Call{
		ID: h.ID, Tool: h.name, Arguments: h.arguments, Result: rendered,
	}))
}

// historyEnding is the ending of a run whose session cannot be read or written.
// A run that was about to end for another reason ends for that one.
func (r *run) historyEnding(ctx context.Context, err error) *ending {
	return cmp.Or(r.ended(ctx), internal(err))
}
