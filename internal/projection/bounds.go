package projection

import (
	"iter"
	"reflect"
	"strings"

	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/schema"
)

// limit is how a text is cut, and to what length.
type limit struct {
	cut func(s string, max int) (string, bool)
	max int
}

// limits has the members with a limit other than that of ordinary texts.
var limits = map[string]limit{
	"arguments_preview": {clip.Prefix, schema.MaxPreviewBytes},
	"content_preview":   {clip.Prefix, schema.MaxPreviewBytes},
	"error":             {clip.Prefix, schema.MaxPreviewBytes},
	"reason":            {clip.Prefix, schema.MaxReasonBytes},
	"summary_text":      {clip.Chars, schema.MaxSummaryChars},
	"message_short":     {clip.OneLine, schema.MaxMessageChars},
}

// bounded makes a payload keep the bounds of the contract and returns it: texts
// are made valid UTF-8 and cut, numbers that a reader could not hold are left
// out, and the members that were cut are named.
func bounded(payload any) any {
	var b, end bounds
	switch p := payload.(type) {
	case *schema.RunStarted:
		if a := p.Agent; a != nil {
			p.Agent = &schema.Agent{Name: b.text("agent", a.Name), Version: b.text("agent", a.Version)}
		}
	case *schema.ToolExecFinished:
		p.OriginalBytes = preview(p.ContentPreview)
		p.Truncated = p.OriginalBytes != nil
	case *schema.RunFinished:
		end.outcome(p)
	}
	b.members(payload)
	cuts := reflect.ValueOf(payload).Elem().FieldByName("Cuts").Addr().Interface().(*schema.Cuts)
	cuts.TruncatedFields = append(b.cuts, end.cuts...)
	return payload
}

// members returns the names of the members of a struct, in order, with pointers
// to them.
func members(of any) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for field, value := range reflect.ValueOf(of).Elem().Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name != "" && !yield(name, value.Addr().Interface()) {
				return
			}
		}
	}
}

// preview leaves the beginning of a text and returns the size of the whole, nil
// when that is all of it, or there is none.
func preview(s *string) *int64 {
	whole := clip.UTF8(value(s))
	head, cut := clip.Prefix(whole, schema.MaxPreviewBytes)
	if s != nil {
		*s = head
	}
	if !cut {
		return nil
	}
	return new(int64(len(whole)))
}

// bounds remembers which members it cut.
type bounds struct{ cuts []schema.TruncatedField }

func (b *bounds) members(of any) {
	for name, member := range members(of) {
		b.member(name, member)
	}
}

func (b *bounds) member(name string, member any) {
	switch m := member.(type) {
	case **string:
		if *m != nil {
			*m = new(b.text(name, **m))
		}
	case *schema.Optional[string]:
		if s, ok := m.Get(); ok {
			*m = schema.Some(b.text(name, s))
		}
	case **int64:
		if !exact(name, value(*m)) {
			*m = nil
		}
	case *schema.Optional[int64]:
		if !exact(name, given(*m)) {
			*m = schema.Optional[int64]{}
		}
	case *[]string:
		*m = b.words(name, *m, true)
	case *schema.Texts:
		*m = b.words(name, *m, true)
	case *[]schema.Artifact:
		paths := list(*m, func(a schema.Artifact) *string { return &a.Path })
		*m = artifacts(b.words(name, paths, false))
	}
}

// text returns s within the limit of the member of that name.
func (b *bounds) text(name, s string) string {
	l, ok := limits[name]
	if !ok {
		l = limit{clip.Prefix, schema.MaxStringBytes}
	}
	s = clip.UTF8(s)
	head, cut := l.cut(s, l.max)
	if cut {
		b.cuts = append(b.cuts, schema.TruncatedField{Field: name, OriginalBytes: int64(len(s))})
	}
	return head
}

// exact reports whether every reader holds n as it is, and n can be what the
// name says: an exit status, or else a count.
func exact(name string, n int64) bool {
	return n <= schema.MaxSafeInteger && (n >= 0 || name == "exit_status" && n >= -schema.MaxSafeInteger)
}

// words returns the items of a list that fit its bounds, nil for nil. An item that
// is too long by itself is cut, or left out unless halves are of use.
func (b *bounds) words(name string, items []string, halves bool) []string {
	if items == nil {
		return nil
	}
	out, size, cut := []string{}, 0, false
	for _, item := range items {
		item = clip.UTF8(item)
		size += len(item)
		head, short := clip.Prefix(item, schema.MaxStringBytes)
		cut = cut || short
		if len(out) == schema.MaxListItems || size > schema.MaxListBytes || short && !halves {
			cut = true
			continue
		}
		out = append(out, head)
	}
	if cut {
		b.cuts = append(b.cuts, schema.TruncatedField{Field: name, OriginalBytes: int64(size)})
	}
	return out
}

// failing are the reasons that the contract ties to ok false.
var failing = map[string]bool{
	schema.ExitPreRunError: true, schema.ExitProviderError: true, schema.ExitMaxSteps: true, schema.ExitBudgetExceeded: true,
	schema.ExitTimeout: true, schema.ExitDenied: true, schema.ExitBlocked: true, schema.ExitCancelled: true, schema.ExitInternalError: true,
}

// outcome bounds the final text, reason, error and usage of a run, and makes
// reason, ok and error agree. If those of the event do not, the run counts as failed.
func (b *bounds) outcome(p *schema.RunFinished) {
	size := preview(&p.FinalOutput)
	p.Truncated, p.OriginalBytes = new(size != nil), optional(size)
	p.ExitReason = b.text("exit_reason", p.ExitReason)
	b.member("error", &p.Error)
	if u, ok := p.Usage.Get(); ok {
		b.members(&u)
		p.Usage = schema.Some(u)
	}
	if p.ExitReason == "" {
		p.ExitReason, p.OK = schema.ExitInternalError, false
		if p.Error == nil {
			p.Error = new("the run ended without a reason")
		}
		return
	}
	p.OK = p.OK && !failing[p.ExitReason] && p.Error == nil
	if !p.OK && p.ExitReason == schema.ExitOK {
		p.ExitReason = schema.ExitInternalError
	}
}
