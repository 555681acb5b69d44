package comment

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/term"
)

const (
	// callTime bounds one call of the API.
	callTime = time.Minute
	// maxAnswer bounds what is read of an answer in bytes: a hundred comments.
	maxAnswer = 32 << 20
)

// client calls the API of GitHub by gh, which runners have and which holds the token.
type client struct {
	host    string
	environ []string
}

// call sends a request, with a body unless that is nil, and decodes the answer unless
// nobody wants it.
func (c client) call(ctx context.Context, method, path string, body, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	args := []string{"api", "--hostname", c.host, "--method", method, "--header", "X-GitHub-Api-Version: 2022-11-28"}
	cmd := exec.CommandContext(ctx, "gh")
	if body != nil { // never an argument: what is posted has no place in a list of processes
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		args, cmd.Stdin = append(args, "--input", "-"), bytes.NewReader(text)
	}
	out, said := &clip.Head{Max: maxAnswer}, &clip.Head{Max: 4 << 10}
	cmd.Args, cmd.Env, cmd.Stdout, cmd.Stderr = append(append(cmd.Args, args...), path), c.environ, out, said
	cmd.WaitDelay = time.Second
	switch err := cmd.Run(); {
	case errors.Is(err, exec.ErrNotFound):
		return hint.With(errors.New("gh is not installed"), "install GitHub's command line, which hosted runners have: https://cli.github.com")
	case ctx.Err() != nil:
		return fmt.Errorf("no answer within %s", callTime)
	case err != nil:
		return hint.With(fmt.Errorf("gh api: %s", term.OneLine(said.String()+" ("+err.Error()+")", 300)),
			"the token (GH_TOKEN, input token) needs permissions: pull-requests: write")
	case out.Over:
		return fmt.Errorf("the answer is longer than %d bytes", maxAnswer)
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(out.Bytes(), answer); err != nil {
		return fmt.Errorf("the answer of the API is not what was asked for: %w", err)
	}
	return nil
}
