package validate_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

const v2 = "openagent.run_event.v2"

// published returns a set of schemas with these versions of the event contract.
// The second one is of tests alone.
func published(t *testing.T, versions ...string) schema.Set {
	t.Helper()
	var contracts []schema.Contract
	for _, version := range versions {
		text, err := schema.Load(version)
		if version == v2 {
			text, err = os.ReadFile("../testdata/openagent.run_event.v2.r1.schema.json")
		}
		if err != nil {
			t.Fatal(err)
		}
		contracts = append(contracts, schema.Contract{Version: version, Revisions: [][]byte{text}})
	}
	return schema.NewSet(contracts...)
}

// versioned returns the line of an event.
func versioned(version string, sequence int, typ, data string) string {
	return fmt.Sprintf(`{"schema_version":%q,"sequence":%d,"ts":"2026-03-03T20:11:12Z","run_id":"r1","step":0,"type":%q,"data":%s}`+"\n",
		version, sequence, typ, data)
}

// versionedRun returns a run of three events by their versions.
func versionedRun(versions ...string) string {
	return versioned(versions[0], 1, "run_started", `{}`) +
		versioned(versions[1], 2, "tool_exec_finished", fmt.Sprintf(
			`{"tool_call_id":null,"tool":null,"ok":true,"content_preview":%q,"truncated":false,"original_bytes":null}`, strings.Repeat("x", 5000))) +
		versioned(versions[2], 3, "run_finished", `{"exit_reason":"ok","ok":true,"final_output":"","error":null}`)
}

// The version of the first event that can be read decides by which schema the run
// is checked; another version in it is a finding.
func TestStream_VersionOfTheFirstEvent(t *testing.T) {
	v1 := schema.Version
	both, first, second := published(t, v1, v2), published(t, v1), published(t, v2)
	approval := versioned(v2, 1, "run_started", `{}`) + versioned(v2, 2, "approval_requested", `{"tool_call_id":"c","question":"?"}`)
	for _, tt := range []struct {
		name, stream string
		opts         validate.Options
		want         []string
	}{
		{"first", versionedRun(v1, v1, v1), validate.Options{Schemas: both}, []string{"2 size/preview"}},
		{"second", versionedRun(v2, v2, v2), validate.Options{Schemas: both}, nil},
		{"first, own schemas", versionedRun(v1, v1, v1), validate.Options{}, []string{"2 size/preview"}},
		{"second, own schemas", versionedRun(v2, v2, v2), validate.Options{}, []string{"1 schema/version", "2 schema/version", "3 schema/version"}},
		{"new type", approval, validate.Options{Schemas: both}, []string{"0 stream/terminal-missing"}},
		{"new type without its text", strings.Replace(approval, `"question"`, `"x"`, 1), validate.Options{Schemas: both},
			[]string{"2 schema/data", "0 stream/terminal-missing"}},
		{"new type in the first", strings.ReplaceAll(approval, v2, v1), validate.Options{Schemas: both},
			[]string{"2 schema/type", "0 stream/terminal-missing"}},
		{"first, then second", versionedRun(v1, v2, v1), validate.Options{Schemas: both}, []string{"2 schema/version"}},
		{"second, then first", versionedRun(v2, v2, v1), validate.Options{Schemas: both}, []string{"3 schema/version"}},
		{"unknown one, then first", versionedRun("v9", v1, v1), validate.Options{Schemas: both}, []string{"1 schema/version", "2 size/preview"}},
		{"after a line that is none", "x\n" + versionedRun(v2, v2, v2), validate.Options{Schemas: both}, []string{"1 line/json"}},
		{"asked for another", versionedRun(v2, v2, v2), validate.Options{Schemas: both, Version: v1},
			[]string{"1 schema/version", "2 schema/version", "3 schema/version"}},
		{"asked for", versionedRun(v2, v2, v2), validate.Options{Schemas: both, Version: v2}, nil},
		{"asked for the second, first printed", versionedRun(v1, v1, v1), validate.Options{Schemas: both, Version: v2},
			[]string{"1 schema/version", "2 schema/version", "3 schema/version"}},
		{"several runs", versionedRun(v1, v1, v1) + versionedRun(v2, v2, v2) + versionedRun(v1, v1, v1), validate.Options{Schemas: both, Runs: true},
			[]string{"2 size/preview", "8 size/preview"}},
		{"several runs of the version asked for", versionedRun(v2, v2, v2) + versionedRun(v1, v1, v1), validate.Options{Schemas: both, Runs: true, Version: v2},
			[]string{"4 schema/version", "5 schema/version", "6 schema/version"}},
		{"second announced, not published", versionedRun(v2, v2, v2), validate.Options{Schemas: first},
			[]string{"1 schema/version", "2 schema/version", "3 schema/version"}},
		{"first gone", versionedRun(v1, v1, v1), validate.Options{Schemas: second}, []string{"1 schema/version", "2 schema/version", "3 schema/version"}},
		{"first gone, second", versionedRun(v2, v2, v2), validate.Options{Schemas: second}, nil},
	} {
		if got := brief(check(tt.stream, tt.opts)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// A second version beside the first changes nothing about streams of the first,
// and each stream of the second is checked by the same rules.
func TestStream_VectorsBesideASecondVersion(t *testing.T) {
	both := published(t, schema.Version, v2)
	differ := 0
	for _, v := range golden.Vectors() {
		opts := validate.Options{Strict: v.Strict}
		want := brief(check(string(v.Stream), opts))
		opts.Schemas = both
		if bytes.Contains(v.Stream, []byte(v2)) {
			continue // these are vectors of a version that is not known
		}
		if diff := cmp.Diff(want, brief(check(string(v.Stream), opts))); diff != "" {
			t.Errorf("%s beside a second version (-want +got):\n%s", v.Name, diff)
		}
		second := strings.NewReplacer(schema.Version, v2, "message_short", "message").Replace(string(v.Stream))
		got := brief(check(second, opts))
		if loosened := strings.HasPrefix(v.Name, "size-preview-") || strings.HasPrefix(v.Name, "size-string-message-"); loosened {
			differ++
			if len(got) >= len(want) {
				t.Errorf("%s as of the second version: %v, want less than %v", v.Name, got, want)
			}
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s as of the second version (-want +got):\n%s", v.Name, diff)
		}
	}
	if differ == 0 {
		t.Error("no vector is about a bound that the second version loosens")
	}
}

// What is no event schema is refused with the reason.
func TestNewStream_NoEventSchema(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:                        `read schema x: not an event schema: $defs has no "envelope"`,
		`{"$defs":{"envelope":{}}}`: "not an event schema: its envelope has no type",
		`{"$defs":{"envelope":{"properties":{"type":{"enum":["a"]}}}}}`: `not an event schema: $defs has no "a"`,
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("a stream by the schema %s: %s, want %s", text, got, want)
				}
			}()
			opts := validate.Options{Schemas: schema.NewSet(schema.Contract{Version: "x", Revisions: [][]byte{[]byte(text)}})}
			validate.NewStream(opts).Line([]byte(versioned("x", 1, "a", "{}")))
		}()
	}
}
