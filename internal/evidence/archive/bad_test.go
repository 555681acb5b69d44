package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/testkit/simulated"
	"github.com/openagent-ci/openagent/internal/text/hint"
)

// edit changes a file by replacing text in it.
func edit(t *testing.T, path, old, with string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s does not hold %q", path, old)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, with, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// resealed changes the stream of evidence and makes the manifest vouch for it, as
// whoever forges evidence would.
func resealed(t *testing.T, dir, old, with string) {
	t.Helper()
	events, manifest := filepath.Join(dir, "events.jsonl"), filepath.Join(dir, "manifest.json")
	edit(t, events, old, with)
	text, err := os.ReadFile(events)
	var m map[string]any
	if err == nil {
		var had []byte
		if had, err = os.ReadFile(manifest); err == nil {
			err = json.Unmarshal(had, &m)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range m["files"].([]any) {
		if f := f.(map[string]any); f["path"] == "events.jsonl" {
			sum := sha256.Sum256(text)
			f["bytes"], f["sha256"] = len(text), hex.EncodeToString(sum[:])
		}
	}
	made, err := json.Marshal(m)
	if err = errors.Join(err, os.WriteFile(manifest, made, 0o600)); err != nil {
		t.Fatal(err)
	}
}

// What proves nothing is refused by name, and the rest is added.
func TestAdd_RefusesBadEvidence(t *testing.T) {
	in := func(name string) func(string) string {
		return func(dir string) string { return filepath.Join(dir, name) }
	}
	manifest, events := in("manifest.json"), in("events.jsonl")
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string)
		want  string
	}{
		"no manifest": {func(t *testing.T, dir string) { _ = os.Remove(manifest(dir)) }, "it has neither manifest.json nor results.json"},
		"tampered":    {func(t *testing.T, dir string) { edit(t, events(dir), "step_started", "step_strated") }, "is not as it was saved: events.jsonl: SHA-256 is "},
		"not complete": {func(t *testing.T, dir string) {
			edit(t, manifest(dir), `"evidence_complete": true`, `"evidence_complete": false`)
		}, "is not complete: something could not be kept whole"},
		"torn stream":    {func(t *testing.T, dir string) { _ = os.Truncate(events(dir), 100) }, "is not as it was saved: events.jsonl: 100 bytes, the manifest has "},
		"torn manifest":  {func(t *testing.T, dir string) { _ = os.Truncate(manifest(dir), 100) }, "manifest.json: unexpected end of JSON input"},
		"newer manifest": {func(t *testing.T, dir string) { edit(t, manifest(dir), "run_manifest.v1", "run_manifest.v2") }, `schema is "openagent.run_manifest.v2"`},
		"newer contract": {func(t *testing.T, dir string) {
			edit(t, manifest(dir), `"version": "openagent.run_event.v1"`, `"version": "openagent.run_event.v2"`)
		}, `its stream is of the contract "openagent.run_event.v2"`},
		"forged":     {func(t *testing.T, dir string) { resealed(t, dir, `"type":"step_started"`, `"type":"step_blocked"`) }, "contradicts itself"},
		"far past":   {func(t *testing.T, dir string) { edit(t, manifest(dir), `"started": "2026`, `"started": "0001`) }, "want a time from 2000 to 2099"},
		"far future": {func(t *testing.T, dir string) { edit(t, manifest(dir), `"started": "2026`, `"started": "9999`) }, "want a time from 2000 to 2099"},
		"linked file": {func(t *testing.T, dir string) {
			_ = os.Rename(events(dir), events(dir)+"x")
			_ = os.Symlink("events.jsonlx", events(dir))
		}, "events.jsonl: no regular file"},
		"gone": {func(t *testing.T, dir string) { _ = os.RemoveAll(dir) }, "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			evidence := runs(t, 3, simulated.Options{})
			c.spoil(t, evidence[1])
			dir := filepath.Join(t.TempDir(), "archive")
			added, refused, err := adding(t, dir, evidence...)
			if err != nil || added != (Added{New: 2, Refused: 1}) || !strings.Contains(refused[0].Error(), c.want) || !strings.Contains(refused[0].Error(), evidence[1]) {
				t.Errorf("Add = %+v, %v, %v, want 2 added and one refused, by its name: %s", added, refused, err, c.want)
			}
			if strings.HasPrefix(name, "newer") && !strings.Contains(hint.Of(refused[0]), "another version of openagent") {
				t.Errorf("hint of %v is %q, want the way out", refused[0], hint.Of(refused[0]))
			}
			whole(t, dir)
		})
	}
}

