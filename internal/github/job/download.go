package job

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// runName is how a run of GitHub Actions is named: by its address, or by repository and
// number.
var runName = lazyregexp.New(`^(?:https://([A-Za-z0-9.-]+)/)?([A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)(?:/actions/runs/|#)([0-9]{1,20})(?:[/?#].*)?$`)

// downloadTime bounds a call of gh, such as the download of a run's artifacts.
const downloadTime = 10 * time.Minute

// Download fetches the evidence of a run of GitHub Actions by gh into a private folder,
// and returns the folders of evidence in it. ok is false for a name that is no such run.
// The caller must remove the private folder.
func Download(ctx context.Context, p *process.Process, name string) (dir string, found []string, ok bool, err error) {
	m := runName().FindStringSubmatch(name)
	if m == nil {
		return "", nil, false, nil
	}
	if dir, err = os.MkdirTemp(p.Temp(), "openagent-run-"); err != nil {
		return "", nil, true, fmt.Errorf("make folder for the evidence: %w", err)
	}
	repository := m[2]
	if m[1] != "" {
		repository = m[1] + "/" + m[2]
	}
	said, err := gh(ctx, p, "run", "download", m[3], "--repo", repository, "--dir", dir)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return dir, nil, true, hint.With(errors.New("gh is not installed"), "install GitHub's command line (https://cli.github.com), or download the artifact and name its folder")
	case err != nil:
		return dir, nil, true, hint.With(fmt.Errorf("download the artifacts of run %s of %s: %s", m[3], m[2], said),
			"log in by gh auth login, or set GH_TOKEN to a token with the permission actions: read")
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == evidence.ManifestFile && !d.IsDir() {
			found = append(found, filepath.Dir(path))
		}
		return err
	})
	if err == nil && len(found) == 0 {
		err = hint.With(fmt.Errorf("run %s of %s has no artifact with evidence%s", m[3], m[2], others(dir)), "name a run whose job uploads the evidence")
	}
	return dir, found, true, err
}

// Attested says, for people, whether gh finds that a workflow of the run's repository
// signed the manifest in a folder of evidence, as the input attest has it done.
func Attested(ctx context.Context, p *process.Process, name, dir string) string {
	m := runName().FindStringSubmatch(name)
	if m == nil {
		return ""
	}
	args := []string{"attestation", "verify", filepath.Join(dir, evidence.ManifestFile), "--repo", m[2]}
	if m[1] != "" && m[1] != "github.com" {
		args = append(args, "--hostname", m[1])
	}
	if said, err := gh(ctx, p, args...); err != nil {
		return fmt.Sprintf("no attestation by %s is verified: %s", m[2], said)
	}
	return "a workflow of " + m[2] + " signed the manifest; gh verified that"
}

// gh runs GitHub's command line, and returns what it said in one line when it failed.
func gh(ctx context.Context, p *process.Process, args ...string) (said string, err error) {
	ctx, cancel := context.WithTimeout(ctx, downloadTime)
	defer cancel()
	out := &clip.Head{Max: 4 << 10}
	cmd := exec.CommandContext(ctx, "gh", args...)
	cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = p.ForeignEnviron(), out, out, time.Second
	if err = cmd.Run(); err != nil {
		said = term.OneLine(out.String()+" ("+err.Error()+")", 300)
	}
	return said, err
}

// others names the artifacts that were downloaded.
func others(dir string) string {
	entries, _ := os.ReadDir(dir) // none where it cannot be read
	var names []string
	for _, e := range entries {
		names = append(names, term.OneLine(e.Name(), 80))
	}
	if names == nil {
		return ""
	}
	return ", but " + strings.Join(names, ", ")
}
