package runner

import (
	"bytes"
	"context"
	"io"
	"sync"

	"github.com/openagent-ci/openagent/schema/validate"
)

// blockSize is how much of a saved stream is read at once; more does not help.
const blockSize = 128 << 10

// block is a piece of a stream as it was read. Of the lines that lie in it whole,
// all but the one at its begin were scanned, apart from those around them.
type block struct {
	buf      []byte
	text     []byte // what was read
	from     int    // where the first scanned line begins
	lines    []validate.Scanned
	err      error         // of reading, after the text
	finished chan struct{} // has a value when the lines are scanned
}

// feedBlocks is feed with that many goroutines that scan lines ahead. What is
// found, and in which order, is the same.
func feedBlocks(ctx context.Context, c *checker, r io.Reader, jobs, size int) error {
	free, order, todo := make(chan *block, jobs+2), make(chan *block, jobs+2), make(chan *block, jobs+2)
	for range cap(free) {
		free <- &block{buf: make([]byte, size), finished: make(chan struct{}, 1)}
	}
	var workers sync.WaitGroup
	workers.Go(func() {
		defer close(todo)
		defer close(order)
		for b := range free {
			b.read(ctx, r)
			order <- b
			todo <- b
			if b.err != nil {
				return
			}
		}
	})
	for range jobs {
		workers.Go(func() {
			var s validate.Scanner
			for b := range todo {
				b.scan(&s)
				b.finished <- struct{}{}
			}
		})
	}
	defer workers.Wait()
	for b := range order {
		<-b.finished
		c.block(b)
		if b.err == io.EOF {
			return nil
		}
		if b.err != nil {
			return b.err
		}
		free <- b
	}
	return nil
}

// read reads the next piece, unless ctx is done.
func (b *block) read(ctx context.Context, r io.Reader) {
	n := 0
	if b.err = ctx.Err(); b.err == nil {
		n, b.err = r.Read(b.buf)
	}
	b.text = b.buf[:n]
}

// scan scans the lines of the block.
func (b *block) scan(s *validate.Scanner) {
	b.from = bytes.IndexByte(b.text, '\n') + 1
	b.lines = b.lines[:0]
	end := bytes.LastIndexByte(b.text, '\n') + 1
	for at := b.from; at < end; {
		found := s.Scan(b.text[at:end])
		b.lines = append(b.lines, found)
		at += found.Size
	}
}

// block checks what a block holds, and its lines by what the scan says of them.
func (c *checker) block(b *block) {
	at := b.from
	if c.exec.Capped {
		return
	}
	_, _ = c.split.Write(b.text[:at]) // the end of what the blocks before have begun
	for i := range b.lines {
		found := &b.lines[i]
		c.whole(b.text[at:at+found.Size], found)
		at += found.Size
	}
	_, _ = c.split.Write(b.text[at:])
	c.flush()
}

// whole checks a line that lies in memory whole.
func (c *checker) whole(line []byte, found *validate.Scanned) {
	if len(line) > c.split.max {
		_, _ = c.split.Write(line)
		return
	}
	c.scanned = found
	c.line(line, 0)
	c.scanned = nil
}
