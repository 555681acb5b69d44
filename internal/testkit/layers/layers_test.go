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

var root = filepath.Join("..", "..", "..")

// order lists the rooms from top to bottom; a room imports only rooms below its
// row. A room is a folder below internal, or one of the top folders.
var order = [][]string{
	{"cmd", "docs"}, {"testscript"}, {"cli"}, {"harness", "agent"}, {"github"}, {"report"}, {"evidence"}, {"runner", "golden"},
	{"tool"}, {"model"}, {"adapter"}, {"sandbox"}, {"runlog"}, {"schema"}, {"platform"}, {"text"},
}

// forbidden are pairs that the order alone would allow: the agent cannot know the
// published format or who runs it, and the harness cannot know the agent. A name is
// a room or a package.
var forbidden = []struct{ from, to string }{
	{"agent", "github"}, {"agent", "report"}, {"agent", "runner"},
	{"agent", "schema"}, {"tool", "schema"}, {"model", "schema"},
	{"harness", "internal/model/provider"},
	{"runner", "tool"}, {"runner", "model"}, {"runner", "sandbox"}, {"runner", "runlog"}, {"runner", "golden"},
}

// owners names the rooms or packages that may import a third-party module.
var owners = map[string][]string{
	"github.com/andybalholm/brotli":            {"internal/model/transport"},
	"github.com/yuin/goldmark":                 {"internal/report/document"},
	"github.com/gofrs/flock":                   {"internal/platform/file"},
	"github.com/parquet-go/parquet-go":         {"internal/evidence/archive"},
	"github.com/sethvargo/go-githubactions":    {"internal/github/job"},
	"github.com/kaptinlin/jsonrepair":          {"internal/model/toolcall"},
	"github.com/openai/openai-go/v3":           {"internal/model/provider"},
	"github.com/santhosh-tekuri/jsonschema/v5": {"internal/text/jsonschema"},
	"github.com/tidwall/gjson":                 {"internal/model/provider", "internal/model/wire"},
	"github.com/tidwall/sjson":                 {"internal/model/provider"},
	"github.com/rogpeppe/go-internal":          {"testscript", "internal/model/cassette"},
	"github.com/spf13/cobra":                   {"cli"},
	"github.com/spf13/pflag":                   {"cli"},
	"github.com/modelcontextprotocol/go-sdk":   {"internal/tool/mcp"},
	"go.yaml.in/yaml/v4":                       {"internal/text/yamltext"},
	"golang.org/x/sync":                        {"internal/model/transport", "harness"},
	"golang.org/x/term":                        {"internal/text/term"},
	"golang.org/x/sys":                         {"platform", "sandbox", "internal/text/term", "internal/report/live"},
	"github.com/rivo/uniseg":                   {"internal/text/term"},
}

// roomOf returns the room of a package of the module.
func roomOf(pkg string) string {
	parts := strings.Split(pkg, "/")
	if parts[0] == "internal" && len(parts) > 1 {
		return parts[1]
	}
	return parts[0]
}

func row(room string) int {
	return slices.IndexFunc(order, func(rooms []string) bool { return slices.Contains(rooms, room) })
}

// imports returns what each package of the module imports outside its tests.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	files(t, func(rel string, src []byte) {
		if strings.HasSuffix(rel, "_test.go") {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), rel, src, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		pkg := path.Dir(rel)
		found[pkg] = append(found[pkg], "")
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			found[pkg] = append(found[pkg], name)
		}
	})
	if len(found) < 20 {
		t.Fatalf("%d packages found, want the whole module", len(found))
	}
	return found
}

