package term

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Block is a few lines at the foot of a terminal that are drawn again in place.
// It asks the terminal nothing, and uses only what every one knows: carriage
// return, cursor up, erase to the end.
type Block struct {
	W     io.Writer
	drawn string // what stands there, with the cursor behind it
}

// Draw replaces the block by lines, which must fit the screen, and writes above,
// whole lines or none, over it. It is one write, so that nobody sees half of it,
// and none when nothing changes.
func (b *Block) Draw(above, lines string) error {
	if above == "" && lines == b.drawn {
		return nil
	}
	text := b.erasure() + above + lines
	b.drawn = lines
	_, err := io.WriteString(b.W, text)
	return err
}

// erasure is what takes the block away and leaves the cursor where it began.
func (b *Block) erasure() string {
	if b.drawn == "" {
		return ""
	}
	up := ""
	if n := strings.Count(b.drawn, "\n"); n > 0 {
		up = fmt.Sprintf("\x1b[%dA", n)
	}
	return "\r" + up + "\x1b[J"
}

// DrawWhile calls draw every interval while work is done; no call goes on when
// it returns, or when work panics.
func DrawWhile(interval time.Duration, draw, work func()) {
	done := make(chan struct{})
	var drawing sync.WaitGroup
	drawing.Go(func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				draw()
			case <-done:
				return
			}
		}
	})
	defer drawing.Wait()
	defer close(done)
	work()
}
