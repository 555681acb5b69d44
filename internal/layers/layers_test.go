package layers

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/openagent-ci/openagent"

// rows is the picture of the house: a package imports from lower rows only.
var rows = [][]string{
	{"internal/jsontext", "internal/clip", "internal/lazyregexp"},
	{"schema", "schema/bindings", "schema/bindings/go", "schema/validate/line", "internal/event", "internal/key", "internal/chat", "internal/tool", "internal/policy", "internal/redact", "internal/nearest", "internal/prices", "internal/demo", "internal/atomicfile", "internal/control", "internal/process/guard", "internal/process/signals", "internal/sandbox", "internal/sandbox/enter", "internal/sandbox/private", "internal/testenv", "internal/fakegithub", "internal/hint", "internal/python", "internal/adapter/raw", "internal/wire", "internal/toolcall/lex", "internal/toolcall/loosejson", "internal/toolname", "internal/window", "internal/passage", "internal/language", "internal/lines", "internal/filelock", "golden"},
	{"schema/validate", "schema/validate/document", "schema/compat", "schema/observe", "internal/adapter", "internal/adapter/emit", "internal/answer", "internal/proc", "internal/record", "internal/projection", "internal/toolcall", "internal/toolresult", "internal/guarded", "internal/provider", "internal/transport", "internal/view", "internal/shard"},
	{"docs/parsers", "internal/cassette", "internal/complete", "internal/diff", "internal/git", "internal/installed", "internal/process", "internal/search", "internal/instructions", "internal/value", "internal/walled", "runner"},
	{"internal/schemafile", "internal/command", "internal/workspace", "internal/mcp", "internal/history", "internal/evidence", "internal/standin", "internal/starter", "internal/report", "internal/actions"},
	{"internal/trace", "internal/agent", "internal/archive", "internal/comment", "internal/companion", "internal/recall", "internal/resume", "internal/saved", "internal/observed", "internal/page", "internal/simulated", "internal/results"},
	{"internal/session", "internal/harness", "internal/conformance"},
	{"internal/flags", "internal/scenarios"},
	{"internal/cli"},
	{"testscript"},
	{"cmd/openagent", "cmd/openagent-archive", "internal/manual"},
}

// siblings are imports within one row that the picture allows: redact looks through what a terminal does not show, policy
// names the tool that was meant, wire knows the reasons of an end, loose JSON is made of what lex finds, each agent converts by the one emitter,
// golden compares the calls of several agents by neutral names, flags say which scripts are meant, the sandbox hands its plan to the role that takes it.
var siblings = map[string][]string{
	"golden":           {"internal/toolname"},
	"internal/redact":  {"internal/control"},
	"internal/policy":  {"internal/nearest"},
	"internal/prices":  {"internal/nearest"},
	"internal/wire":    {"internal/chat"},
	"internal/sandbox": {"internal/sandbox/enter", "internal/sandbox/private"},
	"internal/flags":   {"internal/scenarios"},

	"internal/adapter":            {"internal/adapter/emit"},
	"internal/toolcall/loosejson": {"internal/toolcall/lex"},
}

// owners names the packages that may import a module that is not ours.
var owners = map[string][]string{
	"github.com/andybalholm/brotli":            {"internal/transport"},
	"github.com/gofrs/flock":                   {"internal/filelock"},
	"github.com/parquet-go/parquet-go":         {"internal/archive"},
	"github.com/sethvargo/go-githubactions":    {"internal/actions"},
	"github.com/kaptinlin/jsonrepair":          {"internal/toolcall/loosejson"},
	"github.com/openai/openai-go/v3":           {"internal/provider"},
	"github.com/santhosh-tekuri/jsonschema/v5": {"schema/validate/document"},
	"github.com/rogpeppe/go-internal":          {"testscript", "internal/cassette"},
	"github.com/spf13/cobra":                   {"internal/cli", "internal/command", "internal/companion", "internal/complete", "internal/manual"},
	"github.com/spf13/pflag":                   {"internal/complete", "internal/flags", "internal/manual"},
	"github.com/modelcontextprotocol/go-sdk":   {"internal/mcp"},
	"go.yaml.in/yaml/v4":                       {"internal/policy", "internal/prices", "internal/transport"},
	"golang.org/x/term":                        {"internal/view"},
	"golang.org/x/sys":                         {"internal/proc", "internal/process", "internal/sandbox", "internal/sandbox/private", "internal/search", "internal/view", "internal/window", "internal/workspace"},
	"github.com/rivo/uniseg":                   {"internal/view"},
}

