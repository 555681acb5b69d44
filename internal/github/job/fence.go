package job

import (
	"crypto/rand"
	"fmt"
	"io"
)

// Fence keeps the runner from acting on what is printed until it is closed.
// Nothing that is printed inside can close it: its token is random.
type Fence struct {
	out   io.Writer
	token string
}

// Fence begins a fence in the log. Print foreign text only inside one, and
// annotations only outside.
func (j *Job) Fence() (*Fence, error) {
	f := &Fence{out: j.out, token: rand.Text()}
	_, err := fmt.Fprintf(f.out, "::stop-commands::%s\n", f.token)
	return f, err
}

// Within writes a command that the runner acts on, in spite of the fence. The text before
// and after it stays fenced.
func (f *Fence) Within(out io.Writer, command string) {
	next := rand.Text()
	fmt.Fprintf(out, "::%s::\n%s\n::stop-commands::%s\n", f.token, command, next)
	f.token = next
}

// Close ends the fence: the runner acts on commands again.
func (f *Fence) Close() error {
	_, err := fmt.Fprintf(f.out, "::%s::\n", f.token)
	return err
}