// A damaged copy of a run does not keep the intact one out.
func TestAdd_DamagedCopyFirst(t *testing.T) {
	intact, damaged := runs(t, 1, simulated.Options{})[0], filepath.Join(t.TempDir(), "damaged")
	if err := os.CopyFS(damaged, os.DirFS(intact)); err != nil {
		t.Fatal(err)
	}
	edit(t, filepath.Join(damaged, "events.jsonl"), "step_started", "step_strated")
	dir := filepath.Join(t.TempDir(), "archive")
	added, refused, err := adding(t, dir, damaged, intact, intact)
	if err != nil || added != (Added{New: 1, Present: 1, Refused: 1}) || !strings.Contains(refused[0].Error(), damaged) {
		t.Errorf("Add = %+v, %v, %v, want the damaged copy refused and the intact one added once", added, refused, err)
	}
	if c := whole(t, dir); c.Rows[tableRuns] != 1 {
		t.Errorf("Check = %+v, want one run", c)
	}
}

func TestAdd_RefusesBadResults(t *testing.T) {
	for name, c := range map[string]struct{ old, with, want string }{
		"torn":      {`"scenarios"`, "\x00", "results"},
		"newer":     {"test_results.v1", "test_results.v2", `schema is "openagent.test_results.v2"`},
		"unplanned": {`"id": "scenarios/case_00.txtar"`, `"id": "other"`, "it was not planned"},
	} {
		dir := filepath.Join(t.TempDir(), "results")
		if err := simulated.WriteResults(dir, 1, simulated.Options{}); err != nil {
			t.Fatal(err)
		}
		edit(t, filepath.Join(dir, "results.json"), c.old, c.with)
		added, refused, err := adding(t, filepath.Join(t.TempDir(), "archive"), dir)
		if err != nil || added != (Added{Refused: 1}) || !strings.Contains(refused[0].Error(), c.want) {
			t.Errorf("%s: Add = %+v, %v, %v, want it refused: %s", name, added, refused, err, c.want)
		}
	}
}

// Of nothing no archive is made.
func TestAdd_NothingToAdd(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "archive")
	added, refused, err := adding(t, dir, filepath.Join(t.TempDir(), "none"))
	if _, statErr := os.Lstat(dir); err != nil || added != (Added{Refused: 1}) || len(refused) != 1 || statErr == nil {
		t.Errorf("Add of what is not there = %+v, %v, %v, made %v, want it refused and nothing made", added, refused, err, statErr == nil)
	}
}

