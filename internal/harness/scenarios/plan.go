package scenarios

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// Selection says which scripts are meant.
type Selection struct {
	// Paths are files and folders; Match is found in the names of the scripts.
	Paths []string
	Match *regexp.Regexp
	// Agents are the names of those that scripts for any agent run with.
	Agents []string
	// Update says that scripts are to be rewritten, which one agent alone may.
	Update bool
	// Mode says what answers the agents, Models which models that is, none for those of
	// the cassettes or of the agents. Record keeps what real models answer.
	Mode   Mode
	Models Models
	Record bool
	// FailedIn are results: of their scripts only those that failed or did not run are
	// meant. Empty for all.
	FailedIn string
	// Part is the one of all of them that is meant, by the times in the file Timings,
	// which need not be there.
	Part    Part
	Timings string
}

// Plan is a selection that was looked up.
type Plan struct {
	Selection
	// Scripts are those to run.
	Scripts []Script
	// All are the ids of the scripts of all parts, in order.
	All []string
	// Times are how long scripts took, by id; Found says that there was a file of them.
	Times map[string]int64
	Found bool
	// Gone are the ids in it of scripts that are no more.
	Gone []string
	// NoneFailed says that nothing is to run again.
	NoneFailed bool
}

// ErrNothing reports that a selection has no script.
var ErrNothing = errors.New("nothing to run")

// Find looks up a selection.
func (s Selection) Find(ctx context.Context) (*Plan, error) {
	all, others, err := s.scripts()
	if err != nil {
		return nil, err
	}
	p := &Plan{Selection: s}
	matching := all
	if s.FailedIn != "" {
		if matching, err = onlyFailed(ctx, s.FailedIn, all, others); err != nil {
			return nil, err
		}
		p.NoneFailed = len(matching) == 0
	}
	for _, one := range matching {
		p.All = append(p.All, one.ID)
	}
	if s.Timings != "" {
		if p.Times, p.Found, err = ReadTimings(s.Timings); err != nil {
			return nil, err
		}
		p.Gone = gone(p.Times)
	}
	p.Scripts = matching
	if s.Part != (Part{}) {
		mine := p.Split(s.Part.N)[s.Part.I-1]
		p.Scripts = slices.DeleteFunc(matching, func(one Script) bool { return !slices.Contains(mine.IDs, one.ID) })
	}
	return p, nil
}

// Split shares the scripts of a plan out among total parts.
func (p *Plan) Split(total int) []Share { return Split(p.All, p.Times, total) }

// scripts returns what the paths and agents stand for, as far as their names match,
// and the ids of the files that do not. No two have one id.
func (s Selection) scripts() (all []Script, others map[string]bool, err error) {
	paths := s.Paths
	if len(paths) == 0 {
		paths = []string{"."}
	}
	found, err := Find(paths)
	if err != nil {
		return nil, nil, err
	}
	others = map[string]bool{}
	for _, one := range found {
		if s.Match == nil || s.Match.MatchString(scriptName(one.File)) {
			all = append(all, one)
		} else {
			others[scriptID(one.File, "", "")] = true
		}
	}
	if len(all) == 0 {
		return nil, nil, fmt.Errorf("%w: no script has a name that matches --run %q", ErrNothing, shown(s.Match.String()))
	}
	if all, err = s.forAgents(all); err != nil {
		return nil, nil, err
	}
	if all, err = s.byModel(all); err != nil {
		return nil, nil, err
	}
	places := map[string]Script{}
	for i := range all {
		id := all[i].id()
		if other, ok := places[id]; ok {
			return nil, nil, hint.With(fmt.Errorf("%s and %s have the same id %s", other, all[i], shown(id)),
				"rename a scenario, or run the models one after the other: results and timings go by ids")
		}
		all[i].ID, places[id] = id, all[i]
	}
	return all, others, nil
}

