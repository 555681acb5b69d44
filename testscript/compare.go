package testscript

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/openagent-ci/openagent/golden"
)

// maxDifferences bounds what is shown of two streams that have little in
// common.
const maxDifferences = 20

// compare is stream-cmp FILE GOLDEN: the stream is as the golden one, times,
// run ids, durations and the script's own folders apart; with ! it is not.
// Where scripts are updated, the golden stream in the script is rewritten.
func compare(p *Params) command {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if len(args) != 2 {
			ts.Fatalf("usage: [!] stream-cmp FILE GOLDEN")
		}
		roots := golden.Roots{Workspace: ts.Getenv("WORK"), State: ts.Getenv("OPENAGENT_STATE_DIR")}
		got, want := []byte(ts.ReadFile(args[0])), []byte(ts.ReadFile(args[1]))
		found := roots.Compare(got, want)
		switch {
		case neg && len(found) == 0:
			ts.Fatalf("%s is as %s, want a difference", args[0], args[1])
		case neg, len(found) == 0:
		case p.UpdateScripts:
			update(ts, p, args[1], roots.Normalize(got))
		default:
			ts.Fatalf("%s is not as %s:\n%s", args[0], args[1], describe(found))
		}
	}
}

func describe(found []golden.Difference) string {
	var lines []string
	for i, d := range found {
		if i == maxDifferences {
			lines = append(lines, fmt.Sprintf("and %d more", len(found)-i))
			break
		}
		lines = append(lines, d.String())
	}
	return strings.Join(lines, "\n")
}

// update rewrites the golden file of the script, for what follows in it at
// once, and in the script's own file when it ends.
func update(ts *testscript.TestScript, p *Params, file string, text []byte) {
	if txtar.NeedsQuote(text) {
		ts.Fatalf("%s cannot be updated: the stream has a line that begins a file of a script", file)
	}
	path := ts.MkAbs(file)
	name, err := filepath.Rel(ts.Getenv("WORK"), path)
	ts.Check(err)
	script := scriptFile(p, ts.Name())
	ts.Check(rewrite(script, filepath.ToSlash(name), nil))
	ts.Check(os.WriteFile(path, text, 0o666))
	ts.Defer(func() {
		ts.Check(rewrite(script, filepath.ToSlash(name), text))
		ts.Logf("%s: updated %s", script, name)
	})
}

// scriptFile returns the file of the script with that name.
func scriptFile(p *Params, name string) string {
	for _, file := range p.Files {
		if strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)) == name {
			return file
		}
	}
	path := filepath.Join(p.Dir, name+".txtar")
	if _, err := os.Stat(path); err != nil {
		return filepath.Join(p.Dir, name+".txt")
	}
	return path
}

// rewrite replaces the text of a file within a script; nil text only looks
// whether it is there.
func rewrite(script, name string, text []byte) error {
	archive, err := txtar.ParseFile(script)
	if err != nil {
		return fmt.Errorf("update script: %w", err)
	}
	for i := range archive.Files {
		if filepath.ToSlash(filepath.Clean(archive.Files[i].Name)) != name {
			continue
		}
		if text == nil {
			return nil
		}
		archive.Files[i].Data = text
		return os.WriteFile(script, txtar.Format(archive), 0o666)
	}
	return fmt.Errorf("update script: %s has no file %s", script, name)
}
