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
	number int // in the stream, from 0
	buf    []byte
	text   []byte        // what was read
	lines  []scannedLine // those that were found faultless
	err    error         // of reading, after the text
}

// usualLine is what few streams have less of for a line, in bytes.
const usualLine = 512

// scannedLine is a line, and where it stands in its block.
type scannedLine struct {
	at int
	validate.Scanned
}

// blocks are those of a stream, which several goroutines read and scan. Whichever has
// the one that is next in the stream checks it, and those behind it that are scanned
// by then; nobody waits for that, unless all memory for blocks is used.
type blocks struct {
	read sync.Mutex
	in   io.Reader
	next int  // the number of the block that is read next
	over bool // there are no more

	mu       sync.Mutex
	freed    sync.Cond
	free     []*block
	scanned  map[int]*block // by number, those that nobody has checked
	checked  int            // how many were checked
	checking bool           // somebody does so
	checker  *checker
	err      error
}

// feedBlocks is feed with that many goroutines, the caller among them. What is found,
// and in which order, is the same.
func feedBlocks(ctx context.Context, c *checker, r io.Reader, jobs, size int) error {
	q := &blocks{in: r, checker: c, scanned: map[int]*block{}}
	q.freed.L = &q.mu
	for range jobs + 1 {
		q.free = append(q.free, &block{buf: make([]byte, size), lines: make([]scannedLine, 0, size/usualLine)})
	}
	var others sync.WaitGroup
	for range jobs - 1 {
		others.Go(func() { q.work(ctx) })
	}
	q.work(ctx)
	others.Wait()
	return q.err
}

// work works on blocks as long as there are any.
func (q *blocks) work(ctx context.Context) {
	var s validate.Scanner
	for b := q.acquire(); q.fill(ctx, b); b = q.acquire() {
		b.scan(&s)
		q.check(b)
	}
}

// acquire returns a block that is not used.
func (q *blocks) acquire() *block {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.free) == 0 {
		q.freed.Wait()
	}
	last := len(q.free) - 1
	b := q.free[last]
	q.free = q.free[:last]
	return b
}

// fill reads the next block, unless ctx is done, and reports whether there was one.
func (q *blocks) fill(ctx context.Context, b *block) bool {
	q.read.Lock()
	defer q.read.Unlock()
	if q.over {
		return false
	}
	n := 0
	if b.err = ctx.Err(); b.err == nil {
		n, b.err = q.in.Read(b.buf)
	}
	b.number, b.text = q.next, b.buf[:n]
	q.next, q.over = q.next+1, b.err != nil
	return true
}

// scan scans the lines of the block.
func (b *block) scan(s *validate.Scanner) {
	b.lines = b.lines[:0]
	end := bytes.LastIndexByte(b.text, '\n') + 1
	for at := bytes.IndexByte(b.text, '\n') + 1; at < end; {
		found := s.Scan(b.text[at:end])
		if found.Faultless() {
			b.lines = append(b.lines, scannedLine{at, found})
		}
		at += found.Size
	}
}

// check checks a block, or leaves it to whoever checks those before it.
func (q *blocks) check(b *block) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.scanned[b.number] = b
	if q.checking {
		return
	}
	q.checking = true
	for b := q.scanned[q.checked]; b != nil; b = q.scanned[q.checked] {
		delete(q.scanned, b.number)
		q.mu.Unlock()
		q.checker.block(b)
		q.mu.Lock()
		if b.err != io.EOF {
			q.err = b.err
		}
		q.checked++
		q.free = append(q.free, b)
		q.freed.Signal()
	}
	q.checking = false
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
