package main

import (
	"slices"
	"strings"
	"testing"
)

func TestSites_EachKind(t *testing.T) {
	source := []byte(`package p

func (r *reader) next(a, b int) (int, error) {
	defer r.close()
	if a > b && b != 0 {
		r.skip()
		return 3, nil
	}
	r.open = true
	return len("x"), fmt.Errorf("too many %d", a)
}
`)
	found, err := sites("p/p.go", source)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range found {
		got = append(got, m.id())
	}
	slices.Sort(got)
	const head = "p/p.go reader.next: "
	want := []string{
		head + `"x" => ""`,
		head + `0 => 1`,
		head + `3 => 4`,
		head + `3, nil => nil, 3`,
		head + `a > b && b != 0 => !(a > b && b != 0)`,
		head + `a > b && b != 0 => a > b`,
		head + `a > b && b != 0 => b != 0`,
		head + `a > b => a >= b`,
		head + `b != 0 => b == 0`,
		head + `defer r.close() => nothing`,
		head + `len("x"), fmt.Errorf("too many %d", a) => fmt.Errorf("too many %d", a), len("x")`,
		head + `r.skip() => nothing`,
		head + `true => false`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("sites:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The same change in one function twice is two mutants, and each changes its own place.
func TestSites_TwiceTheSame(t *testing.T) {
	source := []byte("package p\n\nfunc f() { g(1); g(1) }\n")
	found, err := sites("p.go", source)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range found {
		if m.From == "1" {
			got = append(got, m.id()+"\n"+string(m.apply(source)))
		}
	}
	want := []string{
		"p.go f: 1 => 2\npackage p\n\nfunc f() { g(2); g(1) }\n",
		"p.go f: 1 => 2 (2)\npackage p\n\nfunc f() { g(1); g(2) }\n",
	}
	if !slices.Equal(got, want) {
		t.Errorf("mutants = %q, want %q", got, want)
	}
}