// files calls use with each Go file of the module; data of tests, the demo's
// workspace and the development tools are left out.
func files(t *testing.T, use func(rel string, src []byte)) {
	t.Helper()
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(p[min(len(root)+1, len(p)):])
		if d.IsDir() {
			if rel != "" && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || rel == "internal/devtools" || rel == "internal/agent/demo/workspace") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") {
			return nil
		}
		src, err := os.ReadFile(p)
		if err == nil {
			use(rel, src)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestRooms_AreThoseOfTheOrder(t *testing.T) {
	entries, err := os.ReadDir(filepath.Join(root, "internal"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if row(e.Name()) < 0 && e.Name() != "testkit" && e.Name() != "devtools" {
			t.Errorf("internal/%s is no room", e.Name())
		}
	}
}

func TestImports_FollowTheOrder(t *testing.T) {
	used := map[string]map[string]bool{}
	for pkg, list := range imports(t) {
		if roomOf(pkg) == "testkit" {
			continue // only tests import it, which the next test checks
		}
		for _, name := range list {
			if p := broken(pkg, name); p != "" {
				t.Errorf("%s imports %s: %s", pkg, name, p)
			}
			for mod, allowed := range owners {
				if within(name, mod) {
					for _, owner := range allowed {
						if owner == pkg || owner == roomOf(pkg) {
							if used[mod] == nil {
								used[mod] = map[string]bool{}
							}
							used[mod][owner] = true
						}
					}
				}
			}
		}
	}
	for mod, allowed := range owners {
		for _, owner := range allowed {
			if !used[mod][owner] {
				t.Errorf("%s owns %s and does not import it", owner, mod)
			}
		}
	}
}

func TestImports_TestkitServesTestsOnly(t *testing.T) {
	for pkg, list := range imports(t) {
		for _, name := range list {
			if own, ok := strings.CutPrefix(name, module+"/"); ok && roomOf(own) == "testkit" && roomOf(pkg) != "testkit" {
				t.Errorf("%s imports %s, which is only for tests", pkg, own)
			}
		}
	}
}

// broken returns what is wrong with an import, empty when nothing is.
func broken(pkg, name string) string {
	if own, ok := strings.CutPrefix(name, module+"/"); ok {
		from, to := roomOf(pkg), roomOf(own)
		switch {
		case from == to:
			return ""
		case row(from) < 0 || row(to) < 0:
			return "one of them is in no room"
		case row(from) >= row(to):
			return to + " is not below " + from
		}
		for _, pair := range forbidden {
			if pair.from == from && (pair.to == to || pair.to == own) {
				return pair.from + " must not know " + pair.to
			}
		}
		return ""
	}
	if first, _, _ := strings.Cut(name, "/"); !strings.Contains(first, ".") {
		return "" // the standard library
	}
	for mod, allowed := range owners {
		if within(name, mod) {
			if slices.Contains(allowed, pkg) || slices.Contains(allowed, roomOf(pkg)) {
				return ""
			}
			return "its owner is " + strings.Join(allowed, " and ")
		}
	}
	return "it has no owner"
}

// within reports whether the package name is part of the module mod.
func within(name, mod string) bool { return name == mod || strings.HasPrefix(name, mod+"/") }

func TestBroken_NoticesEachKind(t *testing.T) {
	for _, c := range []struct{ pkg, name string }{
		{"schema", module + "/internal/cli"}, {"internal/tool/git", module + "/runner"}, {"internal/harness", module + "/internal/agent"},
		{"internal/harness", module + "/internal/model/provider"}, {"internal/agent/session", module + "/schema"}, {"runner", module + "/internal/tool"},
		{"internal/tool", module + "/internal/nowhere"}, {"internal/agent", "github.com/spf13/cobra"}, {"internal/agent", "example.com/x"},
	} {
		if broken(c.pkg, c.name) == "" {
			t.Errorf("broken(%s, %s) is empty, want a reason", c.pkg, c.name)
		}
	}
	for _, c := range []struct{ pkg, name string }{
		{"internal/cli", module + "/runner"}, {"internal/cli/flags", "github.com/spf13/pflag"}, {"schema", "encoding/json"},
		{"internal/tool", module + "/internal/text/clip"}, {"internal/tool/git", module + "/internal/tool"},
	} {
		if p := broken(c.pkg, c.name); p != "" {
			t.Errorf("broken(%s, %s) = %s, want nothing", c.pkg, c.name, p)
		}
	}
}

// sentence matches a package comment, up to the end of its first sentence.
var sentence = regexp.MustCompile(`^(?:Package|Command) \S+ ([^.]*(?:\.[^\s.][^.]*)*)\.(?:\s|$)`)

// The page for maintainers has one line per package: the first sentence of its
// comment without the name.
func TestArchitecture_HasTheFirstSentences(t *testing.T) {
	want := map[string]string{}
	files(t, func(rel string, src []byte) {
		if strings.HasSuffix(rel, "_test.go") {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), rel, src, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		pkg := path.Dir(rel)
		if _, ok := want[pkg]; !ok {
			want[pkg] = ""
		}
		if file.Doc == nil {
			return
		}
		m := sentence.FindStringSubmatch(strings.Join(strings.Fields(file.Doc.Text()), " "))
		switch {
		case m == nil:
			t.Errorf("%s: its comment has no first sentence", rel)
		case want[pkg] != "":
			t.Errorf("%s: a second comment of its package", rel)
		default:
			want[pkg] = m[1]
		}
	})
	delete(want, "testscript/example") // only tests
	text, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^- `([^`]+)`: (.*)$").FindAllStringSubmatch(string(text), -1) {
		got[m[1]] = m[2]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/architecture.md has other lines than the packages (-want +got):\n%s", diff)
	}
}

// A module with a license that nobody has looked at is not shipped with the program.
func TestLicenses_OfEveryModule(t *testing.T) {
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
