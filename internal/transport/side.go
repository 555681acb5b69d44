package transport

import (
	"github.com/openagent-ci/openagent/internal/toolname"
	"github.com/openagent-ci/openagent/internal/wire"
)

// sideText is what a side request gets where the script does not say.
const sideText = "ok"

// sideAnswer returns the answer to a side request: the script's text, or where the reply
// has to fit a schema, a value that does.
func (s *Script) sideAnswer(asked wire.Request) (answer, error) {
	text := s.side
	if len(asked.Schema) > 0 {
		text = string(toolname.Simplest(asked.Schema, text))
	}
	t := turn{text: &text}
	return t.answer(0, inquiry{asked: asked})
}
