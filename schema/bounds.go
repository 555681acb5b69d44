package schema

import (
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/clip"
)

// limit is how a text is cut, and to what length.
type limit struct {
	cut func(s string, max int) (string, bool)
	max int
}

// limits has the members with a limit other than that of ordinary texts.
var limits = map[string]limit{
	"arguments_preview": {clip.Prefix, MaxPreviewBytes},
	"content_preview":   {clip.Prefix, MaxPreviewBytes},
	"error":             {clip.Prefix, MaxPreviewBytes},
	"final_output":      {clip.Prefix, MaxPreviewBytes},
	"text_preview":      {clip.Prefix, MaxTextBytes},
	"reason":            {clip.Prefix, MaxReasonBytes},
	"summary_text":      {clip.Chars, MaxSummaryChars},
	"message_short":     {clip.OneLine, MaxMessageChars},
}

// Bound makes a payload, a pointer to one of the payload structs, keep the bounds
// of the contract: texts are made valid UTF-8 and cut, numbers that a reader
// could not hold are left out, the members that were cut are named, and reason,
// ok and error of a run are made to agree.
func Bound(payload any) {
	var b, end bounds
	switch p := payload.(type) {
	case *ToolExecFinished:
		p.OriginalBytes = preview(p.ContentPreview)
		p.Truncated = p.OriginalBytes != nil
	case *RunFinished:
		end.outcome(p)
	}
	b.members(payload)
	if p, ok := payload.(interface{ setCuts([]TruncatedField) }); ok {
		p.setCuts(append(b.cuts, end.cuts...))
	}
}

func (c *Cuts) setCuts(cuts []TruncatedField) { c.TruncatedFields = cuts }

// preview leaves the beginning of a text and returns the size of the whole, nil
// when that is all of it, or there is none.
func preview(s *string) *int64 {
	if s == nil {
		return nil
	}
	whole := clip.UTF8(*s)
	head, cut := clip.Prefix(whole, MaxPreviewBytes)
	*s = head
	if !cut {
		return nil
	}
	return new(int64(len(whole)))
}

// bounds remembers which members it cut.
type bounds struct{ cuts []TruncatedField }

func (b *bounds) members(of any) {
	for name, member := range Members(of) {
		b.member(name, member)
	}
}

// member bounds what m points to. What is in an object counts as the object's.
func (b *bounds) member(name string, member any) {
	if b.scalar(name, member) || b.list(name, member) {
		return
	}
	switch m := member.(type) {
	case *Optional[USD]:
		if u, ok := m.Get(); ok && !u.Valid() {
			*m = Optional[USD]{}
		}
	case **Agent:
		boundMember(b, name, m)
	case **StreamSource:
		boundMember(b, name, m)
	case **TerminalSource:
		boundMember(b, name, m)
	case **SandboxStatus:
		boundMember(b, name, m)
		if *m != nil && (*m).Missing == nil {
			(*m).Missing = []string{}
		}
	}
}

// scalar bounds the text or the count that a member is, and reports whether it is
// one.
func (b *bounds) scalar(name string, member any) bool {
	switch m := member.(type) {
	case *string:
		*m = b.text(name, *m)
	case **string:
		if *m != nil {
			*m = new(b.text(name, **m))
		}
	case *Optional[string]:
		if old, ok := m.Get(); ok {
			*m = Some(b.text(name, old))
		}
	case **int64:
		if *m != nil && !exact(name, **m) {
			*m = nil
		}
	case *Optional[int64]:
		if n, ok := m.Get(); ok && !exact(name, n) {
			*m = Optional[int64]{}
		}
	default:
		return false
	}
	return true
}

// list bounds the list that a member is, and reports whether it is one.
func (b *bounds) list(name string, member any) bool {
	switch m := member.(type) {
	case *[]string:
		*m = b.words(name, *m, true)
	case *[]Artifact:
		*m = b.artifacts(name, *m)
	case *[]MCPServer:
		*m = b.servers(name, *m)
	case *map[string]int64:
		*m = counts(*m)
	default:
		return false
	}
	return true
}

// boundMember replaces an object that is a member by a copy within its bounds.
func boundMember[T any](b *bounds, name string, object **T) {
	if *object == nil {
		return
	}
	*object = new(**object)
	for _, member := range Members(*object) {
		b.member(name, member)
	}
}