// A folder that is no archive, or of a version to come, is refused as it is.
func TestAdd_RefusesOtherFolders(t *testing.T) {
	evidence := runs(t, 1, simulated.Options{})
	for name, c := range map[string]struct{ file, text, want string }{
		"full folder":     {"notes.txt", "mine", "it is no archive"},
		"newer version":   {markerFile, `{"schema":"openagent.archive.v2","revision":1}`, `another version: "openagent.archive.v2"`},
		"newer revision":  {markerFile, `{"schema":"openagent.archive.v1","revision":99}`, "revision 99; want"},
		"torn marker":     {markerFile, `{"schema`, markerFile},
		"evidence itself": {"manifest.json", "{}", "it is no archive"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := adding(t, dir, evidence...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Add = %v, want %s", name, err, c.want)
		}
		if _, err := Check(dir, dir); err == nil {
			t.Errorf("%s: Check = nil, want an error", name)
		}
		entries, _ := os.ReadDir(dir)
		if text, _ := os.ReadFile(filepath.Join(dir, c.file)); len(entries) != 1 || string(text) != c.text {
			t.Errorf("%s: the folder holds %v, want it as it was", name, entries)
		}
	}
}

// Links in the archive lead nothing out of it, nor from one place in it to another.
func TestAdd_FollowsNoLinks(t *testing.T) {
	evidence := runs(t, 4, simulated.Options{Days: 1})
	for _, linked := range []bool{false, true} {
		for _, name := range []string{"runs", "events", "runs/date=2026-02-02", "steps/date=2026-02-02", addingDir, lockFile} {
			dir, elsewhere := filepath.Join(t.TempDir(), "archive"), t.TempDir()
			if _, _, err := adding(t, dir, evidence[0]); err != nil {
				t.Fatal(err)
			}
			place, to := filepath.Join(dir, filepath.FromSlash(name)), elsewhere
			if linked {
				elsewhere = filepath.Join(dir, "elsewhere")
				to, _ = filepath.Rel(filepath.Dir(place), elsewhere)
				if err := os.Mkdir(elsewhere, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(os.RemoveAll(place), os.Symlink(to, place)); err != nil {
				t.Skip("links cannot be made here: ", err)
			}
			if _, _, err := adding(t, dir, evidence[1:]...); err == nil {
				t.Errorf("Add with a link at %s, inside %v, = nil, want an error", name, linked)
			}
			if c, err := Check(dir, dir); err == nil && len(c.Problems) == 0 && name != lockFile {
				t.Errorf("Check with a link at %s, inside %v, finds nothing", name, linked)
			}
			if entries, _ := os.ReadDir(elsewhere); len(entries) > 0 {
				t.Errorf("with a link at %s, inside %v, something was written where it leads: %v", name, linked, entries)
			}
		}
	}
}

// A folder that may not be written is an error and no archive by half.
func TestAdd_ReadOnlyFolder(t *testing.T) {
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("nothing is read-only for root, or on Windows")
	}
	evidence, dir := runs(t, 2, simulated.Options{}), filepath.Join(t.TempDir(), "archive")
	if _, _, err := adding(t, dir, evidence[0]); err != nil {
		t.Fatal(err)
	}
	before := whole(t, dir)
	chmod := func(mode os.FileMode) {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				err = os.Chmod(path, mode)
			}
			return err
		})
	}
	chmod(0o500)
	defer chmod(0o700)
	if _, _, err := adding(t, dir, evidence[1]); err == nil {
		t.Error("Add to a folder that may not be written = nil, want an error")
	}
	if c := whole(t, dir); c.Rows[tableRuns] != before.Rows[tableRuns] {
		t.Errorf("Check = %+v, want it as it was", c)
	}
}

