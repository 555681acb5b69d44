// Package resume reads the earlier run that a new one continues, from its evidence
// or record, and refuses one that is not whole.
package resume

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/schema"
)

// Run is a run as far as another one can go on with it.
type Run struct {
	Info record.Saved
	record.Conversation
	Calls []record.Call
	// Git is what the run left in its workspace, nil where that is not known.
	Git *schema.ManifestGit
}

// ours is the name of the agent whose records can be read.
const ours = "openagent"

// The ways out that several errors have.
const (
	copyWhole = "take the evidence, whole, from where it was made"
	newer     = "another version of openagent wrote it: go on with that one"
)

// Read reads the evidence or the run folder in dir.
func Read(ctx context.Context, dir string) (*Run, error) {
	e, err := evidence.Read(dir)
	if err == nil {
		defer e.Close()
		return fromEvidence(ctx, e)
	}
	if errors.Is(err, evidence.ErrVersion) {
		return nil, hint.With(err, newer)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	bare, bareErr := evidence.ReadBare(dir)
	if bareErr != nil {
		return nil, errors.New("there is no such folder")
	}
	defer bare.Close()
	if _, err := bare.Open(evidence.EventsFile); err == nil {
		return nil, hint.With(errors.New("it is evidence without a manifest: the run goes on, or its harness was killed"), copyWhole)
	}
	return read(bare, ".")
}

// fromEvidence reads the record that evidence holds, once all of the evidence is
// found to be as it was saved.
func fromEvidence(ctx context.Context, e *evidence.Saved) (*Run, error) {
	m := e.Manifest
	if a := m.Versions.Agent; m.Source != nil || a != nil && a.Name != ours {
		name := "another agent"
		if a != nil {
			name = a.Name
		}
		return nil, fmt.Errorf("it is evidence of %.60q: only runs of the built-in agent can be gone on with", name)
	}
	again, err := e.Scan(ctx, nil)
	if err != nil {
		again = nil
	}
	if d := e.Problem(again); d != nil {
		way := copyWhole
		if d.OtherVersion {
			way = newer
		}
		return nil, hint.With(fmt.Errorf("the evidence %s: %s", d.Why, strings.Join(d.What, "; ")), way)
	}
	if !record.ValidID(m.RunID) {
		return nil, errors.New("no run began: there is nothing to go on with")
	}
	if evidence.LacksTexts(m) {
		return nil, hint.With(errors.New("the evidence was kept without texts, so without the conversation"), "keep that of a run to go on with by --evidence full")
	}
	folder := path.Join(evidence.ArtifactsDir, m.RunID)
	for _, name := range []string{record.InfoName, record.MessagesName, record.CallsName} {
		if err := listed(m, path.Join(folder, name)); err != nil {
			return nil, err
		}
	}
	r, err := read(e, folder)
	if err == nil && r.Info.RunID != m.RunID {
		err = fmt.Errorf("the record in it is of run %s, the evidence of run %s", r.Info.RunID, m.RunID)
	}
	if err != nil {
		return nil, err
	}
	r.Git = m.Git
	return r, nil
}

// listed returns an error for a file that the manifest has no digest of.
func listed(m schema.Manifest, name string) error {
	if slices.ContainsFunc(m.Files, func(f schema.ManifestFile) bool { return f.Path == name }) {
		return nil
	}
	why := "the manifest does not list it"
	short := strings.TrimPrefix(name, evidence.ArtifactsDir+"/")
	for _, out := range m.LeftOut {
		if out.Path == name || out.Path == short {
			why = "it was left out: " + out.Why
		}
	}
	return hint.With(fmt.Errorf("the evidence lacks %s: %.200s", name, why), copyWhole)
}

// opener opens the regular files of a folder; no link leads out of it.
type opener interface {
	Open(name string) (*os.File, error)
}

// read reads the record in a folder.
func read(in opener, folder string) (r *Run, err error) {
	r = &Run{}
	if err := each(in, folder, record.InfoName, func(f *os.File) error {
		r.Info, err = record.ReadInfo(f)
		return err
	}); errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("it holds neither evidence nor a run")
	} else if errors.Is(err, record.ErrVersion) {
		return nil, hint.With(err, newer)
	} else if err != nil {
		return nil, err
	}
	err = each(in, folder, record.MessagesName, func(f *os.File) error {
		r.Conversation, err = record.ReadConversation(f)
		return err
	})
	if err != nil {
		return nil, err
	}
	var digest string
	err = each(in, folder, record.CallsName, func(f *os.File) error {
		r.Calls, digest, err = record.ReadCalls(f)
		return err
	})
	if err != nil {
		return nil, err
	}
	return r, r.check(digest)
}

// each opens a file for use, and names it in the error.
func each(in opener, folder, name string, use func(*os.File) error) error {
	f, err := in.Open(filepath.Join(filepath.FromSlash(folder), name))
	if err == nil {
		defer f.Close()
		err = use(f)
	}
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		err = at.Err
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// check compares the files with what the record says of them. Nothing vouches for
// those of a run that was killed but the chain of its messages.
func (r *Run) check(calls string) error {
	if r.RunID != r.Info.RunID {
		return fmt.Errorf("%s is of run %.64q, the record of run %.64q", record.MessagesName, r.RunID, r.Info.RunID)
	}
	if r.Info.Outcome == nil {
		return nil
	}
	for _, file := range []struct{ name, digest string }{{record.MessagesName, r.Digest}, {record.CallsName, calls}} {
		if want := r.Info.Lines[file.name]; want != file.digest {
			return hint.With(fmt.Errorf("%s is not as the run left it: SHA-256 is %s, %s has %.64q", file.name, file.digest, record.InfoName, want),
				"take the record from where it was made")
		}
	}
	return nil
}

// Requests returns how many requests of the conversation were answered.
func (r *Run) Requests() int {
	if r.Info.Outcome != nil {
		return max(r.Info.Outcome.Requests, r.Conversation.Requests)
	}
	return r.Conversation.Requests
}

// ID returns the id of the run, nil where there is none.
func (r *Run) ID() *string {
	if r == nil {
		return nil
	}
	return &r.Info.RunID
}

// Flag returns an effective flag of the run that is a text.
func (r *Run) Flag(name string) string {
	text, _ := r.Info.CLI[name].(string)
	return text
}
