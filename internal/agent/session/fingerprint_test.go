package session

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/model/provider"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/sandbox"
)

// inputFiles makes the files that flags name, and returns a function that fills
// their paths in for @name.
func inputFiles(t *testing.T) func(string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"prompt": "do", "other-prompt": "do more", "system": "be brief", "key": "sk-test-0123456789",
		"script": "- text: done\n", "other-script": "- text: over\n", "policy": "version: 1\ndefault: allow\n",
		"prices": "m: {input: 1, output: 2}", "other-prices": "m: {input: 1, output: 3}",
		"schema": `{"type":"object"}`, "servers": `{"mcpServers":{"a":{"command":"b"}}}`, "cassette": cassetteOf("m"), "other-cassette": cassetteOf("n"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run, err := record.Open(filepath.Join(dir, "runs"), record.Info{RunID: "earlier"})
	if err == nil {
		err = run.Messages([]record.Message{{Role: chat.RoleSystem, About: &record.About{RunID: "earlier"}}}, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func(arg string) string { return strings.ReplaceAll(arg, "@", dir+string(filepath.Separator)) }
}

// cassetteOf returns a cassette of one request to a model.
func cassetteOf(model string) string {
	return `{"schema":"openagent.cassette.v1"}
{"request":1,"method":"POST","path":"/v1/chat/completions"}
{"part":"model","value":"` + model + `"}
{"status":500}
{"end":"whole"}
`
}

// fingerprint returns that of a run with these options.
func fingerprint(t *testing.T, edits ...func(*Options)) string {
	t.Helper()
	s, _ := newRun(t, "", func(o *Options) {
		for _, edit := range edits {
			edit(o)
		}
	})
	given, err := readKey(t.Context(), s.Process, s.KeyFile)
	if err != nil {
		t.Fatal(err)
	}
	servers, err := readServers(t.Context(), s.Process, s.Options)
	if err != nil {
		t.Fatal(err)
	}
	s = newSetup(t.Context(), s.Process, s.Options, given, servers)
	q, err := s.readRequest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.chooseModel(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if q.instructions, err = s.readInstructions(s.Workspace); err != nil {
		t.Fatal(err)
	}
	sum, err := s.fingerprint(q, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// Every option is on one side: what changes the behaviour of a run changes its
// fingerprint, what only changes where it goes or what it is called does not.
func TestFingerprint_SideOfEachOption(t *testing.T) {
	at := inputFiles(t)
	base := func(o *Options) { o.PromptFile, o.Model, o.Endpoint.BaseURL = at("@prompt"), "m", "http://h.test/v1" }
	scripted := func(o *Options) { base(o); o.Script = at("@script") }
	replayed := func(o *Options) { base(o); o.Cassette = at("@cassette") }
	edits, err := provider.ParseEdit(`/user="ci"`)
	if err != nil {
		t.Fatal(err)
	}
	noon := time.Unix(0, 0)
	limited := func(o *Options) { base(o); o.PricesFile, o.MaxCost = at("@prices"), 1 }
	// What is not listed here is tried with a value of its kind.
	special := map[string]struct{ base, edit func(*Options) }{
		"OutputSchema": {base, func(o *Options) { o.OutputSchema = at("@schema") }},
		"Prompt":       {base, func(o *Options) { o.Prompt = "do more" }}, "PromptFile": {base, func(o *Options) { o.PromptFile = at("@other-prompt") }},
		"TaskFile": {base, func(o *Options) { o.TaskFile = at("@system") }}, "KeyFile": {base, func(o *Options) { o.KeyFile = at("@key") }},
		"Script": {scripted, func(o *Options) { o.Script = at("@other-script") }}, "PolicyFile": {base, func(o *Options) { o.PolicyFile = at("@policy") }},
		"Cassette":       {replayed, func(o *Options) { o.Cassette = at("@other-cassette") }},
		"CassetteMode":   {replayed, func(o *Options) { o.CassetteMode = CassetteRecord }},
		"Endpoint.Edits": {base, func(o *Options) { o.Endpoint.Edits = provider.Edits{edits} }},
		"PricesFile":     {limited, func(o *Options) { o.PricesFile = at("@other-prices") }},
		"MaxCost":        {limited, func(o *Options) { o.MaxCost = 2 }},
		"Sandbox":        {base, func(o *Options) { o.Sandbox.Network = sandbox.NetworkOff }},
		"MCPConfig":      {base, func(o *Options) { o.MCPConfig = at("@servers") }},
		"Instructions":   {base, func(o *Options) { o.Workspace, o.Instructions = at("@"), []string{"system"} }},
		"Resume":         {base, func(o *Options) { o.Resume = at("@runs/earlier") }},
		"Clock":          {base, func(o *Options) { o.Clock = &noon }}, "People": {base, func(o *Options) { o.People = unseen }},
		"Endpoint.Header": {base, func(o *Options) { o.Endpoint.Header = []provider.Pair{{Name: "X-Feature", Value: "on"}} }},
		"Endpoint.Query":  {base, func(o *Options) { o.Endpoint.Query = []provider.Pair{{Name: "api-version", Value: "1"}} }},
	}
	out := []string{
		"Version", "Flags", "Workspace", "WorkspaceGiven", "APIGiven", "KeyFile", "Redact", "Session", "KeepSessions", "StateDir", "ArtifactsDir",
		"Events", "RunID", "Clock", "People", "Stream",
	}
	for _, name := range fields(reflect.TypeFor[Options](), "") {
		side, ok := special[name]
		if !ok {
			side.base = base
			side.edit = func(o *Options) { setOther(t, field(o, name)) }
		}
		before, after := fingerprint(t, side.base), fingerprint(t, side.base, side.edit)
		if changed := before != after; changed == slices.Contains(out, name) {
			t.Errorf("%s: fingerprint changed %v, want %v", name, changed, !changed)
		}
		if again := fingerprint(t, side.base); again != before {
			t.Errorf("%s: fingerprint of the same options is %s, then %s", name, before, again)
		}
	}
}

// fields returns the names of the fields of a struct, those of Endpoint and of its
// parameters behind their own.
func fields(of reflect.Type, prefix string) (names []string) {
	for f := range of.Fields() {
		if f.Type == reflect.TypeFor[Endpoint]() || f.Type == reflect.TypeFor[provider.Parameters]() {
			names = append(names, fields(f.Type, prefix+f.Name+".")...)
		} else {
			names = append(names, prefix+f.Name)
		}
	}
	return names
}

// field returns the field of that name.
func field(o *Options, name string) reflect.Value {
	v := reflect.ValueOf(o).Elem()
	for part := range strings.SplitSeq(name, ".") {
		v = v.FieldByName(part)
	}
	return v
}

// setOther gives a field another value.
func setOther(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "7")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int64:
		v.SetInt(v.Int() + 7)
	case reflect.Float64:
		v.SetFloat(v.Float() + 0.5)
	case reflect.Slice:
		v.Set(reflect.ValueOf([]string{"read_file"}))
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]any{"x": "7"}))
	default:
		t.Fatalf("no other value of a %s", v.Kind())
	}
}
