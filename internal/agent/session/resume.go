package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/agent/history"
	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/evidence/resume"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/tool/git"
)

// readEarlier reads the run that this one goes on with, nil for none.
func (s *setup) readEarlier(ctx context.Context) (*resume.Run, error) {
	if s.Resume == "" {
		return nil, nil
	}
	dir, err := evidence.Find(s.Env, s.StateDir, s.Resume)
	if _, missing := os.Stat(dir); missing != nil && err == nil && dir != s.Path(s.Resume) {
		err = hint.With(fmt.Errorf("there is no such folder, and %s has no run of that id", filepath.Dir(dir)), "name the state folder by --state-dir")
	}
	var earlier *resume.Run
	if err == nil {
		earlier, err = resume.Read(ctx, dir)
	}
	if errors.Is(err, record.ErrID) {
		err = fmt.Errorf("there is no such folder, and it can be no id of a run: %w", err)
	}
	if err != nil {
		return nil, before(codeResume, fmt.Errorf("go on with %s: %w", s.Resume, err))
	}
	if earlier.Torn {
		s.Logger().Warn("the earlier run was killed while it wrote; half a line is left out", "run", earlier.Info.RunID)
	}
	return earlier, nil
}

// skip passes over what the model's stand-in gave the earlier run.
func (s *setup) skip(earlier *resume.Run, m model) error {
	if earlier == nil {
		return nil
	}
	if m.source.Records() {
		return before(codeResume, errors.New("a cassette that is recorded from the middle of a conversation could not be replayed")).
			or("leave out --cassette, or record the whole conversation in one run")
	}
	m.source.Skip(earlier.Requests())
	return nil
}

// restore returns the conversation that the run goes on with, nil for none, and warns
// of what is not as it was.
func (s *setup) restore(q request, m model, cfg agent.Config, root string) (*agent.Restored, error) {
	e := q.earlier
	if e == nil {
		return nil, nil
	}
	other := e.Provider != m.provider || e.Flag("api") != string(s.Endpoint.API)
	r, err := agent.Earlier{
		Messages: e.Messages, Calls: e.Calls, Requests: e.Requests(), SameEndpoint: !other || m.source.Replays(),
		TextCalls: e.Flag("tool-calls") != string(agent.CallsNative),
	}.Restore(cfg.Tools)
	if err == nil && !r.Waits && q.prompt == "" {
		err = hint.With(errors.New("the run ended with an answer"), "give a prompt that says what comes next")
	}
	if err != nil {
		return nil, before(codeResume, fmt.Errorf("go on with %s: %w", s.Resume, err))
	}
	s.warnOfChanges(q, m, cfg, root)
	if len(r.Interrupted) > 0 {
		s.Logger().Warn("calls of the earlier run were interrupted; the model sees that, and they are not run again", "calls", strings.Join(r.Interrupted, ", "))
	}
	return r, nil
}

// warnOfChanges says what is another than it was for the earlier run: flags are those
// of this run's command line, and the workspace is as it is found.
func (s *setup) warnOfChanges(q request, m model, cfg agent.Config, root string) {
	e, log := q.earlier, s.Logger()
	if e.Provider != m.provider || e.Model != m.name {
		log.Warn("the earlier run had another model", "was", e.Provider+" "+e.Model, "is", m.provider+" "+m.name)
	}
	var offered []string
	for _, t := range cfg.Tools.Specs() {
		if q.policy.Offers(t.Name) {
			offered = append(offered, t.Name)
		}
	}
	if gone, come := without(e.Tools, offered), without(offered, e.Tools); gone+come != "" {
		log.Warn("the earlier run had other tools", "gone", gone, "new", come)
	}
	if e.Info.PolicySHA256 != q.digest {
		const builtin = "the built-in one"
		log.Warn("the earlier run had another policy", "was", cmp.Or(e.Info.PolicySHA256, builtin), "is", cmp.Or(q.digest, builtin))
	}
	if e.Git == nil {
		return
	}
	state, ok := s.gitState(root)
	if !ok || state.Commit != e.Git.Commit || state.Dirty != e.Git.Dirty {
		log.Warn("the workspace is not as the earlier run left it, and is not restored",
			"was", gitName(e.Git.Commit, e.Git.Dirty), "is", gitName(state.Commit, state.Dirty))
	}
}

// without returns the names of a list that another one lacks.
func without(list, other []string) string {
	lacks := slices.DeleteFunc(slices.Clone(list), func(name string) bool { return slices.Contains(other, name) })
	return strings.Join(lacks, ",")
}

func gitName(commit string, dirty bool) string {
	switch {
	case commit == "":
		return "no commit"
	case dirty:
		return commit + " with changes"
	}
	return commit
}

// gitTime bounds the question to git about the workspace.
const gitTime = 5 * time.Second

// gitState returns the state of the repository of the workspace, if there is one.
func (s *setup) gitState(root string) (git.State, bool) {
	ctx, cancel := context.WithTimeout(s.span, gitTime)
	defer cancel()
	repo, err := git.New(root, git.Options{Path: s.Getenv("PATH"), Timeout: gitTime})
	if err != nil {
		return git.State{}, false
	}
	state, err := repo.State(ctx)
	return state, err == nil
}

// sessionOf returns the options for the session of the earlier run: the run stands in
// it, but what it sends to the model is in its messages.
func (s *setup) sessionOf(earlier *resume.Run, opts history.Options) history.Options {
	if earlier == nil {
		return opts
	}
	opts.Window, opts.Consolidation = 0, nil
	if opts.Session == "" {
		opts.Session = earlier.Session
		_, err := os.Stat(history.File(opts.Dir, opts.Session))
		opts.Passing = opts.Passing && earlier.Flag("session") == "" && err != nil
	}
	return opts
}
