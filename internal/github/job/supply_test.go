package job

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// zizmorVariable names the program that looks for what an attacker could use in
// workflows, zizmor; internal/devtools/supply has it.
const zizmorVariable = "OPENAGENT_TEST_ZIZMOR"

// The examples pass zizmor as an auditor asks; testdata/zizmor.yml says what of that
// does not hold for examples.
func TestDocs_WorkflowsPassZizmor(t *testing.T) {
	zizmor := os.Getenv(zizmorVariable)
	if zizmor == "" {
		t.Skip(zizmorVariable + " names no zizmor; .ci/run installs one and sets it")
	}
	dir := t.TempDir()
	args := []string{"--offline", "--persona", "auditor", "--no-progress", "--quiet", "--strict-collection", "--config", filepath.Join("testdata", "zizmor.yml")}
	main := regexp.MustCompile(`@main # pin a commit`)
	for _, e := range examples(t) {
		path := filepath.Join(dir, ".github", "workflows", e.name)
		write(t, path, main.ReplaceAllString(e.text, "@"+strings.Repeat("0", 40)+" # v1.0.0"), 0o644)
		args = append(args, path)
	}
	if out, err := exec.Command(zizmor, args...).CombinedOutput(); err != nil {
		t.Errorf("zizmor: %v\n%s", err, out)
	}
}

// Every folder that names versions of others is looked after by Dependabot, which lets
// a week pass.
func TestDependabot_ListsEveryFolder(t *testing.T) {
	var config struct {
		Updates []struct {
			Ecosystem   string `yaml:"package-ecosystem"`
			Directories []string
			Cooldown    struct {
				Days int `yaml:"default-days"`
			}
		}
	}
	readYAML(t, ".github/dependabot.yml", &config)
	directories := map[string][]string{}
	for _, u := range config.Updates {
		directories[u.Ecosystem] = u.Directories
		if u.Cooldown.Days < 7 {
			t.Errorf("%s has a cooldown of %d days, want a week", u.Ecosystem, u.Cooldown.Days)
		}
	}
	of := map[string]string{
		"go.mod": "gomod", "package.json": "npm", "requirements.txt": "pip", "Cargo.toml": "cargo", "pom.xml": "maven", "action.yml": "github-actions",
	}
	found := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && (name == "node_modules" || name == "testdata" || name == ".git") {
			return filepath.SkipDir
		}
		system := of[d.Name()]
		if system == "" {
			return nil
		}
		found++
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if dir = strings.TrimSuffix("/"+filepath.ToSlash(dir), "."); !slices.Contains(directories[system], dir) {
			t.Errorf(".github/dependabot.yml: %s lacks %s", system, dir)
		}
		return err
	})
	if err != nil || found < 14 {
		t.Errorf("found %d files that name versions, %v, want all", found, err)
	}
}

// Who finds a hole, or opens an issue, finds where to.
func TestCommunity_FilesAreThere(t *testing.T) {
	for name, want := range map[string]string{
		"SECURITY.md":                           "security/advisories/new",
		".github/CODEOWNERS":                    "/.github/ @openagent-ci/",
		".github/ISSUE_TEMPLATE/config.yml":     "blank_issues_enabled: false",
		".github/ISSUE_TEMPLATE/bug.yml":        "id: version",
		".github/ISSUE_TEMPLATE/contract.yml":   "id: line",
		".github/ISSUE_TEMPLATE/capability.yml": "id: problem",
	} {
		if !strings.Contains(readRoot(t, name), want) {
			t.Errorf("%s has no %q", name, want)
		}
	}
}
