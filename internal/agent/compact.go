package agent

import (
	"strings"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/result"
)

// wholeResults is how many of the newest results are never shortened.
const wholeResults = 4

// shown is a result that stands in the conversation as it was rendered.
type shown struct {
	at     int    // its message
	head   string // what stands before it there, of a call in text
	text   string
	result tool.Result
}

// compact shortens the older results once the conversation fills nine tenths
// of what it may. A shortened result stays so.
func (r *run) compact() {
	limit := r.cfg.MaxContext
	before := conversationSize(r.messages)
	if limit <= 0 || before < limit-limit/10 || len(r.shown) <= wholeResults {
		return
	}
	old := r.shown[:len(r.shown)-wholeResults]
	r.shown = append([]shown(nil), r.shown[len(old):]...)
	done := 0
	for _, s := range old {
		done += r.shorten(s)
	}
	if done > 0 {
		r.emit(event.CompactionPerformed{Results: done, BytesBefore: before, BytesAfter: conversationSize(r.messages)})
	}
}

// shorten puts the short form of a result in its place, unless that is longer,
// and returns how many results it did so for.
func (r *run) shorten(s shown) int {
	text, _ := r.cfg.Redact.Known(result.Compact(s.result))
	if len(text) >= len(s.text) {
		return 0
	}
	m := r.messages[s.at]
	r.messages[s.at] = m.WithContent(strings.Replace(m.Content, s.head+s.text, s.head+text, 1))
	r.shortened = append(r.shortened, s.at)
	return 1
}

// conversationSize returns the bytes of text in a conversation, which come
// close to those of a request.
func conversationSize(messages []*chat.Message) int64 {
	size := 0
	for _, m := range messages {
		size += len(m.Content) + m.Extra.Size()
		for _, c := range m.ToolCalls {
			size += len(c.Name) + len(c.Arguments) + c.Extra.Size()
		}
	}
	return int64(size)
}
