package main

import (
	"strings"
	"testing"
)

func TestReport_WorseAndTooMany(t *testing.T) {
	at := func(name string) mutant {
		return mutant{File: "internal/model/a.go", Function: name, From: "1", To: "2"}
	}
	var many []result
	for i := range mostSurvivors + 1 {
		many = append(many, result{at(string(rune('a' + i))), survived})
	}
	known, err := parseKnown("# head\nkilled " + at("a").id() + "\nequal " + at("z").id() + "  # nobody sees it\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		results []result
		known   map[string]entry
		want    string // in the error, "" for none
	}{
		{"noticed before", many[:1], known, "survive now:\n  internal/model/a.go a: 1 => 2"},
		{"as many as may", many[:mostSurvivors], nil, ""},
		{"one more", many, nil, "13 mutants survive without a reason, at most 12 may"},
		{"equal", []result{{at("z"), equal}, {at("b"), killed}}, known, ""},
	} {
		var out strings.Builder
		err := report(&out, c.results, c.known)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: report = %v, want %q", c.name, err, c.want)
		}
	}
	var out strings.Builder
	_ = report(&out, []result{{at("a"), killed}, {at("z"), equal}, {at("b"), survived}}, known)
	if row := "model             3      1      1        1"; !strings.Contains(out.String(), row) {
		t.Errorf("report prints %q, want a row %q", out.String(), row)
	}
}

func TestKnown_RefusedLines(t *testing.T) {
	for line, want := range map[string]string{
		"equal internal/a.go f: 1 => 2":   "has no reason",
		"dubious internal/a.go f: 1 => 2": "begins with none of",
	} {
		if _, err := parseKnown(line + "\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parseKnown(%q) = %v, want %q", line, err, want)
		}
	}
}
