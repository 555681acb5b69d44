package scenarios

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/scenarioresult"

	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// Merged are the results of several machines put together.
type Merged struct {
	// Doc has every planned scenario that ran, once, in the order of the plan.
	Doc    schema.TestResults
	Faults []scenarioresult.Fault
	// parts have the scenarios, by their ids.
	parts map[string]part
}

// part is what one folder holds.
type part struct {
	dir    string
	doc    schema.TestResults
	listed evidence.Listed
}

// ReadParts reads the folders of results that dirs name, or that lie directly in
// them, and puts them together. version is that of this program. What of a folder is
// not to be believed is left out, and said among the faults.
func ReadParts(dirs []string, version string) Merged {
	m := Merged{Doc: schema.TestResults{Tool: schema.Agent{Name: "openagent", Version: version}}}
	var parts []part
	for _, dir := range folders(dirs) {
		p, err := readPart(dir)
		if err != nil {
			m.fault(scenarioresult.RuleUnread, dir, err.Error())
			continue
		}
		parts = append(parts, p)
	}
	m.join(m.alike(parts, version))
	return m
}

// folders returns the folders of results, each once: those in a folder that holds
// none itself, in order.
func folders(dirs []string) (all []string) {
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		below := slices.DeleteFunc(slices.Clone(entries), func(e os.DirEntry) bool { return !e.IsDir() })
		own := slices.ContainsFunc(entries, func(e os.DirEntry) bool {
			return e.Name() == evidence.ResultsFile || e.Name() == evidence.SumsFile
		})
		if err != nil || own || len(below) == 0 {
			all = append(all, filepath.Clean(dir))
			continue
		}
		for _, e := range below {
			all = append(all, filepath.Join(dir, e.Name()))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func readPart(dir string) (p part, err error) {
	p.dir = dir
	text, listed, err := evidence.ReadResults(dir)
	if err != nil {
		return p, err
	}
	p.listed = listed
	if p.doc, err = schema.DecodeTestResults(text); err != nil {
		return p, fmt.Errorf("%s: %w", evidence.ResultsFile, err)
	}
	for _, s := range p.doc.Scenarios {
		if s.Evidence != nil && len(listed.Below(*s.Evidence)) == 0 {
			return p, fmt.Errorf("%s names evidence in %s, and %s lists no file there", evidence.ResultsFile, shown(*s.Evidence), evidence.SumsFile)
		}
	}
	return p, nil
}

func (m *Merged) fault(rule, file, message string) {
	m.Faults = append(m.Faults, scenarioresult.Fault{Rule: rule, File: file, Message: message})
}

// alike returns the parts that are of one commit, one version and one plan, in the
// order of their numbers.
func (m *Merged) alike(parts []part, version string) []part {
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(number(a.doc), number(b.doc)) })
	commit := usual(parts, func(d schema.TestResults) string { return orNone(d.Commit) })
	plan := usual(parts, func(d schema.TestResults) string { return strings.Join(whole(d), "\x00") })
	minPass := usual(parts, func(d schema.TestResults) string { return must(d) })
	return slices.DeleteFunc(parts, func(p part) bool {
		tool := schema.Agent{Name: "openagent", Version: version}
		switch {
		case p.doc.Tool != tool:
			m.fault(scenarioresult.RuleVersion, p.dir, fmt.Sprintf("its results are of %s %s, and this is %s %s", shown(p.doc.Tool.Name), shown(p.doc.Tool.Version), tool.Name, tool.Version))
		case orNone(p.doc.Commit) != commit:
			m.fault(scenarioresult.RuleCommit, p.dir, fmt.Sprintf("its results are of commit %s, the others of %s", shown(orNone(p.doc.Commit)), shown(commit)))
		case strings.Join(whole(p.doc), "\x00") != plan:
			m.fault(scenarioresult.RulePlan, p.dir, fmt.Sprintf("it shared out %s, which are others than the %d of the others", term.Counted(len(whole(p.doc)), "scenario"), strings.Count(plan, "\x00")+1))
		case must(p.doc) != minPass:
			m.fault(scenarioresult.RulePlan, p.dir, fmt.Sprintf("of the attempts of a scenario %s must pass, in the others %s", must(p.doc), minPass))
		default:
			return false
		}
		return true
	})
}

