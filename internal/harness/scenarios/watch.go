package scenarios

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/openagent-ci/openagent/internal/platform/process"
)

// watchEvery is how often the files of scripts are looked at.
const watchEvery = 300 * time.Millisecond

// Watch runs the scripts that find finds, then again and again those that are new or
// were changed, until ctx ends, which is no error. find may fail meanwhile: somebody
// is at work on the files.
func Watch(ctx context.Context, p *process.Process, find func() (*Plan, error), o Options) error {
	seen := map[string]stamp{}
	wrong := ""
	for first := true; ctx.Err() == nil; first = false {
		plan, err := find()
		switch {
		case err != nil && first:
			return err
		case err != nil:
			if err.Error() != wrong {
				wrong = err.Error()
				fmt.Fprintf(p.Err, "openagent: %s\n", shown(wrong))
			}
		default:
			wrong = ""
			plan.Scripts = slices.DeleteFunc(plan.Scripts, func(s Script) bool { return !changed(seen, s) })
			if err := watchOnce(ctx, p, plan, o); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(watchEvery):
		}
	}
	return nil
}

func watchOnce(ctx context.Context, p *process.Process, plan *Plan, o Options) error {
	if len(plan.Scripts) == 0 {
		return nil
	}
	if _, err := Run(ctx, p, plan, o); err != nil {
		return err
	}
	if ctx.Err() == nil {
		fmt.Fprintln(p.Err, "openagent: waiting for a script to change; end by ctrl-c")
	}
	return nil
}

// stamp shows whether a file has changed.
type stamp struct {
	size     int64
	modified time.Time
}

// changed reports whether the file of a script is another one than was seen, and
// sees it. One that cannot be looked at is looked at again.
func changed(seen map[string]stamp, s Script) bool {
	info, err := os.Stat(s.File)
	if err != nil {
		delete(seen, s.ID)
		return false
	}
	now := stamp{info.Size(), info.ModTime()}
	if seen[s.ID] == now {
		return false
	}
	seen[s.ID] = now
	return true
}
