package testscript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/internal/platform/file"
)

// maxDifferences bounds what is shown of two streams that have little in
// common.
const maxDifferences = 20

// compare is stream-cmp FILE GOLDEN: the stream is as the golden one, times,
// run ids, durations and the script's own folders apart; with ! it is not.
// Where scripts are updated, the golden stream in the script is rewritten, or
// added when there is none of that name.
func compare(p *Params) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if len(args) != 2 {
			ts.Fatalf("usage: [!] stream-cmp FILE GOLDEN")
		}
		roots := golden.Roots{Workspace: ts.Getenv("WORK"), State: ts.Getenv("OPENAGENT_STATE_DIR")}
		updating := p.UpdateScripts && !neg
		got, want := []byte(ts.ReadFile(args[0])), wanted(ts, p, args[1], updating)
		found := roots.Compare(got, want)
		switch {
		case neg && len(found) == 0:
			ts.Fatalf("%s is as %s, want a difference", args[0], args[1])
		case neg, len(found) == 0:
		case updating:
			update(ts, p, args[1], roots.Update(got, want))
		default:
			ts.Fatalf("%s is not as %s:\n%s", args[0], args[1], describe(found))
		}
	}
}

// wanted reads the golden stream, which must be one unless it is about to be
// rewritten.
func wanted(ts *testscript.TestScript, p *Params, file string, updating bool) []byte {
	text, err := os.ReadFile(ts.MkAbs(file))
	if errors.Is(err, fs.ErrNotExist) {
		if updating {
			return nil
		}
		ts.Fatalf("%s is not there: add a line -- %s -- at the end of the script, and let -update fill it", file, file)
	}
	ts.Check(err)
	if updating {
		return text
	}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		var event map[string]any
		if err := json.Unmarshal(line, &event); err != nil {
			ts.Fatalf("%s is no stream: line %d%s is no JSON object: %v", file, n, inScript(ts, p, file, n), err)
		}
	}
	if n == 0 {
		ts.Fatalf("%s is no stream: it is empty; let -update fill it", file)
	}
	return text
}

// inScript says where in the script the line of one of its files stands.
func inScript(ts *testscript.TestScript, p *Params, file string, line int) string {
	name, err := filepath.Rel(ts.Getenv("WORK"), ts.MkAbs(file))
	script := scriptFile(p, ts.Name())
	text, readErr := os.ReadFile(script)
	if err != nil || readErr != nil {
		return ""
	}
	n := 0
	for at := range strings.Lines(string(text)) {
		if n++; strings.TrimSpace(at) == "-- "+filepath.ToSlash(name)+" --" {
			return fmt.Sprintf(" (%s:%d)", script, n+line)
		}
	}
	return ""
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
func update(ts *testscript.TestScript, p *Params, golden string, text []byte) {
	if txtar.NeedsQuote(text) {
		ts.Fatalf("%s cannot be updated: the stream has a line that begins a file of a script", golden)
	}
	path := ts.MkAbs(golden)
	name, err := filepath.Rel(ts.Getenv("WORK"), path)
	ts.Check(err)
	script := scriptFile(p, ts.Name())
	_, err = os.Stat(path)
	added := errors.Is(err, fs.ErrNotExist)
	if !added {
		ts.Check(rewrite(script, filepath.ToSlash(name), nil, false))
	}
	ts.Check(file.Replace(path, text))
	ts.Defer(func() {
		ts.Check(rewrite(script, filepath.ToSlash(name), text, added))
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

// rewrite replaces the text of a file within a script, or adds the file if
// asked to; nil text only looks whether it is there.
func rewrite(script, name string, text []byte, add bool) error {
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
		return file.Replace(script, txtar.Format(archive))
	}
	if !add {
		return fmt.Errorf("update script: %s has no file %s", script, name)
	}
	archive.Files = append(archive.Files, txtar.File{Name: name, Data: text})
	return file.Replace(script, txtar.Format(archive))
}