// number is that of a part, 0 for one that is no part.
func number(d schema.TestResults) int {
	if d.Shard == nil {
		return 0
	}
	p, err := ParsePart(*d.Shard)
	if err != nil {
		return 0
	}
	return p.I
}

// whole are the ids of all that was shared out.
func whole(d schema.TestResults) []string {
	if d.Shard == nil {
		return d.Planned
	}
	return d.Plan
}

func orNone(text *string) string {
	if text == nil {
		return "none"
	}
	return *text
}

func must(d schema.TestResults) string {
	if d.MinPass == nil {
		return "all"
	}
	return fmt.Sprint(*d.MinPass)
}

// usual returns the value that most parts have, of several the one that came first.
func usual(parts []part, of func(schema.TestResults) string) (most string) {
	count := map[string]int{}
	for _, p := range parts {
		count[of(p.doc)]++
	}
	for _, p := range parts {
		if v := of(p.doc); count[v] > count[most] {
			most = v
		}
	}
	return most
}

// join puts the parts together, by the order of the plan.
func (m *Merged) join(parts []part) {
	if len(parts) == 0 {
		return
	}
	first := parts[0].doc
	m.Doc = schema.TestResults{Tool: first.Tool, Commit: first.Commit, MinPass: first.MinPass, Planned: whole(first)}
	for _, p := range parts {
		if at := p.doc.Started; at != nil && (m.Doc.Started == nil || at.Before(*m.Doc.Started)) {
			m.Doc.Started = at
		}
	}
	planned, ran := map[string][]string{}, map[string]schema.TestScenario{}
	m.parts = map[string]part{}
	for _, p := range parts {
		for _, id := range p.doc.Planned {
			planned[id] = append(planned[id], p.dir)
		}
		for _, s := range p.doc.Scenarios {
			if _, there := ran[s.ID]; !there {
				ran[s.ID], m.parts[s.ID] = s, p
			}
		}
	}
	for _, id := range m.Doc.Planned {
		scenario, there := ran[id]
		switch by := planned[id]; {
		case len(by) > 1:
			m.fault(scenarioresult.RuleDoubled, id, fmt.Sprintf("it was planned by %s: the first of them counts here", someOf(by)))
		case len(by) == 0:
			m.fault(scenarioresult.RuleMissing, id, "it did not run: no folder has the results of its part")
		case !there:
			m.fault(scenarioresult.RuleMissing, id, fmt.Sprintf("it did not run: its part ended before, see %s", shown(by[0])))
		}
		if there {
			m.Doc.Scenarios = append(m.Doc.Scenarios, scenario)
		}
	}
}

// Merge prints what was put together, writes it and reports to a job, as Run does of what
// it ran. The result is nil when there was nothing; beside an error it is not.
func Merge(ctx context.Context, p *process.Process, m Merged, times map[string]int64, o Options) (*Result, error) {
	s := &suite{Process: p, opts: o, plan: &Plan{Times: times}}
	pub, err := s.openResults()
	if err != nil {
		return nil, err
	}
	m.adoptEvidence(pub.folder, o.Dir)
	totals := scenarioresult.Totals{
		Command: "merge", Faults: m.Faults, AllowSkip: o.AllowSkip,
		Origin: report.Origin{Version: o.Version, Job: job.Current(p.Getenv)},
	}
	if at := m.Doc.Started; at != nil {
		totals.Started = *at
	}
	var files []string
	for _, one := range m.Doc.Scenarios {
		files = append(files, one.File)
	}
	names := scriptNames(files)
	for i, one := range m.Doc.Scenarios {
		script := scriptOf(m.Doc, one)
		script.Name = names[i]
		totals.Scripts, totals.Time = append(totals.Scripts, script), totals.Time+script.Time
	}
	if o.Baseline != nil {
		totals.Comparison = compare(*o.Baseline, m.Doc, o.Limits)
	}
	pub.doc = func(scenarioresult.Totals) schema.TestResults { return m.Doc }
	if pub.times, err = m.timings(times).Encode(); err != nil {
		return nil, err
	}
	if pub.redactor != nil {
		for i := range totals.Scripts {
			totals.Scripts[i].Log = pub.redactor.String(totals.Scripts[i].Log)
		}
	}
	err = s.print(totals)
	v := runner.VerdictSuccess
	if totals.Failures()+totals.Worse() > 0 || len(m.Faults) > 0 || totals.NothingRan() || err != nil {
		v = runner.VerdictFailure
	}
	if ctx.Err() != nil {
		v = runner.VerdictCancelled
	}
	if o.Timings != "" {
		err = errors.Join(err, WriteTimings(o.Timings, m.timings(times).Scenarios))
	}
	why := nothing(totals)
	if len(m.Faults) > 0 {
		why = "" // each was named
	}
	return &Result{Verdict: v, Missing: len(m.Doc.Planned) - len(m.Doc.Scenarios), Nothing: why}, errors.Join(err, pub.conclude(v, totals))
}