// onlyFailed returns those of the scripts that failed in the results of a file, or
// were planned there and did not run. others are the ids of files that are there and
// not asked for.
func onlyFailed(ctx context.Context, file string, all []Script, others map[string]bool) ([]Script, error) {
	r, err := ReadResults(ctx, file)
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, id := range r.Planned {
		wanted[id] = true
	}
	for _, s := range r.Scenarios {
		wanted[s.ID] = r.Fails(s)
	}
	var again []Script
	for _, s := range all {
		if wanted[s.ID] {
			again = append(again, s)
			delete(wanted, s.ID)
		}
	}
	var lost []string
	for _, id := range r.Planned {
		if wanted[id] && !slices.ContainsFunc(filesOf(id), func(file string) bool { return others[file] }) {
			lost = append(lost, id)
		}
	}
	if len(lost) > 0 {
		are := "are"
		if len(lost) == 1 {
			are = "is"
		}
		return nil, hint.With(fmt.Errorf("%s failed in %s and %s not among the scripts here: %s",
			term.Counted(len(lost), "scenario"), shown(file), are, someOf(lost)),
			"start in the folder and give the paths and agents that it was run with; of scenarios that are gone for good, run the others without --rerun-failed")
	}
	return again, nil
}

// filesOf returns the files that an id can be of: it may end with # and an agent and with
// # and a model, as may the name of a file.
func filesOf(id string) (files []string) {
	for range 3 {
		files = append(files, id)
		if i := strings.LastIndex(id, "#"); i >= 0 {
			id = id[:i]
		}
	}
	return files
}

// gone returns the ids of scripts that are no more, in order.
func gone(times map[string]int64) (ids []string) {
	for id := range times {
		there := func(file string) bool { _, err := os.Lstat(file); return !errors.Is(err, fs.ErrNotExist) }
		if !slices.ContainsFunc(filesOf(id), there) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// maxNamed bounds the ids that a message names.
const maxNamed = 5

// someOf names the first ids and counts the others.
func someOf(ids []string) string {
	var names []string
	for _, id := range ids[:min(len(ids), maxNamed)] {
		names = append(names, shown(id))
	}
	text := strings.Join(names, ", ")
	if more := len(ids) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// shown is foreign text in a message.
func shown(text string) string { return term.OneLine(text, maxShown) }

const maxShown = 200

// Notes say what may not be expected of a plan: of the files of timings and of
// results that it was made by.
func (p *Plan) Notes() (notes []string) {
	if p.Timings != "" && !p.Found {
		notes = append(notes, fmt.Sprintf("there is no %s yet: no time is known, and every script counts the same", shown(p.Timings)))
	}
	if len(p.Gone) > 0 {
		notes = append(notes, fmt.Sprintf("%s has times of %s that are gone, which do not count: %s", shown(p.Timings), term.Counted(len(p.Gone), "script"), someOf(p.Gone)))
	}
	switch {
	case p.NoneFailed:
		notes = append(notes, fmt.Sprintf("nothing failed in %s: there is nothing to run again", shown(p.FailedIn)))
	case p.Part.N > 0 && len(p.Scripts) == 0:
		notes = append(notes, fmt.Sprintf("part %s has nothing to run: %s in all", p.Part, term.Counted(len(p.All), "script")))
	}
	return notes
}

// listVersion names the form of the JSON about scripts that were only listed.
const listVersion = "openagent.test_list.v1"

// WriteList prints the scripts of a plan, their ids for people.
func (p *Plan) WriteList(w io.Writer, asJSON bool) error {
	if asJSON {
		return p.writeListJSON(w)
	}
	for _, s := range p.Scripts {
		if _, err := fmt.Fprintln(w, shown(s.ID)); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plan) writeListJSON(w io.Writer) error {
	type script struct {
		ID    string  `json:"id"`
		File  string  `json:"file"`
		Agent *string `json:"agent"`
		MS    *int64  `json:"ms"` // as it was known
	}
	list := make([]script, len(p.Scripts))
	for i, s := range p.Scripts {
		list[i] = script{ID: s.ID, File: escaped(s.File)}
		if s.Agent != "" {
			list[i].Agent = &s.Agent
		}
		if ms, ok := p.Times[s.ID]; ok {
			list[i].MS = &ms
		}
	}
	return jsontext.WriteIndented(w, map[string]any{"version": listVersion, "scripts": list})
}

// Matrix returns what a plan shared out among total parts is to a matrix of GitHub Actions,
// with only the parts that have something to do, and whether there are any.
func (p *Plan) Matrix(total int) (matrix []byte, work bool, err error) {
	type job struct {
		Shard  string `json:"shard"`
		Number int    `json:"number"` // for names that no slash can be in
		MS     *int64 `json:"est_ms"`
	}
	jobs := []job{}
	for _, s := range p.Split(total) {
		if len(s.IDs) > 0 {
			jobs = append(jobs, job{s.String(), s.I, s.Estimate})
		}
	}
	matrix, err = json.Marshal(map[string]any{"include": jobs})
	return matrix, len(jobs) > 0, err
}
