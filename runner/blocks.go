package runner

import (
	"bytes"
	"context"
	"io"

	"github.com/openagent-ci/openagent/schema/validate"
)

// blockSize is how much of a saved stream is read at once; more does not help.
const blockSize = 128 << 10

// block is a piece of a stream as it was read. Of the lines that lie in it whole,
// all but the one at its start were scanned, apart from those around them.
type block struct {
	buf     []byte
	text    []byte        // what was read
	lines   []scannedLine // those that were found faultless
	scanner validate.Scanner
	done    chan struct{} // gets one when the block is scanned
}

// scannedLine is a line, and where it stands in its block.
type scannedLine struct {
	at int
	validate.Scanned
}

// feedBlocks is feed that scans so many blocks at the same time, and checks them in the
// order of the stream.
func feedBlocks(ctx context.Context, c *checker, r io.Reader, jobs, size int) (err error) {
	free, read := make(chan *block, jobs+1), make(chan *block, jobs)
	for range jobs + 1 {
		free <- &block{buf: make([]byte, size), done: make(chan struct{}, 1)}
	}
	go func() {
		defer close(read)
		for err == nil {
			b, n := <-free, 0
			if err = ctx.Err(); err == nil {
				n, err = r.Read(b.buf)
			}
			b.text = b.buf[:n]
			read <- b
			go func() {
				b.scan()
				b.done <- struct{}{}
			}()
		}
	}()
	for b := range read {
		<-b.done
		c.block(b)
		free <- b
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// scan scans the lines of the block.
func (b *block) scan() {
	b.lines = b.lines[:0]
	end := bytes.LastIndexByte(b.text, '\n') + 1
	for at := bytes.IndexByte(b.text, '\n') + 1; at < end; {
		found := b.scanner.Scan(b.text[at:end])
		if found.Faultless() {
			b.lines = append(b.lines, scannedLine{at, found})
		}
		at += found.Size
	}
}

// block checks what a block holds, and its faultless lines by what the scan says of
// them.
func (c *checker) block(b *block) {
	if c.exec.Capped {
		return
	}
	at := 0
	for i := range b.lines {
		found := &b.lines[i]
		_, _ = c.split.Write(b.text[at:found.at]) // never fails
		at = found.at + found.Size
		c.whole(b.text[found.at:at], &found.Scanned)
	}
	_, _ = c.split.Write(b.text[at:])
	c.flush()
}
