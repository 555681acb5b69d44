package archive

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// What follows answers the queries of docs/queries from evidence alone, with nothing of
// this package: as somebody would who has a loop and a map.

// line is an event as it stands in a stream.
type line struct {
	Type string         `json:"type"`
	Data map[string]any `json:"data"`
	size int
}

// plainRun is a run as its evidence has it.
type plainRun struct {
	Versions struct {
		Agent struct{ Name, Version string }
	}
	Model    string
	Provider string
	Verdict  string
	Exit     string `json:"exit_reason"`
	Started  time.Time
	Usage    struct {
		Total int64 `json:"total_tokens"`
	}
	Cost   *float64 `json:"cost_usd"`
	Source *struct{ Format string }

	lines    []line
	findings map[string]int64 // by rule
}

func (r *plainRun) day() string { return r.Started.UTC().Format(time.DateOnly) }

// readPlain reads the folder of a run.
func readPlain(t *testing.T, dir string) *plainRun {
	t.Helper()
	r := &plainRun{findings: map[string]int64{}}
	var found struct {
		Files []struct {
			Findings []struct{ Rule string }
			Omitted  map[string]int64
		}
	}
	for name, into := range map[string]any{"manifest.json": r, "findings.json": &found} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range found.Files {
		for _, one := range f.Findings {
			r.findings[one.Rule]++
		}
		for rule, n := range f.Omitted {
			r.findings[rule] += n
		}
	}
	f, err := os.Open(filepath.Join(dir, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		l := line{size: len(in.Bytes()) + 1}
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		r.lines = append(r.lines, l)
	}
	return r
}

// near is a number that a query rounds to so many digits.
type near struct {
	n      float64
	digits int
}

// tally counts by a key of texts.
type tally map[string][]float64

// add adds numbers to those of the key.
func (t tally) add(key []any, numbers ...float64) {
	k, _ := json.Marshal(key)
	if t[string(k)] == nil {
		t[string(k)] = make([]float64, len(numbers))
	}
	for i, n := range numbers {
		t[string(k)][i] += n
	}
}

// rows returns each key followed by what of makes of its numbers.
func (t tally) rows(of func(key []any, n []float64) []any) (rows [][]any) {
	for k, n := range t {
		var key []any
		_ = json.Unmarshal([]byte(k), &key)
		if more := of(key, n); more != nil {
			rows = append(rows, append(key, more...))
		}
	}
	return rows
}

func percent(part, all float64) near { return near{100 * part / all, 1} }

func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// answers has the plain answer of each query.
var answers = map[string]func(runs []*plainRun, results []map[string]any) [][]any{
	"success-rate.sql": func(runs []*plainRun, _ []map[string]any) [][]any {
		t := tally{}
		for _, r := range runs {
			t.add([]any{r.Versions.Agent.Name, r.Versions.Agent.Version, r.Model}, 1, one(r.Verdict == "success"))
		}
		return t.rows(func(_ []any, n []float64) []any { return []any{n[0], n[1], percent(n[1], n[0])} })
	},
	"cost-by-week.sql": func(runs []*plainRun, _ []map[string]any) [][]any {
		t := tally{}
		for _, r := range runs {
			monday := r.Started.UTC().AddDate(0, 0, -int(r.Started.UTC().Weekday()+6)%7)
			t.add([]any{monday.Format(time.DateOnly), r.Versions.Agent.Name}, 1, *r.Cost, float64(r.Usage.Total))
		}
		return t.rows(func(_ []any, n []float64) []any { return []any{n[0], near{n[1], 4}, near{n[1] / n[0], 4}, n[2], 0.0} })
	},
	"flakiest-scenarios.sql": func(_ []*plainRun, results []map[string]any) [][]any {
		t := tally{}
		for _, r := range results {
			for _, s := range r["scenarios"].([]any) {
				s := s.(map[string]any)
				for _, a := range s["attempts"].([]any) {
					t.add([]any{s["id"]}, 1, one(a.(map[string]any)["ok"] != true), 0)
				}
				t.add([]any{s["id"]}, 0, 0, one(s["status"] == "flaky"))
			}
		}
		return t.rows(func(_ []any, n []float64) []any {
			if n[1] == 0 || n[1] == n[0] {
				return nil
			}
			return []any{n[0], n[1], n[2], percent(min(n[1], n[0]-n[1]), n[0])}
		})
	},
	"slowest-tools.sql": func(runs []*plainRun, _ []map[string]any) [][]any {
		all := map[string][]float64{}
		for _, r := range runs {
			for _, l := range r.lines {
				if l.Type == "tool_exec_finished" {
					all[l.Data["tool"].(string)] = append(all[l.Data["tool"].(string)], l.Data["duration_ms"].(float64))
				}
			}
		}
		var rows [][]any
		for tool, ms := range all {
			slices.Sort(ms)
			sum := 0.0
			for _, n := range ms {
				sum += n
			}
			p95 := ms[int(math.Ceil(float64(len(ms))*95/100))-1]
			rows = append(rows, []any{tool, float64(len(ms)), sum, near{sum / float64(len(ms)), 1}, p95, ms[len(ms)-1]})
		}
		return rows
	},
	"denials.sql": func(runs []*plainRun, _ []map[string]any) [][]any {
		t := tally{}
		for _, r := range runs {
			seen := map[string]bool{}
			for _, l := range r.lines {
				if l.Type == "tool_decision" && l.Data["decision"] == "deny" {
					key := []any{r.Versions.Agent.Name, l.Data["tool"], l.Data["source"], l.Data["reason"]}
					t.add(key, 1, one(!seen[fmt.Sprint(key...)]))
					seen[fmt.Sprint(key...)] = true
				}
			}
		}
		return t.rows(func(_ []any, n []float64) []any { return []any{n[0], n[1]} })
	},
	"new-findings.sql": func(runs []*plainRun, _ []map[string]any) [][]any {
		t, first, last := tally{}, map[string]string{}, ""
		for _, r := range runs {
			last = max(last, r.day())
			for rule, n := range r.findings {
				key := []any{r.Versions.Agent.Name, r.Versions.Agent.Version, rule}
				name := fmt.Sprint(key)
				if first[name] == "" || r.day() < first[name] {
					first[name] = r.day()
				}
				t.add(key, 1, float64(n))
			}
		}
		end, _ := time.Parse(time.DateOnly, last)
		return t.rows(func(key []any, n []float64) []any {
			if first[fmt.Sprint(key)] <= end.AddDate(0, 0, -7).Format(time.DateOnly) {
				return nil
			}
			return []any{first[fmt.Sprint(key)], n[0], n[1]}
		})
	},
	"unmapped-drift.sql": func(runs []*plainRun, _ []map[string]any) [][]any {
		t, first, last := tally{}, map[string]string{}, map[string]string{}
		for _, r := range runs {
			source, _ := r.lines[len(r.lines)-1].Data["source"].(map[string]any)
			unmapped, _ := source["unmapped"].(map[string]any)
			for kind, n := range unmapped {
				key := []any{r.Source.Format, r.Versions.Agent.Version, kind}
				name := fmt.Sprint(key)
				if first[name] == "" || r.day() < first[name] {
					first[name] = r.day()
				}
				last[name] = max(last[name], r.day())
				t.add(key, 1, n.(float64))
			}
		}
		return t.rows(func(key []any, n []float64) []any {
			return []any{first[fmt.Sprint(key)], last[fmt.Sprint(key)], n[0], n[1]}
		})
	},
	"failures.sql": func(runs []*plainRun, _ []map[string]any) [][]any {
		t, all := tally{}, map[string]float64{}
		for _, r := range runs {
			all[r.Versions.Agent.Name]++
			if r.Verdict != "success" {
				t.add([]any{r.Versions.Agent.Name, r.Verdict, r.Exit}, 1)
			}
		}
		return t.rows(func(key []any, n []float64) []any { return []any{n[0], percent(n[0], all[key[0].(string)])} })
	},
	"provider-trouble.sql": func(runs []*plainRun, _ []map[string]any) [][]any {
		t := tally{}
		for _, r := range runs {
			seen := map[string]bool{}
			for _, l := range r.lines {
				if strings.HasPrefix(l.Type, "provider_") {
					key := []any{r.day(), r.Provider, r.Model, l.Type, l.Data["kind"]}
					t.add(key, 1, one(!seen[fmt.Sprint(key...)]))
					seen[fmt.Sprint(key...)] = true
				}
			}
		}
		return t.rows(func(_ []any, n []float64) []any { return []any{n[0], n[1]} })
	},
	"stream-makeup.sql": func(runs []*plainRun, _ []map[string]any) [][]any {
		t := tally{}
		for _, r := range runs {
			seen := map[string]bool{}
			for _, l := range r.lines {
				t.add([]any{l.Type}, 1, float64(l.size), one(!seen[l.Type]))
				seen[l.Type] = true
			}
		}
		return t.rows(func(_ []any, n []float64) []any {
			return []any{n[0], n[1], near{n[1] / n[0], 1}, n[2], near{n[0] / n[2], 2}}
		})
	},
}

// equal compares an answer with the plain one, whatever the order of their rows: the
// queries have orders of their own, and their texts tell rows apart.
func equal(got, want [][]any) string {
	texts := func(row []any) (words []string) {
		for _, v := range row {
			if s, ok := v.(string); ok {
				words = append(words, s)
			}
		}
		return words
	}
	order := func(a, b []any) int { return slices.Compare(texts(a), texts(b)) }
	got, want = slices.SortedFunc(slices.Values(got), order), slices.SortedFunc(slices.Values(want), order)
	if len(got) != len(want) {
		return fmt.Sprintf("%d rows, want %d:\n%v\n%v", len(got), len(want), got, want)
	}
	for i := range got {
		if len(got[i]) != len(want[i]) {
			return fmt.Sprintf("row %v, want %v", got[i], want[i])
		}
		for j, v := range want[i] {
			n, isNear := v.(near)
			g, isNumber := got[i][j].(float64)
			if isNear && isNumber && math.Abs(g-n.n) <= 0.5000001*math.Pow10(-n.digits) || got[i][j] == v {
				continue
			}
			return fmt.Sprintf("row %v, want %v", got[i], want[i])
		}
	}
	return ""
}
