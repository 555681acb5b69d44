package schema

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const v2 = "openagent.run_event.v2"

// contracts returns the first version with its two revisions and a second one, which
// is of tests alone.
func contracts(t *testing.T) (first, second Contract) {
	t.Helper()
	first, second = Contract{Version: Version}, Contract{Version: v2}
	for _, name := range []string{Version + ".r1", Version + ".r2"} {
		text, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		first.Revisions = append(first.Revisions, text)
	}
	text, err := os.ReadFile("testdata/openagent.run_event.v2.r1.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	second.Revisions = [][]byte{text}
	return first, second
}

// names returns those of the releases of a set, and its current version.
func names(s Set) string {
	var list []string
	for _, r := range s.Versions() {
		list = append(list, strings.TrimPrefix(r.Name(), "openagent."))
	}
	return strings.Join(list, " ") + "; " + s.Current()
}

func TestSet_Versions(t *testing.T) {
	first, second := contracts(t)
	early := Contract{Version, first.Revisions[:1]}
	for _, tt := range []struct {
		set  Set
		want string
	}{
		{Set{}, "run_event.v1 run_manifest.v1 review.v1 test_results.v1 timings.v1 run_event.v1.r1 run_event.v1.r2; " + Version},
		{NewSet(), "run_event.v1 run_manifest.v1 review.v1 test_results.v1 timings.v1 run_event.v1.r1 run_event.v1.r2; " + Version},
		{NewSet(early), "run_event.v1 run_manifest.v1 review.v1 test_results.v1 timings.v1 run_event.v1.r1; " + Version},
		{NewSet(first, second), "run_event.v1 run_event.v2 run_manifest.v1 review.v1 test_results.v1 timings.v1 run_event.v1.r1 run_event.v1.r2 run_event.v2.r1; " + Version},
		{NewSet(second), "run_event.v2 run_manifest.v1 review.v1 test_results.v1 timings.v1 run_event.v2.r1; " + v2},
	} {
		if got := names(tt.set); got != tt.want {
			t.Errorf("the set has %s, want %s", got, tt.want)
		}
	}
	if diff := cmp.Diff(Versions(), NewSet(first).Versions()); diff != "" {
		t.Errorf("the set of what is published differs from the zero value (-zero +set):\n%s", diff)
	}
}

func TestSet_Load(t *testing.T) {
	first, second := contracts(t)
	both := NewSet(first, second)
	for name, want := range map[string][]byte{
		Version: first.Revisions[1], Version + ".r1": first.Revisions[0], v2: second.Revisions[0], v2 + ".r1": second.Revisions[0],
	} {
		if got, err := both.Load(name); err != nil || string(got) != string(want) {
			t.Errorf("Load(%s) = %d bytes, %v, want %d of its revision", name, len(got), err, len(want))
		}
	}
	for _, name := range []string{ManifestVersion, TypesName} {
		own, _ := Load(name)
		if got, err := both.Load(name); err != nil || string(got) != string(own) {
			t.Errorf("Load(%s) = %d bytes, %v, want what this module has", name, len(got), err)
		}
	}
	for _, name := range []string{Version, Version + ".r1", TypesName} {
		if _, err := NewSet(second).Load(name); err == nil || !strings.HasSuffix(err.Error(), "not published; known: openagent.run_event.v2, "+
			"openagent.run_manifest.v1, openagent.review.v1, openagent.test_results.v1, openagent.timings.v1, openagent.run_event.v2.r1") {
			t.Errorf("Load(%s) where the first version is gone: %v, want that it is not published", name, err)
		}
	}
}

// A parser that was built against one revision is told of each later step what
// changed.
func TestSet_Differences(t *testing.T) {
	first, second := contracts(t)
	early := NewSet(Contract{Version, first.Revisions[:1]}).Lock()
	late := NewSet(first).Lock()
	both := NewSet(first, second)
	for _, tt := range []struct {
		name string
		lock Lock
		set  Set
		want string
	}{
		{"a new revision", early, NewSet(first), "openagent.run_event.v1 is revision 2 with digest "},
		{"a second version", late, both, ""},
		{"both pinned", both.Lock(), both, ""},
		{"both pinned, the second not published", both.Lock(), NewSet(first), v2 + " is not published by this openagent"},
		{"the first one gone", late, NewSet(second), Version + " is not published by this openagent"},
		{"both pinned, the first one gone", both.Lock(), NewSet(second), Version + " is not published by this openagent"},
	} {
		got := strings.Join(tt.set.Differences(tt.lock), "\n")
		if !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" || strings.Contains(got, "\n") {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if pins := both.Lock().Pins; !slices.ContainsFunc(pins, func(p Pin) bool { return p.Version == v2 && p.Revision == 1 }) || len(pins) != 6 {
		t.Errorf("the lock of both pins %v, want both versions and the documents", pins)
	}
}

// The tables of a second version show its own types and lines.
func TestSet_Markdown(t *testing.T) {
	first, second := contracts(t)
	text, err := NewSet(first, second).Markdown(v2)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| `content_preview` | declared | string or null, 8192 bytes |",
		"\n### `approval_requested`\n",
		`{"schema_version":"openagent.run_event.v2","sequence":4,"ts":"2026-03-03T20:11:12.003Z","run_id":"20260303-201112-4f2a","step":1,` +
			`"type":"approval_requested","data":{"tool_call_id":"call_1_0","question":"run make deploy?"}}`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("Markdown of the second version does not hold %s", want)
		}
	}
	if strings.Contains(text, Version) {
		t.Errorf("Markdown of the second version speaks of %s", Version)
	}
}
