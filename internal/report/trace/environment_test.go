package trace

import (
	"encoding/binary"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// at returns a place with an environment.
func at(env ...string) process.Env { return process.Env{Dir: "/", Vars: env} }

const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318"

func TestBegin_WhetherAndWhere(t *testing.T) {
	const traces = "OTEL_EXPORTER_OTLP_TRACES_"
	for _, c := range []struct {
		env  []string
		want string // the address, empty for no export
		warn string // part of the one warning, empty for none
	}{
		{nil, "", ""},
		{[]string{"OTEL_SERVICE_NAME=x", "OTEL_TRACES_EXPORTER=otlp"}, "", ""}, // nobody said where to
		{[]string{endpoint}, "http://127.0.0.1:4318/v1/traces", ""},
		{[]string{endpoint + "/"}, "http://127.0.0.1:4318/v1/traces", ""},
		{[]string{endpoint + "/otlp/"}, "http://127.0.0.1:4318/otlp/v1/traces", ""},
		{[]string{endpoint, traces + "ENDPOINT=https://c.example/x"}, "https://c.example/x", ""},
		{[]string{traces + "ENDPOINT=http://c.example"}, "http://c.example/", ""},
		{[]string{traces + "ENDPOINT= ", endpoint}, "http://127.0.0.1:4318/v1/traces", ""},
		{[]string{endpoint, "OTEL_SDK_DISABLED=True"}, "", ""},
		{[]string{endpoint, "OTEL_SDK_DISABLED=1"}, "http://127.0.0.1:4318/v1/traces", ""}, // only true is true
		{[]string{endpoint, "OTEL_TRACES_EXPORTER=none"}, "", ""},
		{[]string{endpoint, "OTEL_TRACES_EXPORTER=console, otlp"}, "http://127.0.0.1:4318/v1/traces", ""},
		{[]string{endpoint, "OTEL_TRACES_EXPORTER=zipkin"}, "", `OTEL_TRACES_EXPORTER is "zipkin", want otlp or none`},
		{[]string{endpoint, "OTEL_TRACES_SAMPLER=always_off"}, "", ""},
		{[]string{endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL=http/json"}, "http://127.0.0.1:4318/v1/traces", ""},
		{[]string{endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf"}, "http://127.0.0.1:4318/v1/traces", "OTEL_EXPORTER_OTLP_PROTOCOL is http/protobuf, but http/json"},
		{[]string{endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"}, "", `OTEL_EXPORTER_OTLP_PROTOCOL is "grpc", want http/json`},
		{[]string{endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc", traces + "PROTOCOL=http/json"}, "http://127.0.0.1:4318/v1/traces", ""},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=127.0.0.1:4318"}, "", "OTEL_EXPORTER_OTLP_ENDPOINT is no address of a collector"},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=grpc://h:4317"}, "", "is no address of a collector"},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://u:hunter22hunter22@\x7f"}, "", "is no address of a collector"},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c.example", "OPENAGENT_NETWORK=loopback"}, "", "is on another machine"},
		{[]string{endpoint, "OPENAGENT_NETWORK=loopback"}, "http://127.0.0.1:4318/v1/traces", ""},
	} {
		tr, warnings := Begin(at(c.env...), "1", false)
		got := ""
		if tr != nil {
			got = tr.exporter.endpoint.String()
		}
		warning := strings.Join(warnings, "\n")
		if got != c.want || (c.warn == "") != (warning == "") || !strings.Contains(warning, c.warn) || len(warnings) > 1 {
			t.Errorf("%q: address %q with warnings %q, want %q with %q", c.env, got, warnings, c.want, c.warn)
		}
		if strings.Contains(warning, "hunter22") {
			t.Errorf("%q: a warning tells the password: %s", c.env, warning)
		}
	}
}

func TestBegin_Settings(t *testing.T) {
	tr, warnings := Begin(at(endpoint,
		"OTEL_EXPORTER_OTLP_HEADERS=api-key=general",
		"OTEL_EXPORTER_OTLP_TRACES_HEADERS=x-key=sk-test%2Fabc, authorization=Basic%20c2s9,",
		"OTEL_EXPORTER_OTLP_TIMEOUT=60000", "OTEL_EXPORTER_OTLP_COMPRESSION=gzip",
		"OTEL_RESOURCE_ATTRIBUTES=service.name=attributes,team=a%2Cb,service.version=", "OTEL_SERVICE_NAME=mine",
		"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=TRUE",
		"GITHUB_ACTIONS=true", "GITHUB_SERVER_URL=https://git.example", "GITHUB_REPOSITORY=o/r", "GITHUB_RUN_ID=7", "GITHUB_WORKFLOW=ci", "GITHUB_JOB=fix", "GITHUB_SHA=abc", "GITHUB_REF_NAME=main",
	), "1.2.3", true)
	if tr == nil || len(warnings) > 0 {
		t.Fatalf("Begin = %v, %q, want a trace and no warning", tr, warnings)
	}
	e := tr.exporter
	if want := (http.Header{"X-Key": {"sk-test/abc"}, "Authorization": {"Basic c2s9"}}); !cmp.Equal(e.headers, want) {
		t.Errorf("headers %v, want those of traces alone", e.headers)
	}
	if e.time != 5*time.Second || !e.gzip || !e.texts {
		t.Errorf("time %v, gzip %t, texts %t, want 5s at most and both", e.time, e.gzip, e.texts)
	}
	got := map[string]string{}
	for _, a := range e.resource {
		if _, twice := got[a.Key]; twice {
			t.Errorf("%s stands twice", a.Key)
		}
		got[a.Key] = *a.Value.String
	}
	for _, name := range []string{"os.type", "host.arch"} {
		if got[name] == "" {
			t.Errorf("no %s", name)
		}
		delete(got, name)
	}
	want := map[string]string{
		"service.name": "mine", "team": "a,b", "telemetry.sdk.name": "openagent", "telemetry.sdk.language": "go", "telemetry.sdk.version": "1.2.3",
		"cicd.pipeline.name": "ci", "cicd.pipeline.run.id": "7", "cicd.pipeline.run.url.full": "https://git.example/o/r/actions/runs/7", "cicd.pipeline.task.name": "fix",
		"vcs.repository.url.full": "https://git.example/o/r", "vcs.ref.head.name": "main", "vcs.ref.head.revision": "abc",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("resource (-want +got):\n%s", diff)
	}
}

// What is wrong is told, without values that may be secret, and does not keep the rest.
func TestBegin_WhatIsWrongIsReported(t *testing.T) {
	for _, c := range []struct{ env, warn string }{
		{"OTEL_EXPORTER_OTLP_HEADERS=sk-test-0123456789", "OTEL_EXPORTER_OTLP_HEADERS is not understood"},
		{"OTEL_EXPORTER_OTLP_HEADERS=k=sk-test-0123456789%2", "OTEL_EXPORTER_OTLP_HEADERS is not understood"},
		{"OTEL_RESOURCE_ATTRIBUTES=a=1,sk-test-0123456789", "OTEL_RESOURCE_ATTRIBUTES is not understood"},
		{"OTEL_EXPORTER_OTLP_TIMEOUT=5s", `OTEL_EXPORTER_OTLP_TIMEOUT is "5s", want milliseconds; 5s is used`},
		{"OTEL_EXPORTER_OTLP_TIMEOUT=0", "want milliseconds"},
		{"OTEL_EXPORTER_OTLP_COMPRESSION=zstd", "want gzip or none"},
		{"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY", "want true or false; the trace has no texts"},
		{"OTEL_TRACES_SAMPLER=random", "every trace is exported"},
		{"TRACEPARENT=00-x-y-01", "TRACEPARENT is not understood, so a new trace begins"},
	} {
		tr, warnings := Begin(at(endpoint, c.env), "1", false)
		if tr == nil || len(warnings) != 1 || !strings.Contains(warnings[0], c.warn) || strings.Contains(warnings[0], "sk-test") {
			t.Errorf("%q: warnings %q, want a trace and one with %q", c.env, warnings, c.warn)
			continue
		}
		if said := redact.New(nil).String(warnings[0]); said != warnings[0] {
			t.Errorf("%q: the warning is shown as %q", c.env, said) // with its own words taken for a secret
		}
		if tr.exporter.texts || tr.exporter.gzip || tr.exporter.time != maxTime || len(tr.exporter.headers) > 0 || tr.ID() == strings.Repeat("0", 32) {
			t.Errorf("%q: got something of what is wrong", c.env)
		}
	}
	if tr, _ := Begin(at(endpoint, "OTEL_EXPORTER_OTLP_TIMEOUT=9999999999999"), "1", false); tr.exporter.time != maxTime {
		t.Errorf("time %v, want %v", tr.exporter.time, maxTime)
	}
	if tr, _ := Begin(at(endpoint, "OTEL_EXPORTER_OTLP_TIMEOUT=250"), "1", false); tr.exporter.time != 250*time.Millisecond {
		t.Errorf("time %v, want 250ms", tr.exporter.time)
	}
}

const (
	aTrace = "0af7651916cd43dd8448eb211c80319c"
	aSpan  = "b7ad6b7169203331"
)

func TestParseParent(t *testing.T) {
	for _, c := range []struct {
		header string
		ok     bool
		flags  byte
	}{
		{"00-" + aTrace + "-" + aSpan + "-01", true, 1},
		{"00-" + aTrace + "-" + aSpan + "-00", true, 0},
		{" 00-" + aTrace + "-" + aSpan + "-03\n", true, 1},
		{"cc-" + aTrace + "-" + aSpan + "-01-what-the-future-will-be-like", true, 1},
		{"ff-" + aTrace + "-" + aSpan + "-01", false, 0},
		{"00-" + aTrace + "-" + aSpan + "-01-more", false, 0},
		{"00-" + strings.ToUpper(aTrace) + "-" + aSpan + "-01", false, 0},
		{"00-" + strings.Repeat("0", 32) + "-" + aSpan + "-01", false, 0},
		{"00-" + aTrace + "-" + strings.Repeat("0", 16) + "-01", false, 0},
		{"00-" + aTrace[1:] + "-" + aSpan + "-01", false, 0},
		{"00-" + aTrace[1:] + "g-" + aSpan + "-01", false, 0},
		{"", false, 0}, {"00", false, 0}, {"---", false, 0},
	} {
		id, parent, flags, ok := parseParent(c.header)
		if ok != c.ok || flags != c.flags || ok && (id == (traceID{}) || parent == (spanID{})) {
			t.Errorf("parseParent(%q) = %x, %x, %d, %t, want %t with flags %d", c.header, id, parent, flags, ok, c.ok, c.flags)
		}
	}
}

// An agent is told of its run's span in the place of what the job was told.
func TestEnviron_NamesTheRun(t *testing.T) {
	tr, _ := Begin(at(endpoint, "TRACEPARENT=00-"+aTrace+"-"+aSpan+"-01", "TRACESTATE=v=1"), "1", false)
	r := tr.Run(nil)
	got := r.Environ([]string{"A=1", "TRACEPARENT=old", "TRACESTATE=old", "B=2"})
	if want := []string{"A=1", "B=2", "TRACEPARENT=00-" + aTrace + "-" + wireID(r.root) + "-01", "TRACESTATE=v=1"}; !cmp.Equal(got, want) {
		t.Errorf("Environ = %q, want %q", got, want)
	}
	var none *Run
	if got := none.Environ([]string{"TRACEPARENT=old"}); !slices.Equal(got, []string{"TRACEPARENT=old"}) {
		t.Errorf("Environ of no run = %q, want what was there", got)
	}
}

func wireID(s *span) string { return s.wire(time.Now(), same).SpanID }

func same(s string) string { return s }

func TestSampler(t *testing.T) {
	parent := "TRACEPARENT=00-" + aTrace + "-" + aSpan
	for _, c := range []struct {
		env  []string
		want bool
	}{
		{[]string{parent + "-00"}, false},
		{[]string{parent + "-01", "OTEL_TRACES_SAMPLER=parentbased_always_off"}, true},
		{[]string{"OTEL_TRACES_SAMPLER=parentbased_always_off"}, false},
		{[]string{parent + "-00", "OTEL_TRACES_SAMPLER=always_on"}, true},
		{[]string{parent + "-01", "OTEL_TRACES_SAMPLER=traceidratio", "OTEL_TRACES_SAMPLER_ARG=0"}, false},
		{[]string{"OTEL_TRACES_SAMPLER=parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG=1.0"}, true},
	} {
		if tr, warnings := Begin(at(append(c.env, endpoint)...), "1", false); (tr != nil) != c.want || len(warnings) > 0 {
			t.Errorf("%q: exported %t with warnings %q, want %t", c.env, tr != nil, warnings, c.want)
		}
	}
	// By the last 63 bits of the id, so that every program decides the same.
	half := sampler{ratio: 0.5}
	for bits, want := range map[uint64]bool{0: true, 1<<63 - 2: true, 1<<63 + 2: false, 1<<64 - 1: false} {
		tr := &Trace{}
		binary.BigEndian.PutUint64(tr.id[8:], bits)
		if got := half.samples(tr); got != want {
			t.Errorf("half of the traces: %x is exported %t, want %t", bits, got, want)
		}
	}
}