// forbidden pairs hold beside the rows: the agent's side cannot know the wire
// format, and the harness cannot know the agent.
var forbidden = []struct{ from, to string }{
	{"internal/harness", "internal/agent"}, {"internal/harness", "internal/provider"}, {"internal/harness", "internal/history"}, {"internal/harness", "internal/recall"}, {"internal/harness", "internal/workspace"},
	{"internal/session", "schema"}, {"internal/agent", "schema"}, {"internal/event", "schema"}, {"internal/tool", "schema"}, {"internal/toolresult", "schema"},
	{"internal/workspace", "schema"}, {"internal/history", "schema"}, {"internal/recall", "schema"}, {"internal/git", "schema"}, {"internal/policy", "schema"}, {"internal/record", "schema"},
	{"internal/adapter", "internal/event"}, {"internal/provider", "schema"}, {"internal/transport", "schema"}, {"internal/cassette", "schema"}, {"internal/wire", "schema"}, {"internal/chat", "schema"}, {"internal/toolcall", "schema"},
}

// harness is all of ours that the harness may import: it cannot know an agent.
var harness = []string{"schema", "schema/validate", "internal/adapter", "internal/adapter/emit", "internal/proc", "internal/redact", "internal/clip"}

// imports returns what each package of the module imports outside its tests.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	root := filepath.Join("..", "..")
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(p[min(len(root)+1, len(p)):])
		if d.IsDir() {
			skip := d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || rel == "internal/tools" || rel == "internal/demo/workspace"
			if skip && rel != "" {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") {
			return nil
		}
		src, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), p, src, parser.ImportsOnly)
		if err != nil {
			return err
		}
		pkg := path.Dir(rel)
		found[pkg] = append(found[pkg], "")
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			found[pkg] = append(found[pkg], name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// apart are the packages that the program openagent does not link, since what they
// import costs the start of every command more than 0.3 ms; a program of their own has
// them, and tests.
var apart = []string{"internal/archive"}

func TestImports_WhatStartsSlowlyIsApart(t *testing.T) {
	found := imports(t)
	linked := map[string]bool{}
	var link func(pkg string)
	link = func(pkg string) {
		if linked[pkg] {
			return
		}
		linked[pkg] = true
		for _, name := range found[pkg] {
			if own, ok := strings.CutPrefix(name, module+"/"); ok {
				link(own)
			}
		}
	}
	link("cmd/openagent")
	if len(linked) < 50 {
		t.Fatalf("cmd/openagent links %d packages, want most", len(linked))
	}
	for _, pkg := range apart {
		if found[pkg] == nil || linked[pkg] {
			t.Errorf("%s is a package: %v, linked into openagent: %v, want it apart", pkg, found[pkg] != nil, linked[pkg])
		}
	}
}

// onlyForTests are the packages that nothing but tests and each other import. Their lines
// count as those of tests.
var onlyForTests = []string{"internal/fakegithub", "internal/simulated", "internal/testenv"}

func TestImports_WhatIsForTestsServesNothingElse(t *testing.T) {
	found := imports(t)
	for _, pkg := range onlyForTests {
		if found[pkg] == nil {
			t.Errorf("%s is no package", pkg)
		}
		for importer, list := range found {
			if slices.Contains(list, module+"/"+pkg) && !slices.Contains(onlyForTests, importer) {
				t.Errorf("%s imports %s, which is only for tests", importer, pkg)
			}
		}
	}
}

func row(pkg string) int {
	return slices.IndexFunc(rows, func(r []string) bool { return slices.Contains(r, pkg) })
}

func TestImports_FollowThePicture(t *testing.T) {
	found := imports(t)
	if len(found) < 20 {
		t.Fatalf("%d packages found, want the whole module", len(found))
	}
	for pkg, list := range found {
		if pkg == "internal/layers" {
			continue
		}
		if row(pkg) < 0 {
			t.Errorf("package %s stands in no row", pkg)
			continue
		}
		for _, name := range list {
			if p := broken(pkg, name); p != "" {
				t.Errorf("%s imports %s: %s", pkg, name, p)
			}
		}
	}
	for _, pair := range forbidden {
		if slices.Contains(found[pair.from], module+"/"+pair.to) {
			t.Errorf("%s imports %s, which it must not know", pair.from, pair.to)
		}
	}
	for _, name := range found["runner"] {
		if own, ok := strings.CutPrefix(name, module+"/"); ok && !slices.Contains(harness, own) {
			t.Errorf("runner imports %s, want only %v", own, harness)
		}
	}
}

// broken returns what is wrong with an import, empty when nothing is.
func broken(pkg, name string) string {
	if own, ok := strings.CutPrefix(name, module+"/"); ok {
		if row(own) < row(pkg) || slices.Contains(siblings[pkg], own) {
			return ""
		}
		return "it stands in no lower row"
	}
	if first, _, _ := strings.Cut(name, "/"); !strings.Contains(first, ".") {
		return "" // the standard library
	}
	for mod, allowed := range owners {
		if within(name, mod) {
			if slices.Contains(allowed, pkg) {
				return ""
			}
			return "its owner is " + strings.Join(allowed, " and ")
		}
	}
	return "it has no owner"
}

// What the picture allows and nobody does any more is a hole in it.
func TestPicture_AllowsNothingThatIsUnused(t *testing.T) {
	found := imports(t)
	for _, r := range rows {
		for _, pkg := range r {
			if found[pkg] == nil {
				t.Errorf("rows name %s, which is no package", pkg)
			}
		}
	}
	for pkg, list := range siblings {
		for _, own := range list {
			if !slices.Contains(found[pkg], module+"/"+own) {
				t.Errorf("%s may import %s of its own row and does not", pkg, own)
			}
		}
	}
	for mod, allowed := range owners {
		for _, pkg := range allowed {
			if !slices.ContainsFunc(found[pkg], func(name string) bool { return within(name, mod) }) {
				t.Errorf("%s owns %s and does not import it", pkg, mod)
			}
		}
	}
}

// TestPicture_IsThatOfTheDocs compares the rows with the table that maintainers
// read.
func TestPicture_IsThatOfTheDocs(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	var drawn, want []string
	for _, m := range regexp.MustCompile("(?m)^\\| (\\d+|-) \\| `([^`]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		drawn = append(drawn, m[1]+" "+m[2])
	}
	for i, r := range rows {
		number := "-" // below all
		if i > 0 {
			number = strconv.Itoa(i - 1)
		}
		for _, pkg := range r {
			want = append(want, number+" "+pkg)
		}
	}
	slices.Sort(drawn)
	slices.Sort(want)
	if diff := cmp.Diff(want, drawn); diff != "" {
		t.Errorf("docs/architecture.md draws other rows (-want +got):\n%s", diff)
	}
}

// A module whose licence nobody has looked at is not handed on with the program.
func TestLicences_OfEveryModule(t *testing.T) {
	root := filepath.Join("..", "..")
	var lists [2][]string
	for i, list := range []struct{ file, line string }{
		{"go.mod", `(?m)^\t(\S+) v`},
		{filepath.Join("docs", "third-party.md"), "(?m)^\\| `(\\S+)` \\| [A-Z]"},
	} {
		text, err := os.ReadFile(filepath.Join(root, list.file))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(list.line).FindAllStringSubmatch(string(text), -1) {
			if m[1] != "github.com/google/go-cmp" { // only tests import it
				lists[i] = append(lists[i], m[1])
			}
		}
		slices.Sort(lists[i])
	}
	if diff := cmp.Diff(lists[0], lists[1]); diff != "" || len(lists[0]) < 10 {
		t.Errorf("docs/third-party.md lists other modules than go.mod (-go.mod +doc):\n%s", diff)
	}
}

// within reports whether the package name is part of the module mod.
func within(name, mod string) bool { return name == mod || strings.HasPrefix(name, mod+"/") }

func TestBroken_NoticesEachKind(t *testing.T) {
	for _, c := range []struct{ pkg, name string }{
		{"schema", module + "/internal/cli"}, {"internal/git", module + "/runner"},
		{"internal/agent", "github.com/spf13/cobra"}, {"internal/agent", "example.com/x"},
	} {
		if broken(c.pkg, c.name) == "" {
			t.Errorf("broken(%s, %s) is empty, want a reason", c.pkg, c.name)
		}
	}
	for _, c := range []struct{ pkg, name string }{
		{"internal/cli", module + "/runner"}, {"internal/cli", "github.com/spf13/cobra"}, {"schema", "encoding/json"}, {"internal/tool", module + "/internal/clip"},
	} {
		if p := broken(c.pkg, c.name); p != "" {
			t.Errorf("broken(%s, %s) = %s, want nothing", c.pkg, c.name, p)
		}
	}
}
