// Package toolcall finds tool calls in a model's text, decides what counts as one,
// and refuses calls that were cut or are ambiguous.
//
// A text is scanned once, from left to right. A candidate is an object or an
// array after a marker, a bare object or array, or a tag of a known kind; lex
// finds what these are made of. loosejson reads each by up to three readers:
// JSON as it stands, a tolerant tokenizer that mends a closed list of slips, and
// a repair library that sees the punctuation alone, every string being masked.
// What a reader makes is JSON again, so that one set of rules decides what is
// a call. Whatever became of a candidate, it is consumed whole: a call that is
// quoted inside a value stays data.
//
// The gate stands above all of it: of a reply that may have been cut no call
// is made whose end was not seen.
package toolcall

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// Bounds of one message.
const (
	MaxBytes = 16 << 20
	MaxCalls = 64
)

// Options are what a text is read against. With the zero value no tool is
// known and the reply counts as cut.
type Options struct {
	// Tools are the known ones; the parameters serve for dialects that write
	// all arguments as text.
	Tools []chat.ToolSpec
	// FinishReason is why the reply ended. All but stop and tool_calls, and
	// none at all, count as cut.
	FinishReason string
}

// Status says what became of a call.
type Status string

// The statuses of a call, as events have them.
const (
	Complete   Status = "complete"
	Incomplete Status = "incomplete"
	Malformed  Status = "malformed"
)

// Call is one call that may be executed.
type Call struct {
	// ID is the one that the model gave it, empty for none.
	ID   string `json:"-"`
	Tool string `json:"tool"`
	// Arguments are a valid JSON object; numbers keep their digits.
	Arguments json.RawMessage `json:"arguments"`
	// Source is how the call was written: marker, bare_json, xml, or the id
	// of a dialect.
	Source string `json:"source"`
	// Repaired reports that reading took more than a strict JSON decoder, and
	// Repairs how, in words of the list in this package.
	Repaired bool     `json:"repaired"`
	Repairs  []string `json:"repairs"`
	// Status is Complete.
	Status Status `json:"status"`
	// Offset is the byte at which the object or tag of the call begins, and End
	// that behind it.
	Offset int `json:"offset"`
	End    int `json:"-"`
}

// Refusal is a call that was begun and must not be executed.
type Refusal struct {
	// Tool is the name as far as it was understood, else empty.
	Tool   string `json:"-"`
	Source string `json:"-"`
	// Status is Incomplete or Malformed.
	Status Status `json:"-"`
	Offset int    `json:"offset"`
	// Reason is a word of the list in this package.
	Reason string `json:"reason"`
	// Problem is one sentence about what was understood and where it broke.
	Problem string `json:"-"`
	// Text is what was written, from Offset on.
	Text string `json:"-"`
}

// Result is what a text holds.
type Result struct {
	// Calls and Refused are in the order of the text.
	Calls   []Call    `json:"calls"`
	Refused []Refusal `json:"-"`
	// Leftover is the text without its calls, otherwise as it was.
	Leftover string `json:"leftover_text"`
	// Incomplete reports that a call was begun and cut.
	Incomplete bool `json:"incomplete"`

	// Passed are marks that call nothing.
	Passed []Explanation `json:"-"`
}

// Explanation says what became of the marks of a call.
type Explanation struct {
	Offset int    `json:"offset"`
	Row    string `json:"row"`    // the source that its calls have
	Result string `json:"result"` // call, refused or text
	Why    string `json:"why,omitempty"`
}

// Explain returns what became of all marks of calls, up to 64 that are text included.
func (r Result) Explain() []Explanation {
	all := append([]Explanation{}, r.Passed...)
	for _, c := range r.Calls {
		all = append(all, Explanation{c.Offset, c.Source, "call", strings.Join(c.Repairs, " ")})
	}
	for _, f := range r.Refused {
		all = append(all, Explanation{f.Offset, f.Source, "refused", f.Problem})
	}
	slices.SortStableFunc(all, func(a, b Explanation) int { return a.Offset - b.Offset })
	return all
}

// Document is a Result as programs read it. Calls that were cut are not in it.
type Document struct {
	Result
	Malformed []Refusal     `json:"malformed"`
	Explain   []Explanation `json:"explain,omitempty"`
}

// Document returns the result as a document, whose lists are never null.
func (r Result) Document() Document {
	d := Document{Result: r, Malformed: []Refusal{}}
	d.Calls = append([]Call{}, r.Calls...)
	for _, f := range r.Refused {
		if f.Status == Malformed {
			d.Malformed = append(d.Malformed, f)
		}
	}
	return d
}

// Sources besides the ids of dialects.
const (
	SourceNative = "native"
	sourceMarker = "marker"
	sourceBare   = "bare_json"
	sourceXML    = "xml"
)

// repairEntities joins the repairs of loosejson to a closed list.
const repairEntities = "entities"

// These join the reasons of loosejson to the closed list of reasons for a
// refusal.
const (
	reasonDuplicate = "duplicate_key"
	reasonName      = "name_not_string"
	reasonArguments = "arguments_not_object"
	reasonNoArgs    = "arguments_missing"
	reasonTooMany   = "too_many_calls"
	reasonMessage   = "message_too_large"
)

// Parse returns the calls that a model wrote into text. It never fails: what
// is no call is left over, and what is half of one is refused.
func Parse(text string, o Options) Result {
	if len(text) > MaxBytes {
		return Result{Leftover: text, Refused: []Refusal{{
			Status: Malformed, Reason: reasonMessage, Problem: "the message is larger than 16 MiB, so no call in it was read",
		}}}
	}
	s := newScanner(text, o)
	s.scan()
	return s.result()
}
