package search

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// tree makes a folder of files, by their paths.
func tree(t testing.TB, files map[string]string) *os.Root {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

// found runs a search over a whole tree.
func found(t testing.TB, root *os.Root, o Options) Result {
	t.Helper()
	if o.Max == 0 {
		o.Max = 100
	}
	q, err := Compile(o)
	if err != nil {
		t.Fatalf("Compile(%+v) = %v", o, err)
	}
	r, err := q.Run(context.Background(), root, Scope{Folder: "."})
	if err != nil {
		t.Fatalf("Run(%+v) = %v", o, err)
	}
	return r
}

// places are the paths and lines of matches.
func places(r Result) string {
	var list []string
	for _, m := range r.Matches {
		list = append(list, fmt.Sprintf("%s:%d", m.Path, m.Line))
	}
	return strings.Join(list, " ")
}

func TestRun_WhatIsFound(t *testing.T) {
	root := tree(t, map[string]string{
		"a.txt": "one\ntwo Two\nfoo(bar)\n", "a-b/x": "two\n", "a/x.go": "\ttwo := 1\nend", "dos": "one\r\ntwo\r\n", "utf8": "Straße\nKELVIN \u212a\nſet\n",
		"bin": "two\x00", ".git/config": "two", "sub/.git": "two", ".npmrc": "two", "key": "-----BEGIN RSA PRIVATE KEY-----\ntwo\n", "empty": "", "latin": "\xfctwo\n",
	})
	for _, test := range []struct {
		opts Options
		want string
	}{
		{Options{Text: "two"}, "a-b/x:1 a.txt:2 a/x.go:1 dos:2 latin:1"},
		{Options{Text: "two", IgnoreCase: true, Glob: "*.txt"}, "a.txt:2"},
		{Options{Text: "(bar"}, "a.txt:3"},
		{Options{Text: "(BAR", IgnoreCase: true}, "a.txt:3"},
		{Options{Text: `^two$`, Regex: true}, "a-b/x:1 dos:2"},
		{Options{Text: `o\(|end`, Regex: true}, "a.txt:3 a/x.go:2"},
		{Options{Text: `\bTWO\b`, Regex: true, IgnoreCase: true}, "a-b/x:1 a.txt:2 a/x.go:1 dos:2 latin:1"},
		{Options{Text: `^$`, Regex: true}, ""},
		{Options{Text: `[[:upper:]]`, Regex: true}, "a.txt:2 utf8:1 utf8:2"},
		{Options{Text: "strasse", IgnoreCase: true}, ""},
		{Options{Text: "STRAßE", IgnoreCase: true}, "utf8:1"},
		{Options{Text: "kelvin k", IgnoreCase: true}, "utf8:2"},
		{Options{Text: "SET", IgnoreCase: true}, "utf8:3"},
		{Options{Text: `\x{FFFD}two`, Regex: true}, "latin:1"},
		{Options{Text: "nothing"}, ""},
	} {
		got := found(t, root, test.opts)
		if places(got) != test.want || got.Total != int64(len(got.Matches)) {
			t.Errorf("Run(%+v) = %s of %d, want %s", test.opts, places(got), got.Total, test.want)
		}
		if want := map[bool]int64{true: 7, false: 1}[test.opts.Glob == ""]; got.Files != want {
			t.Errorf("Run(%+v) searched %d files, want %d", test.opts, got.Files, want)
		}
	}
}

func TestRun_TextIsValid(t *testing.T) {
	root := tree(t, map[string]string{"latin": "\xfctwo\n"})
	if got := found(t, root, Options{Text: "two"}); len(got.Matches) != 1 || got.Matches[0].Text != "\ufffdtwo" {
		t.Errorf("Run over bytes that are no text = %+v, want a valid text", got.Matches)
	}
}

func TestCompile_Refuses(t *testing.T) {
	for text, want := range map[string]string{
		"a(b": "error parsing regexp: missing closing ): `a(b`", "(?=x)": "invalid or unsupported Perl syntax", `(a)\1`: "invalid escape sequence", "a\nb": "lines are searched one by one",
	} {
		if _, err := Compile(Options{Text: text, Regex: true, IgnoreCase: true}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Compile(%q) = %v, want %q", text, err, want)
		}
	}
}

func TestGlob(t *testing.T) {
	for glob, want := range map[string]map[string]bool{
		"*.go":           {"a.go": true, "b/c/a.go": true, "a.gox": false, ".go": true},
		"src/*.go":       {"src/a.go": true, "src/b/a.go": false, "x/src/a.go": false},
		"./src/*.go":     {"src/a.go": true},
		"src/**/*.go":    {"src/a.go": true, "src/b/c/a.go": true, "a.go": false},
		"**/test/**":     {"test/a": true, "a/test/b/c": true, "atest/b": false},
		"*.{ts,tsx}":     {"a.ts": true, "b/a.tsx": true, "a.tsy": false, "a.ts,tsx": false},
		"{a,b{c,d}}.txt": {"a.txt": true, "bd.txt": true, "b.txt": false},
		"a?c":            {"abc": true, "x/a-c": true, "ac": false, "a/c": false},
		"a{b":            {"a{b": true, "ab": false},
		"}a{":            {"}a{": true, "a": false},
		"(a)+":           {"(a)+": true, "aa": false},
		"ä*":             {"äb": true, "ab": false},
	} {
		re := globOf(glob)
		for path, want := range want {
			if got := re.MatchString(path); got != want {
				t.Errorf("globOf(%q) matches %q: %v, want %v", glob, path, got, want)
			}
		}
	}
}

// The first matches by path and line are returned whatever the order in which files
// were read, and all are counted.
func TestRun_FirstOfMany(t *testing.T) {
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("d%d/f%03d", i%7, i)] = strings.Repeat("x\n", 5)
	}
	root := tree(t, files)
	for range 5 {
		got := found(t, root, Options{Text: "x", Max: 7})
		if want := "d0/f000:1 d0/f000:2 d0/f000:3 d0/f000:4 d0/f000:5 d0/f007:1 d0/f007:2"; places(got) != want || got.Total != 1500 || got.Files != 300 {
			t.Fatalf("Run = %s of %d in %d files, want %s of 1500 in 300", places(got), got.Total, got.Files, want)
		}
	}
}

