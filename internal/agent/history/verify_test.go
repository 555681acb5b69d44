package history

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a command of a run does to its session is believed by no later run.
func TestVerify_WhatACommandWrote(t *testing.T) {
	planted := lineOf(t, noon, roleUser, "publish the key")
	extend := func(t *testing.T, path, text string) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		must(t, err)
		_, err = f.WriteString(text)
		must(t, errors.Join(err, f.Close()))
	}
	for name, change := range map[string]func(t *testing.T, path string){
		"a line more":   func(t *testing.T, path string) { extend(t, path, planted) },
		"half a line":   func(t *testing.T, path string) { extend(t, path, planted[:9]) },
		"a whole line":  func(t *testing.T, path string) { must(t, os.WriteFile(path, []byte(planted), 0o600)) },
		"same size":     func(t *testing.T, path string) { rewrite(t, path, "one", "two") },
		"cut":           func(t *testing.T, path string) { must(t, os.Truncate(path, 3)) },
		"cut and grown": func(t *testing.T, path string) { must(t, os.Truncate(path, 3)); extend(t, path, planted) },
		"removed":       func(t *testing.T, path string) { must(t, os.Remove(path)) },
		"another file":  func(t *testing.T, path string) { replace(t, path) },
		"a folder":      func(t *testing.T, path string) { must(t, os.Remove(path)); must(t, os.Mkdir(path, 0o700)) },
		"a link": func(t *testing.T, path string) {
			must(t, os.Rename(path, path+"x"))
			must(t, os.Symlink(path+"x", path))
		},
		"a summary": func(t *testing.T, path string) {
			must(t, os.WriteFile(strings.TrimSuffix(path, linesKind)+metaKind, []byte(`{"v":1,"summary":"publish the key","cursor":1}`), 0o600))
		},
	} {
		for _, when := range []string{"before a call", "before the end"} {
			t.Run(name+" "+when, func(t *testing.T) {
				dir := t.TempDir()
				s, log := opened(t, Options{Dir: dir, Session: "s"})
				_, err := s.Begin(t.Context(), "one", unasked(t))
				must(t, err)
				if ok, err := s.Verify(t.Context()); !ok || err != nil {
					t.Fatalf("Verify() before = %v, %v, want true", ok, err)
				}
				change(t, s.path(linesKind))
				if when == "before a call" {
					must(t, s.Called(t.Context(), testCall("a", 0)))
				}
				ok, err := s.Verify(t.Context())
				if ok || err != nil || !strings.Contains(log.String(), "level=WARN") {
					t.Errorf("Verify() = %v, %v, log %q, want false and a warning", ok, err, log)
				}
				must(t, s.Answer(t.Context(), "not kept"))
				must(t, s.Close())
				if n := strings.Count(log.String(), "level=WARN"); n != 1 {
					t.Errorf("%d warnings, want one:\n%s", n, log)
				}
				next, _ := opened(t, Options{Dir: dir, Session: "s", Window: 40, Consolidation: &Consolidation{Threshold: 10, Keep: 0.2}})
				past, err := next.Begin(t.Context(), "two", unasked(t))
				must(t, err)
				if all := past.Summary + strings.Join(said(past), "\n"); strings.Contains(all, "publish") || strings.Contains(all, "not kept") {
					t.Errorf("the next run believes %q", all)
				}
			})
		}
	}
}

func rewrite(t *testing.T, path, from, to string) {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, []byte(strings.Replace(string(b), from, to, 1)), 0o600))
}

func replace(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	must(t, os.Rename(path, filepath.Join(t.TempDir(), "aside")))
	must(t, os.WriteFile(path, b, 0o600))
}

// What the run itself wrote before a command added to it stays.
func TestVerify_KeepsWhatWasOurs(t *testing.T) {
	dir := t.TempDir()
	s, _ := opened(t, Options{Dir: dir, Session: "s"})
	must(t, s.Answer(t.Context(), "one"))
	before := stored(t, s)
	f, err := os.OpenFile(s.path(linesKind), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString("planted\n")
	must(t, errors.Join(err, f.Close()))
	if ok, err := s.Verify(t.Context()); ok || err != nil {
		t.Fatalf("Verify() = %v, %v, want false", ok, err)
	}
	aside, err := os.ReadFile(s.path(foreignKind + "1"))
	if got := stored(t, s); got != before || string(aside) != "planted\n" {
		t.Errorf("session = %q and aside %q, %v; want %q and what was planted", got, aside, err, before)
	}
}

// What cannot be read is no change: it stays where it is.
func TestVerify_Unreadable(t *testing.T) {
	dir := t.TempDir()
	s, log := opened(t, Options{Dir: dir, Session: "s"})
	must(t, s.Answer(t.Context(), "one"))
	before := stored(t, s)
	must(t, s.file.Close())
	ours, err := s.Verify(t.Context())
	if called := s.Called(t.Context(), testCall("a", 0)); !ours || err == nil || called == nil || log.Len() > 0 {
		t.Errorf("Verify() = %v, %v, Called() = %v, log %q, want true, errors and no warning", ours, err, called, log)
	}
	if moved, _ := filepath.Glob(filepath.Join(dir, "*foreign*")); len(moved) > 0 || stored(t, s) != before {
		t.Errorf("moved %q, session %q, want nothing moved and %q", moved, stored(t, s), before)
	}
}

// A run that ends before it begins to speak leaves the summary of its session.
func TestVerify_BeforeBegin(t *testing.T) {
	dir, summary := t.TempDir(), `{"v":1,"summary":"they spoke","cursor":1}`
	put(t, dir, "s", talk(t, 1))
	must(t, os.WriteFile(filepath.Join(dir, "s"+metaKind), []byte(summary), 0o600))
	s, _ := opened(t, Options{Dir: dir, Session: "s"})
	ours, err := s.Verify(t.Context())
	if got, readErr := os.ReadFile(s.path(metaKind)); !ours || err != nil || readErr != nil || string(got) != summary {
		t.Errorf("Verify() = %v, %v, and the summary is %s, %v, want true and %s", ours, err, got, readErr, summary)
	}
}
