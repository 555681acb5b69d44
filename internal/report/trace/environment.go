package trace

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/platform/process"
)

// maxTime bounds the export of a trace, with all attempts.
const maxTime = 5 * time.Second

// exporter is where a trace goes, and what stands beside its spans.
type exporter struct {
	place    process.Env // of files for TLS
	endpoint *url.URL
	headers  http.Header
	gzip     bool
	time     time.Duration // for all attempts
	tls      files
	texts    bool // of prompts, arguments and results are sent
	sampler  sampler
	version  string
	resource []attribute
}

// files name what TLS needs besides the certificates of the system, empty for none.
type files struct{ authorities, certificate, key string }

// environment reads the variables and gathers what is wrong with them.
type environment struct {
	process.Env
	inJob    bool // whether this is a job of GitHub Actions
	warnings []string
}

func (v *environment) warn(format string, args ...any) {
	v.warnings = append(v.warnings, fmt.Sprintf(format, args...))
}

// exporterValue returns the value of a variable of the exporter, by the name that is
// for traces alone or the one for all signals, and which of them it was.
func (v *environment) exporterValue(name string) (value, from string) {
	for _, from := range []string{"OTEL_EXPORTER_OTLP_TRACES_" + name, "OTEL_EXPORTER_OTLP_" + name} {
		if value := strings.TrimSpace(v.Getenv(from)); value != "" {
			return value, from
		}
	}
	return "", ""
}

// newExporter returns where the environment wants traces, nil for nowhere, and what is
// wrong with its variables.
func newExporter(p process.Env, version string, inJob bool) (*exporter, []string) {
	v := &environment{Env: p, inJob: inJob}
	endpoint, from := v.exporterValue("ENDPOINT")
	if endpoint == "" || strings.EqualFold(strings.TrimSpace(v.Getenv("OTEL_SDK_DISABLED")), "true") || !v.wanted() {
		return nil, v.warnings
	}
	e := &exporter{place: p, version: version, time: v.patience(), headers: v.headers()}
	compression, compressionFrom := v.exporterValue("COMPRESSION")
	e.gzip = v.chosen(compression, compressionFrom, "gzip", "none", "nothing is compressed")
	e.texts = v.chosen(strings.TrimSpace(v.Getenv(captureVariable)), captureVariable, "true", "false", "the trace has no texts")
	e.sampler = v.sampler()
	address, err := v.address(endpoint, from)
	if err != nil {
		v.warn("no trace is exported: %s %v", from, err)
		return nil, v.warnings
	}
	if !v.speaks() {
		return nil, v.warnings
	}
	e.endpoint = address
	e.tls.authorities, _ = v.exporterValue("CERTIFICATE")
	e.tls.certificate, _ = v.exporterValue("CLIENT_CERTIFICATE")
	e.tls.key, _ = v.exporterValue("CLIENT_KEY")
	e.resource = v.resource(version)
	return e, v.warnings
}

// wanted reports whether the exporters that are named are ours.
func (v *environment) wanted() bool {
	list := strings.Split(v.Getenv("OTEL_TRACES_EXPORTER"), ",")
	for i, name := range list {
		list[i] = strings.TrimSpace(name)
	}
	if slices.Contains(list, "otlp") || len(list) == 1 && list[0] == "" {
		return true
	}
	if !slices.Contains(list, "none") {
		v.warn("no trace is exported: OTEL_TRACES_EXPORTER is %q, want otlp or none", v.Getenv("OTEL_TRACES_EXPORTER"))
	}
	return false
}

// speaks reports whether the collector can be sent what we have, and warns where it is
// named another protocol. Those that take protobuf over HTTP take JSON at the same address.
func (v *environment) speaks() bool {
	protocol, from := v.exporterValue("PROTOCOL")
	switch protocol {
	case "", "http/json":
	case "http/protobuf":
		v.warn("%s is http/protobuf, but http/json is what is sent; set it to http/json", from)
	default:
		v.warn("no trace is exported: %s is %q, want http/json, and the collector's address for HTTP, which by custom has port 4318", from, protocol)
		return false
	}
	return true
}

