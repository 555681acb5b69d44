package drift

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/testkit/testenv"
	"github.com/openagent-ci/openagent/schema"
)

func TestMain(m *testing.M) {
	testenv.Clean()
	os.Exit(m.Run())
}

const (
	event = `{"schema_version":"openagent.run_event.v1","sequence":1,"ts":"2026-03-03T20:11:12Z","run_id":"r","step":0,"type":"run_started","data":{}}` + "\n"
	codex = `{"type":"thread.started","thread_id":"t"}` + "\n"
)

// manifest is that of a run of codex.
var manifest = func() string {
	text, err := schema.Manifest{
		Versions: schema.ManifestVersions{
			Contract: schema.ManifestContract{Version: schema.Version, Revision: 1, Digest: schema.Digest()},
			Agent:    &schema.Agent{Name: "codex", Version: "7"},
		},
		Verdict: "success", Source: &schema.ManifestSource{Format: "codex", Decisions: "inferred"},
	}.Encode()
	if err != nil {
		panic(err)
	}
	return string(text)
}()

// files writes files below a fresh folder, and returns a process there.
func files(t *testing.T, all map[string]string) *process.Process {
	t.Helper()
	dir := t.TempDir()
	for name, text := range all {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return &process.Process{Env: process.Env{Dir: dir}, In: strings.NewReader(event), Err: &strings.Builder{}}
}

// seen lists the streams as "agent version format".
func seen(o Observation) (list []string) {
	for _, r := range o.Streams {
		list = append(list, r.Agent+" "+r.Version+" "+r.Format)
	}
	return list
}

func TestRead(t *testing.T) {
	p := files(t, map[string]string{
		"run/manifest.json": manifest, "run/events.jsonl": event, "run/source.jsonl": codex, "run/calls.jsonl": event, "run/artifacts/x.jsonl": codex,
		"silent/manifest.json": manifest, "silent/events.jsonl": "", "bare/a.jsonl": codex, "bare/b.txt": codex, "bare/c.jsonl": `{"other":1}`, "bare/d.jsonl": "",
		"bare/more/manifest.json": `{"name":"of a web page"}`, "bare/more/e.jsonl": event, "none/a.txt": event, "torn.jsonl": codex + `{"type":"to`,
	})
	const ours = " openagent.run_event.v1"
	for _, c := range []struct {
		name    string
		want    []string
		skipped int
		problem string
	}{
		{"run", []string{"codex 7 native", "codex 7" + ours}, 0, ""},
		{"run/source.jsonl", []string{"codex unknown native"}, 0, ""},
		{"silent", nil, 1, "observe silent: no stream in the folder, and no evidence"},
		{"bare", []string{"codex unknown native", "unknown unknown" + ours}, 2, ""},
		{"none", nil, 0, "observe none: no stream in the folder, and no evidence"},
		{"torn.jsonl", []string{"codex unknown native"}, 0, ""},
		{"bare/c.jsonl", nil, 0, "observe bare/c.jsonl: its first line is that of no known agent"},
		{"bare/d.jsonl", nil, 0, "observe bare/d.jsonl: no line of it is an event"},
		{"-", []string{"unknown unknown" + ours}, 0, ""},
		{"missing", nil, 0, "observe missing: stat missing: "},
		{".", []string{"codex 7 native", "codex 7" + ours, "codex unknown native", "unknown unknown" + ours}, 3, ""},
	} {
		var o Observer
		problems := o.Read(t.Context(), p, []string{c.name})
		s := o.Result(nil)
		if diff := cmp.Diff(c.want, seen(s)); diff != "" || s.Skipped != c.skipped {
			t.Errorf("Read(%s) skips %d, want %d, and finds (-want +got):\n%s", c.name, s.Skipped, c.skipped, diff)
		}
		if err := errors.Join(problems...); (err == nil) != (c.problem == "") || err != nil && !strings.HasPrefix(err.Error(), c.problem) {
			t.Errorf("Read(%s): problems %v, want %q", c.name, err, c.problem)
		}
	}
}

// A link in a folder of evidence leads nowhere.
func TestRead_FollowsNoLink(t *testing.T) {
	p := files(t, map[string]string{"run/manifest.json": manifest, "run/events.jsonl": event, "secret.jsonl": codex})
	if err := os.Symlink("../secret.jsonl", filepath.Join(p.Dir, "run", "source.jsonl")); err != nil {
		t.Skip("links cannot be made here: ", err)
	}
	var o Observer
	problems := o.Read(t.Context(), p, []string{"run"})
	if diff := cmp.Diff([]string{"codex 7 openagent.run_event.v1"}, seen(o.Result(nil))); diff != "" || len(problems) != 1 {
		t.Errorf("Read with problems %v, want one, finds (-want +got):\n%s", problems, diff)
	}
}

// A signal ends what is read, and leaves the baseline as it was.
func TestObserve_Cancelled(t *testing.T) {
	p := files(t, map[string]string{"a.jsonl": event})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := BaselineFile{Name: "b", Update: true}.Observe(ctx, p, []string{"a.jsonl"})
	if _, missing := p.Stat("b"); !errors.Is(err, context.Canceled) || !errors.Is(missing, os.ErrNotExist) {
		t.Errorf("Observe = %v, with a baseline %v, want it cancelled and none", err, missing)
	}
}
