package process

import (
	"context"
	"fmt"
	"io"

	"github.com/openagent-ci/openagent/internal/platform/key"
)

// MaxInput bounds a prompt, a policy, a script, in bytes.
const MaxInput = 16 << 20

// Read reads a named file whole, of MaxInput at most.
func (p Env) Read(ctx context.Context, name string) ([]byte, error) {
	return p.ReadUpTo(ctx, name, MaxInput)
}

// ReadUpTo reads a named file whole; one of more than most bytes is an error.
func (p Env) ReadUpTo(ctx context.Context, name string, most int64) ([]byte, error) {
	f, err := p.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadUpTo(f, name, most)
}

// ReadUpTo reads to the end of what errors call name; more than most bytes are
// an error.
func ReadUpTo(from io.Reader, name string, most int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(from, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > most {
		return nil, fmt.Errorf("%s is larger than %d bytes", name, most)
	}
	return b, nil
}

// ReadStdin reads standard input whole, of MaxInput at most; errors call it
// name. It ends with ctx.
func (p *Process) ReadStdin(ctx context.Context, name string) ([]byte, error) {
	return Await(ctx, func() ([]byte, error) { return ReadUpTo(p.In, name, MaxInput) })
}

// ReadKey reads a key, or what a harness hands over in its place, from a file,
// or from standard input where that is named. It ends with ctx.
func (p *Process) ReadKey(ctx context.Context, name string) (key.Handover, error) {
	return Await(ctx, func() (key.Handover, error) {
		if name == key.Stdin {
			return key.Read(p.In)
		}
		return key.ReadFile(p.Path(name))
	})
}