// text returns s within the limit of the member of that name.
func (b *bounds) text(name, s string) string {
	l, ok := limits[name]
	if !ok {
		l = limit{clip.Prefix, MaxStringBytes}
	}
	s = clip.UTF8(s)
	head, cut := l.cut(s, l.max)
	if cut {
		b.cuts = append(b.cuts, TruncatedField{Field: name, OriginalBytes: int64(len(s))})
	}
	return head
}

// exact reports whether every reader holds n as it is, and n can be what the
// name says: an exit status, or else a count.
func exact(name string, n int64) bool {
	return n <= MaxSafeInteger && (n >= 0 || name == "exit_status" && n >= -MaxSafeInteger)
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
		head, short := clip.Prefix(item, MaxStringBytes)
		cut = cut || short
		if len(out) == MaxListItems || size > MaxListBytes || short && !halves {
			cut = true
			continue
		}
		out = append(out, head)
	}
	if cut {
		b.cuts = append(b.cuts, TruncatedField{Field: name, OriginalBytes: int64(size)})
	}
	return out
}

// artifacts returns those whose paths fit the bounds of a list.
func (b *bounds) artifacts(name string, files []Artifact) []Artifact {
	if files == nil {
		return nil
	}
	paths := make([]string, len(files))
	for i, file := range files {
		paths[i] = file.Path
	}
	list := []Artifact{}
	for _, path := range b.words(name, paths, false) {
		list = append(list, Artifact{Path: path})
	}
	return list
}

// servers returns those that fit the bounds of a list, their texts cut.
func (b *bounds) servers(name string, all []MCPServer) []MCPServer {
	if all == nil {
		return nil
	}
	kept, size, left := []MCPServer{}, 0, MaxListBytes
	var one bounds // what it cuts is told of the list as a whole
	for _, s := range all {
		size += len(s.Name) + len(s.Status)
		s.Name, s.Status = one.text(name, s.Name), one.text(name, s.Status)
		if left -= len(s.Name) + len(s.Status); left >= 0 && len(kept) < MaxListItems {
			kept = append(kept, s)
		}
	}
	if one.cuts != nil || len(kept) < len(all) {
		b.cuts = append(b.cuts, TruncatedField{Field: name, OriginalBytes: int64(size)})
	}
	return kept
}

// otherNames stands for the names that did not fit among counts.
const otherNames = "*"

// counts returns those whose names fit the bounds of a list, with the sum of the
// others under otherNames.
func counts(all map[string]int64) map[string]int64 {
	if all == nil {
		return nil
	}
	kept, others := map[string]int64{}, all[otherNames]
	room, left := MaxListItems, MaxListBytes-len(otherNames)
	if len(all) > room {
		room--
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		switch {
		case name == otherNames:
		case len(kept) == room || len(name) > min(left, MaxStringBytes) || !utf8.ValidString(name):
			others += all[name]
		default:
			kept[name] = all[name]
			left -= len(name)
		}
	}
	if others != 0 {
		kept[otherNames] = others
	}
	return kept
}

// failing are the reasons that the contract ties to ok false.
var failing = map[string]bool{
	ExitPreRunError: true, ExitProviderError: true, ExitMaxSteps: true, ExitBudgetExceeded: true,
	ExitTimeout: true, ExitDenied: true, ExitBlocked: true, ExitCancelled: true, ExitInternalError: true,
	ExitKilled: true, ExitNoTerminal: true, ExitStreamInvalid: true,
}

// Failing reports whether a run that ends for that reason cannot have ok true.
func Failing(reason string) bool { return failing[reason] }

// outcome bounds the final text, reason, error and usage of a run, and makes
// reason, ok and error agree. If those of the event do not, the run counts as failed.
func (b *bounds) outcome(p *RunFinished) {
	size := preview(&p.FinalOutput)
	p.Truncated, p.OriginalBytes = new(size != nil), Null[int64]()
	if size != nil {
		p.OriginalBytes = Some(*size)
	}
	p.ExitReason = b.text("exit_reason", p.ExitReason)
	b.member("error", &p.Error)
	if u, ok := p.Usage.Get(); ok {
		b.members(&u)
		p.Usage = Some(u)
	}
	if p.ExitReason == "" {
		p.ExitReason, p.OK = ExitInternalError, false
		if p.Error == nil {
			p.Error = new("the run ended without a reason")
		}
		return
	}
	p.OK = p.OK && !failing[p.ExitReason] && p.Error == nil
	if !p.OK && p.ExitReason == ExitOK {
		p.ExitReason = ExitInternalError
	}
}
