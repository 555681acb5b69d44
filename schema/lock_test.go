package schema

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLock_RoundTrip(t *testing.T) {
	text, err := NewLock().Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseLock(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(NewLock(), got); diff != "" {
		t.Errorf("ParseLock(Encode) (-want +got):\n%s", diff)
	}
	if found := got.Differences(); len(found) > 0 {
		t.Errorf("Differences of a new lock = %v, want none", found)
	}
	if !got.Pinned(Version) || !got.Pinned(ManifestVersion) || got.Pinned("openagent.run_event.v2") {
		t.Errorf("lock %+v pins other versions than the published ones", got)
	}
}

func TestLock_DifferencesNameBothSides(t *testing.T) {
	l := NewLock()
	l.Pins[0].Revision, l.Pins[0].Digest = 7, "sha256:old"
	l.Pins = append(l.Pins, Pin{"openagent.run_event.v0", 1, "sha256:x"})
	want := []string{
		Version + " is revision 2 with digest " + Digest() + ", want revision 7 with digest sha256:old",
		"openagent.run_event.v0 is not published by this openagent",
	}
	if diff := cmp.Diff(want, l.Differences()); diff != "" {
		t.Errorf("Differences (-want +got):\n%s", diff)
	}
}

func TestParseLock_Refuses(t *testing.T) {
	for _, text := range []string{``, `[]`, `{}`, `{"schema":"other"}`, `{"schema":"openagent.schema_lock.v1","pin":[]}`,
		`{"schema":"openagent.schema_lock.v1"}`, `{"schema":"openagent.schema_lock.v1","pins":[]}`,
	} {
		if l, err := ParseLock([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), "read schema lock: ") {
			t.Errorf("ParseLock(%s) = %+v, %v, want an error that says the step", text, l, err)
		}
	}
}

// What is no lock may hold a key: an error says what is wrong, not what stands there.
func TestParseLock_QuotesNothing(t *testing.T) {
	for text, want := range map[string]string{
		`{"sk-test-0123":1}`: "a member that no lock has", `{"schema":"sk-test-0123"}`: "member schema is not", `{"schema":` + "4012888888881881}": "of the wrong type",
		"sk-test-0123": "no JSON from byte 1 on", `"sk-test-0123"`: "of the wrong type", `{"schema":"sk-test`: "its end is missing", "": "it is empty",
		`{"pins":[{"revision":4012888888881881.5}]}`: "of the wrong type", `{"schema":"openagent.schema_lock.v4012888"}`: "member schema is not",
		`{"schema":"openagent.schema_lock.v2","digests":{}}`: "it is of another version, openagent.schema_lock.v2, want openagent.schema_lock.v1",
		`{"schema":"openagent.schema_lock.v1","pins":[]}`:    "it pins nothing", `{"schema":"openagent.schema_lock.v1","pins":[{}],"pins":[{"revision":1,"revision":2}]}`: "a member stands twice", `{"schema":"openagent.schema_lock.v1","pins":[]} sk-test-0123`: "text stands behind",
	} {
		_, err := ParseLock([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "0123") || strings.Contains(err.Error(), "4012") {
			t.Errorf("ParseLock(%s) = %v, want %q and nothing of the text", text, err, want)
		}
	}
}
