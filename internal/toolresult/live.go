package toolresult

import (
	"io"
	"sync"

	"github.com/openagent-ci/openagent/internal/tool"
)

// Live takes both streams of a command while it runs, as they come, and shows
// what came so far at any time. It is safe for concurrent use.
type Live struct {
	folder *Artifacts

	mu      sync.Mutex
	capture *Capture
}

// NewLive returns a Live for call. Once the output exceeds budget bytes, the
// whole goes to an artifact as it comes.
func NewLive(call tool.Call, budget int, artifacts *Artifacts) *Live {
	return &Live{folder: artifacts, capture: newCapture(call, "output", budget, artifacts)}
}

// Input returns the writer for one stream, behind a filter of its own. Closing
// it writes what the filter held back. It never fails.
func (l *Live) Input() io.WriteCloser { return l.folder.filtered(liveInput{l}) }

type liveInput struct{ *Live }

func (l liveInput) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return filteredCapture{l.capture}.Write(p)
}

// SoFar returns what came up to now; after Close, all.
func (l *Live) SoFar() Stream {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.capture.soFar()
}

// Close ends the artifact. It is called once, after the inputs were closed.
func (l *Live) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.capture.closeArtifact()
}

// Discard is Close for output that is shown elsewhere: the artifact goes.
func (l *Live) Discard() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.capture.whole != nil {
		l.capture.whole.discard()
	}
}