// address returns the URL that traces are sent to.
func (v *environment) address(endpoint, from string) (*url.URL, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("is no address of a collector: want one such as http://localhost:4318") // its text may hold a password
	}
	if !strings.Contains(from, "_TRACES_") {
		u = u.JoinPath("v1", "traces")
	} else if u.Path == "" {
		u.Path = "/"
	}
	host := u.Hostname()
	if ip := net.ParseIP(host); v.Getenv("OPENAGENT_NETWORK") == "loopback" && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, errors.New("is on another machine, and OPENAGENT_NETWORK is loopback")
	}
	return u, nil
}

// patience is how long the export may take.
func (v *environment) patience() time.Duration {
	value, from := v.exporterValue("TIMEOUT")
	if value == "" {
		return maxTime
	}
	ms, err := strconv.Atoi(value)
	if err != nil || ms <= 0 {
		v.warn("%s is %q, want milliseconds; %v is used", from, value, maxTime)
		return maxTime
	}
	return min(maxTime, time.Duration(min(ms, 1<<30))*time.Millisecond)
}

// headers returns those that are sent. Warnings never quote them.
func (v *environment) headers() http.Header {
	list, from := v.exporterValue("HEADERS")
	h := http.Header{}
	pairs, err := parsePairs(list)
	if err != nil {
		v.warn("%s is not understood and not used: want NAME=VALUE,..., with percent signs for what is special", from)
	}
	for _, pair := range pairs {
		h.Set(pair[0], pair[1])
	}
	return h
}

// captureVariable asks for prompts, arguments and results in the trace.
const captureVariable = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"

// chosen reports whether a variable has the first of two words, and warns of any that is
// neither.
func (v *environment) chosen(value, from, yes, no, otherwise string) bool {
	if value != "" && !strings.EqualFold(value, yes) && !strings.EqualFold(value, no) {
		v.warn("%s is %q, want %s or %s; %s", from, value, yes, no, otherwise)
	}
	return strings.EqualFold(value, yes)
}

// resource returns what is said of this program and its job.
func (v *environment) resource(version string) []attribute {
	list := []attribute{
		text("service.name", "openagent"), text("service.version", version),
		text("telemetry.sdk.name", "openagent"), text("telemetry.sdk.language", "go"), text("telemetry.sdk.version", version),
		text("os.type", runtime.GOOS), text("host.arch", runtime.GOARCH),
	}
	if v.inJob {
		list = append(list, v.job()...)
	}
	pairs, err := parsePairs(v.Getenv("OTEL_RESOURCE_ATTRIBUTES"))
	if err != nil {
		v.warn("OTEL_RESOURCE_ATTRIBUTES is not understood and not used: want NAME=VALUE,..., with percent signs for what is special")
	}
	if name := strings.TrimSpace(v.Getenv("OTEL_SERVICE_NAME")); name != "" {
		pairs = append(pairs, [2]string{"service.name", name})
	}
	for _, pair := range pairs {
		list = slices.DeleteFunc(list, func(a attribute) bool { return a.Key == pair[0] })
		list = append(list, text(pair[0], pair[1]))
	}
	return slices.DeleteFunc(list, func(a attribute) bool { return *a.Value.String == "" })
}

// job returns what the runner says of the job.
func (v *environment) job() []attribute {
	repository, run := v.Getenv("GITHUB_SERVER_URL")+"/"+v.Getenv("GITHUB_REPOSITORY"), v.Getenv("GITHUB_RUN_ID")
	return []attribute{
		text("cicd.pipeline.name", v.Getenv("GITHUB_WORKFLOW")), text("cicd.pipeline.run.id", run), text("cicd.pipeline.run.url.full", repository+"/actions/runs/"+run),
		text("cicd.pipeline.task.name", v.Getenv("GITHUB_JOB")), text("vcs.repository.url.full", repository),
		text("vcs.ref.head.name", v.Getenv("GITHUB_REF_NAME")), text("vcs.ref.head.revision", v.Getenv("GITHUB_SHA")),
	}
}

// parsePairs reads a list of names and values, which may be escaped as in addresses. It is
// used whole or not at all.
func parsePairs(list string) (pairs [][2]string, err error) {
	for item := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(item) == "" {
			continue
		}
		name, value, ok := strings.Cut(item, "=")
		name, nameErr := url.PathUnescape(strings.TrimSpace(name))
		value, valueErr := url.PathUnescape(strings.TrimSpace(value))
		if !ok || name == "" || nameErr != nil || valueErr != nil {
			return nil, errors.New("no list of names and values")
		}
		pairs = append(pairs, [2]string{name, value})
	}
	return pairs, nil
}
