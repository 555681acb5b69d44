package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/openagent-ci/openagent/internal/github/job"
)

// fetch returns the arguments with the folders of evidence of a run of GitHub Actions in
// place of its name, and what removes these.
func (p *program) fetch(ctx context.Context, args []string) (named []string, remove func(), err error) {
	var dirs []string
	remove = func() {
		for _, dir := range dirs {
			_ = os.RemoveAll(dir) // it is in the temporary folder
		}
	}
	for _, arg := range args {
		if _, missing := p.Stat(arg); missing == nil {
			named = append(named, arg)
			continue
		}
		dir, found, ok, err := job.Download(ctx, &p.Process, arg)
		if dir != "" {
			dirs = append(dirs, dir)
		}
		if err != nil {
			return nil, remove, err
		}
		if !ok {
			found = []string{arg}
		}
		named = append(named, found...)
	}
	return named, remove, nil
}

// one returns the only folder of a run, which may have several artifacts.
func (p *program) one(ctx context.Context, arg string) (string, func(), error) {
	if arg == "" || arg == "-" {
		return arg, func() {}, nil
	}
	found, remove, err := p.fetch(ctx, []string{arg})
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("%s has the evidence of %d runs: download it by gh run download, and name one of its folders", arg, len(found))
	}
	if err != nil {
		return "", remove, err
	}
	return found[0], remove, nil
}