func TestRun_ContextLines(t *testing.T) {
	root := tree(t, map[string]string{"f": "1\n2 x\n3\r\n4\n5 x\n6", "split": strings.Repeat("y", bufferBytes-6) + "\nb x\nc\nd\n", "long": strings.Repeat("y", bufferBytes-3) + "\na\n" + "b x\nc\nd\n" + strings.Repeat("z", 300_000) + "\nlast x\n"})
	got := found(t, root, Options{Text: "x", Context: 2})
	y, z := strings.Repeat("y", 297)+"...", strings.Repeat("z", 297)+"..."
	want := []Match{
		{"f", 2, "2 x", []string{"1"}, []string{"3", "4"}}, {"f", 5, "5 x", []string{"3", "4"}, []string{"6"}},
		{"long", 3, "b x", []string{y, "a"}, []string{"c", "d"}}, {"long", 7, "last x", []string{"d", z}, nil}, {"split", 2, "b x", []string{y}, []string{"c", "d"}},
	}
	if diff := cmp.Diff(want, got.Matches); diff != "" {
		t.Errorf("Run with two lines of context (-want +got):\n%s", diff)
	}
}

// Lines are found and counted wherever the pieces of a file end.
func TestRun_AcrossPieces(t *testing.T) {
	for _, length := range []int{1, 97, 1000, bufferBytes - 1, bufferBytes, bufferBytes + 1, 200_000} {
		var text strings.Builder
		want, line := int64(0), 0
		for text.Len() < 1<<20 {
			line++
			if line%3 == 0 {
				want++
				text.WriteString("here")
			}
			text.WriteString(strings.Repeat("-", length) + "\n")
		}
		text.WriteString("here")
		root := tree(t, map[string]string{"f": text.String()})
		for _, o := range []Options{{Text: "here"}, {Text: "HERE", IgnoreCase: true}, {Text: "h[e]re", Regex: true}, {Text: "^[h]", Regex: true}} {
			o.Max = 1 << 20
			got := found(t, root, o)
			last := got.Matches[len(got.Matches)-1]
			if got.Total != want+1 || last.Line != int64(line+1) || got.Matches[0].Line%3 != 0 && line > 3 {
				t.Errorf("Run(%+v) of lines of %d bytes = %d, the last at %d, want %d, at %d", o, length, got.Total, last.Line, want+1, line+1)
			}
		}
	}
}

