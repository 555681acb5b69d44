package harness

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openagent-ci/openagent/internal/text/lines"
)

// A page that takes long is made, unless the run was cancelled two seconds ago.
func TestLateAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		late, done := lateAfter(ctx, pageTime)
		r := &lines.Lasting{Context: late, Reader: strings.NewReader("abc")}
		read := func() error {
			_, err := r.Read(make([]byte, 1))
			return err
		}
		time.Sleep(time.Hour)
		if err := read(); err != nil {
			t.Errorf("Read after an hour = %v, want no end", err)
		}
		cancel()
		time.Sleep(pageTime - time.Millisecond)
		if err := read(); err != nil {
			t.Errorf("Read shortly before %v = %v, want no end", pageTime, err)
		}
		time.Sleep(2 * time.Millisecond)
		if err := read(); !errors.Is(err, errNoTime) {
			t.Errorf("Read after %v = %v, want %v", pageTime, err, errNoTime)
		}
		done()
		if err := read(); errors.Is(err, io.EOF) {
			t.Errorf("Read after the end = %v", err)
		}
	})
}
