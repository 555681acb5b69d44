package harness

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// writes notes what each write brought and when.
type writes struct {
	mu    sync.Mutex
	began time.Time
	texts []string
	times []time.Duration
}

func (w *writes) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.texts, w.times = append(w.texts, string(p)), append(w.times, time.Since(w.began))
	return len(p), nil
}

func TestGathered_WritesAtOnceThenTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &writes{began: time.Now()}
		g := &gathered{w: w}
		for range 3 {
			_, _ = g.Write([]byte("a"))
			_, _ = g.Write([]byte("b"))
			time.Sleep(gatherTime / 2)
			_, _ = g.Write([]byte("c"))
			time.Sleep(2 * gatherTime)
		}
		_, _ = g.Write([]byte("d"))
		_, _ = g.Write([]byte("e"))
		g.flush()
		time.Sleep(time.Hour)
		wantTexts := []string{"a", "bc", "a", "bc", "a", "bc", "d", "e"}
		if round := 5 * gatherTime / 2; !slices.Equal(w.texts, wantTexts) || !slices.Equal(w.times, []time.Duration{
			0, gatherTime, round, round + gatherTime, 2 * round, 2*round + gatherTime, 3 * round, 3 * round,
		}) {
			t.Errorf("writes are %q at %v, want %q, each first one at once and the rest %v after it", w.texts, w.times, wantTexts, gatherTime)
		}
	})
}

func TestGathered_HoldsLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &writes{began: time.Now()}
		g := &gathered{w: w}
		line := strings.Repeat("y", 999) + "\n"
		const lines = 100
		for range lines {
			_, _ = g.Write([]byte(line))
		}
		g.flush()
		for _, text := range w.texts {
			if len(text) >= maxGathered+len(line) {
				t.Errorf("a write of %d bytes, want less than %d", len(text), maxGathered+len(line))
			}
		}
		if got := strings.Join(w.texts, ""); got != strings.Repeat(line, lines) || len(w.texts) > 10 {
			t.Errorf("%d bytes in %d writes, want %d in a few", len(got), len(w.texts), lines*len(line))
		}
	})
}