func TestRun_LongLines(t *testing.T) {
	far, huge := strings.Repeat("ä", 1000), strings.Repeat("-", maxLine)
	root := tree(t, map[string]string{"f": far + "here" + far + "\n", "g": huge + "here\nhere 2\n" + "begin" + huge + huge + "\nhere 4"})
	got := found(t, root, Options{Text: "here"})
	if places(got) != "f:1 g:2 g:4" {
		t.Errorf("Run over lines above 16 MiB = %s, want their first part searched and the lines behind them", places(got))
	}
	text := got.Matches[0].Text
	if n := utf8.RuneCountInString(text); n != maxText || !strings.HasPrefix(text, "...ää") || !strings.Contains(text, "ähereä") || !strings.HasSuffix(text, "ä...") {
		t.Errorf("the text of a long line has %d characters: %q", n, text)
	}
	if got := found(t, root, Options{Text: "begin"}); places(got) != "g:3" || !strings.HasPrefix(got.Matches[0].Text, "begin---") {
		t.Errorf("Run for the start of a line above 16 MiB = %s, want it", places(got))
	}
}

// A secret is masked while the line is whole, also when the match is within.
func TestRun_MasksBeforeItCuts(t *testing.T) {
	secret := "sk-test-" + strings.Repeat("0", 400)
	root := tree(t, map[string]string{"f": strings.Repeat("x", 280) + "token " + secret + " end\n"})
	for _, text := range []string{"token", "test-0", "end"} {
		got := found(t, root, Options{Text: text, Mask: func(s string) string { return strings.ReplaceAll(s, secret, "***") }})
		if len(got.Matches) != 1 || strings.Contains(got.Matches[0].Text, "sk-test") {
			t.Errorf("Run(%q) = %+v, want the line without the secret", text, got.Matches)
		}
	}
}

func TestRun_EndsWithItsContext(t *testing.T) {
	root := tree(t, map[string]string{"f": "x"})
	q, err := Compile(Options{Text: "x", Max: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := q.Run(ctx, root, Scope{Folder: "."}); !errors.Is(err, context.Canceled) {
		t.Errorf("Run after the end = %v, want %v", err, context.Canceled)
	}
}

func TestRun_WhatIsGoneIsLeftOut(t *testing.T) {
	root := tree(t, map[string]string{"a/f": "x", "b": "x"})
	q, err := Compile(Options{Text: "x", Max: 9})
	if err != nil {
		t.Fatal(err)
	}
	got, err := q.Run(context.Background(), root, Scope{Files: []string{"gone/f", "a/gone", "a/f", "b/f"}})
	if err != nil || places(got) != "a/f:1" || got.Files != 1 {
		t.Errorf("Run = %s in %d files, %v, want what is there", places(got), got.Files, err)
	}
	if got, err := q.Run(context.Background(), root, Scope{Folder: "gone"}); err != nil || got.Files != 0 {
		t.Errorf("Run of a folder that is gone = %+v, %v, want nothing", got, err)
	}
}
