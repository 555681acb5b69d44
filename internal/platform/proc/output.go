package proc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// maxRest bounds what is still taken out of a pipe after its time is over: a
// pipe holds no more.
const maxRest = 1 << 20

// pipeBuffer is what is read at once. A pipe that holds several of it lets a
// command print on while we read.
const pipeBuffer = 64 << 10

// pipes are the descriptors made for one child.
type pipes struct {
	child []*os.File // standard input, output and error of the child
	made  []*os.File // those of child that we opened
	ours  []*os.File // our ends
}

func closeFiles(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

func (p *pipes) closeChild() { closeFiles(p.made) }
func (p *pipes) closeOurs()  { closeFiles(p.ours) }

// connect opens the null device and the pipes that c asks for. What was opened
// is returned with an error too, for closing.
func (p *Process) connect(c Command) (*pipes, error) {
	s := &pipes{}
	if err := p.connectStdin(s, c.Stdin); err != nil {
		return s, err
	}
	for _, w := range []io.Writer{c.Stdout, c.Stderr} {
		if w == nil {
			if err := s.null(os.O_WRONLY); err != nil {
				return s, err
			}
			continue
		}
		r, child, err := os.Pipe()
		if err != nil {
			return s, err
		}
		s.add(child, r)
		p.outputs = append(p.outputs, &output{r: r, w: w, done: make(chan struct{})})
	}
	return s, nil
}

func (p *Process) connectStdin(s *pipes, r io.Reader) error {
	if r == nil {
		return s.null(os.O_RDONLY)
	}
	child, w, err := os.Pipe()
	if err != nil {
		return err
	}
	s.add(child, w)
	p.stdin = &input{w: w, r: r}
	return nil
}

func (p *pipes) null(mode int) error {
	f, err := os.OpenFile(os.DevNull, mode, 0)
	if err == nil {
		p.child, p.made = append(p.child, f), append(p.made, f)
	}
	return err
}

func (p *pipes) add(child, ours *os.File) {
	p.child, p.made = append(p.child, child), append(p.made, child)
	p.ours = append(p.ours, ours)
}

// input feeds a reader to the child.
type input struct {
	w *os.File
	r io.Reader
}

// copy ends at the reader's end, or with the first write after the child has
// closed its side. Its errors are the child's business.
func (i *input) copy() {
	_, _ = io.Copy(i.w, i.r)
	i.w.Close()
}

// output carries one stream of the child to its writer.
type output struct {
	r    *os.File
	w    io.Writer
	err  error // the first error of r or w; read after done
	done chan struct{}
}

func (o *output) copy() {
	defer close(o.done)
	defer o.r.Close()
	buf := make([]byte, pipeBuffer)
	for {
		n, err := o.r.Read(buf)
		o.write(buf[:n])
		if errors.Is(err, os.ErrDeadlineExceeded) {
			o.rest(buf)
			return
		}
		if err != nil {
			if err != io.EOF && o.err == nil {
				o.err = fmt.Errorf("read output: %w", err)
			}
			return
		}
	}
}

// cut ends the copying and waits for that. Where a pipe knows no deadline its last
// holder died with the tree.
func (o *output) cut() {
	_ = o.r.SetReadDeadline(time.Now())
	<-o.done
}

func (o *output) write(b []byte) {
	if o.err == nil && len(b) > 0 {
		_, o.err = o.w.Write(b)
	}
}

// rest takes what lies in the pipe when its time is over, without waiting for
// more: a slow writer must not cost the last lines of a command.
func (o *output) rest(buf []byte) {
	if o.r.SetReadDeadline(time.Time{}) != nil {
		return
	}
	conn, err := o.r.SyscallConn()
	if err != nil {
		return
	}
	for left := maxRest; left > 0; {
		n := 0
		err := conn.Read(func(fd uintptr) bool {
			n = readNow(fd, buf)
			return true
		})
		if err != nil || n <= 0 {
			return
		}
		o.write(buf[:n])
		left -= n
	}
}

func (o *output) goesOn() bool {
	select {
	case <-o.done:
		return false
	default:
		return true
	}
}

// awaitOutput waits until all output is read, for Drain at most.
func (p *Process) awaitOutput() {
	if !slices.ContainsFunc(p.outputs, (*output).goesOn) {
		return
	}
	over := time.After(p.drain)
	for _, o := range p.outputs {
		select {
		case <-o.done:
		case <-p.killed:
			return
		case <-over:
			return
		}
	}
}

// cutOutput ends the copying, whoever still holds the other end, and returns
// the first error of reading or writing it. The writers are no longer used when it returns.
func (p *Process) cutOutput() error {
	if p.stdin != nil {
		p.stdin.w.Close()
	}
	var first error
	for _, o := range p.outputs {
		o.cut()
		if first == nil {
			first = o.err
		}
	}
	return first
}