// adoptEvidence copies the kept evidence of scenarios into the folder for the results, to
// where it would be without parts, and lets their logs name it there. Without a folder
// nothing has it, and the logs name that of the part.
func (m *Merged) adoptEvidence(to *evidence.Results, dir string) {
	for i := range m.Doc.Scenarios {
		s := &m.Doc.Scenarios[i]
		if s.Evidence == nil {
			continue
		}
		from, kept := m.parts[s.ID], strings.SplitN(*s.Evidence, "/", 3) // evidence, scenario, attempt and run
		s.Evidence = nil
		if len(kept) < 3 || !fs.ValidPath(kept[2]) {
			m.fault(scenarioresult.RuleUnread, s.ID, fmt.Sprintf("its evidence cannot be at %s", shown(strings.Join(kept, "/"))))
			continue
		}
		place := path.Join(kept[:2]...)
		now := filepath.Join(from.dir, place)
		if to != nil {
			target := path.Join(evidence.EvidenceDir, evidenceName(slices.Index(m.Doc.Planned, s.ID), s.ID))
			if err := to.Adopt(from.dir, from.listed, place, target); err != nil {
				m.fault(scenarioresult.RuleUnread, s.ID, fmt.Sprintf("its evidence cannot be copied: %v", err))
				continue
			}
			s.Evidence, now = new(path.Join(target, kept[2])), filepath.Join(dir, target)
		}
		s.Log = moved(s.Log, kept[1], now)
	}
}

// moved returns a log in which the lines about the evidence in a scenario's folder, by the
// name of that, say where the folder is now.
func moved(log, name, now string) string {
	line := regexp.MustCompile(`(?m)^( *evidence +| *next: openagent \w+ )\S.*[/\\]` + regexp.QuoteMeta(name) + `[/\\]([^'\n]+)'?$`)
	return line.ReplaceAllStringFunc(log, func(text string) string {
		found := line.FindStringSubmatch(text)
		file := filepath.Join(now, strings.ReplaceAll(found[2], `\`, "/"))
		if strings.HasSuffix(strings.TrimRight(found[1], " "), evidence.EvidenceDir) {
			return found[1] + file
		}
		return found[1] + report.ShellWord(file)
	})
}

// print prints the results; for people those that passed are counted.
func (s *suite) print(totals scenarioresult.Totals) error {
	form := s.opts.Form
	var err error
	for _, one := range totals.Scripts {
		if form.Each != nil && err == nil && !(s.opts.Readable && one.Outcome == scenarioresult.Passed) {
			err = form.Each(s.Out, one)
		}
	}
	if form.Done != nil && err == nil {
		err = form.Done(s.Out, totals)
	}
	if err != nil {
		return fmt.Errorf("print results: %w", err)
	}
	return nil
}

// timings are how long the planned scenarios took, or took before.
func (m Merged) timings(before map[string]int64) schema.Timings {
	t := schema.Timings{Scenarios: map[string]int64{}}
	for _, id := range m.Doc.Planned {
		if ms, ok := before[id]; ok {
			t.Scenarios[id] = ms
		}
	}
	addTimes(t.Scenarios, m.Doc.Scenarios, before)
	return t
}

// Gone says which of the scripts that a time is known of are no more, empty for none.
func (m Merged) Gone(times map[string]int64) string {
	var ids []string
	for id := range times {
		if len(m.Doc.Planned) > 0 && !slices.Contains(m.Doc.Planned, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	slices.Sort(ids)
	return fmt.Sprintf("times of %s that were not planned are left out: %s", term.Counted(len(ids), "script"), someOf(ids))
}