// Check finds each way in which somebody can spoil an archive.
func TestCheck_Finds(t *testing.T) {
	evidence := runs(t, 6, simulated.Options{Days: 1})
	file := func(t *testing.T, dir, table string) string {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(dir, table, "*", "*.parquet"))
		if err != nil || len(found) != 1 {
			t.Fatalf("%s has %v, %v, want one file", table, found, err)
		}
		return found[0]
	}
	copyTo := func(from, to string) error {
		text, err := os.ReadFile(from)
		return errors.Join(err, os.WriteFile(to, text, 0o600))
	}
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string) error
		want  string
	}{
		"a byte": {func(t *testing.T, dir string) error {
			path := file(t, dir, tableEvents)
			text, err := os.ReadFile(path)
			text[len(text)/2] ^= 1
			return errors.Join(err, os.WriteFile(path, text, 0o600))
		}, "it was changed or torn"},
		"torn":      {func(t *testing.T, dir string) error { return os.Truncate(file(t, dir, tableRuns), 64) }, "it was changed or torn"},
		"no events": {func(t *testing.T, dir string) error { return os.Remove(file(t, dir, tableEvents)) }, "what belongs to it is missing"},
		"no runs":   {func(t *testing.T, dir string) error { return os.Remove(file(t, dir, tableRuns)) }, "no row of runs belongs to it"},
		"copied": {func(t *testing.T, dir string) error {
			return copyTo(file(t, dir, tableSteps), filepath.Join(dir, tableSteps, "date=2026-02-02", "copy.parquet"))
		}, "no name of a file of an archive"},
		"other name": {func(t *testing.T, dir string) error {
			path := file(t, dir, tableRuns)
			return os.Rename(path, filepath.Join(filepath.Dir(path), strings.Repeat("0", 16)+filepath.Base(path)[16:]))
		}, "its name is not that of its 6 keys"},
		"other table": {func(t *testing.T, dir string) error {
			return copyTo(file(t, dir, tableSteps), filepath.Join(dir, tableEvents, "date=2026-02-02", filepath.Base(file(t, dir, tableSteps))))
		}, "its columns are not those of the table"},
		"other day": {func(t *testing.T, dir string) error {
			return os.Rename(filepath.Join(dir, tableSteps, "date=2026-02-02"), filepath.Join(dir, tableSteps, "date=2026-02-09"))
		}, "no row of runs belongs to it"},
		"no day": {func(t *testing.T, dir string) error { return os.Mkdir(filepath.Join(dir, tableSteps, "2026"), 0o700) }, "no name of a day's folder"},
		"no file": {func(t *testing.T, dir string) error {
			return os.Mkdir(filepath.Join(dir, tableSteps, "date=2026-02-02", filepath.Base(file(t, dir, tableRuns))), 0o700)
		}, "parquet: no regular file\n"},
		"no folder of a table": {func(t *testing.T, dir string) error {
			return errors.Join(os.RemoveAll(filepath.Join(dir, tableSteps)), os.WriteFile(filepath.Join(dir, tableSteps), nil, 0o600))
		}, "\nsteps: no folder of its own"},
		"no parquet": {func(t *testing.T, dir string) error {
			text := []byte("PAR1 and nothing of it PAR1")
			sum := sha256.Sum256(text)
			return os.WriteFile(filepath.Join(dir, tableSteps, "date=2026-02-02", filepath.Base(file(t, dir, tableRuns))[:17]+hex.EncodeToString(sum[:])+".parquet"), text, 0o600)
		}, "it is no file of an archive, or torn"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "archive")
			if _, _, err := adding(t, dir, evidence...); err != nil {
				t.Fatal(err)
			}
			whole(t, dir)
			if err := c.spoil(t, dir); err != nil {
				t.Fatal(err)
			}
			got, err := Check(dir, dir)
			if err != nil || !strings.Contains("\n"+strings.Join(got.Problems, "\n")+"\n", c.want) {
				t.Errorf("Check = %q, %v, want %s", got.Problems, err, c.want)
			}
		})
	}
}

// The same run in two files of one day is found, also where somebody made the files.
func TestCheck_FindsARunThatIsThereTwice(t *testing.T) {
	evidence := runs(t, 2, simulated.Options{Days: 1})
	one, both := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "both")
	for dir, paths := range map[string][]string{one: evidence[:1], both: evidence} {
		if _, _, err := adding(t, dir, paths...); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(one, "more"), os.DirFS(both)); err != nil {
		t.Fatal(err)
	}
	for _, table := range Tables() {
		files, _ := filepath.Glob(filepath.Join(one, "more", table, "*", "*.parquet"))
		for _, f := range files {
			to := filepath.Join(one, table, filepath.Base(filepath.Dir(f)))
			if err := errors.Join(os.MkdirAll(to, 0o700), os.Rename(f, filepath.Join(to, filepath.Base(f)))); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got, err := Check(one, one); err != nil || !strings.Contains(strings.Join(got.Problems, "\n"), "is there twice") {
		t.Errorf("Check = %q, %v, want a run that is there twice", got.Problems, err)
	}
}
