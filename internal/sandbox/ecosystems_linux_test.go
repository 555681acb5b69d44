package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/sandbox"
)

// ecosystems are projects that build, start threads and test themselves, with
// nothing from the network.
var ecosystems = []struct {
	name, preset, program string
	files                 map[string]string
	line                  string
}{
	{
		name: "C with make", program: "make",
		files: map[string]string{
			"Makefile": "test: main\n\t./main\nmain: main.c\n\tcc -pthread -o $@ main.c\n",
			"main.c":   "#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\nstatic void *run(void *p) { *(int *)p = 1; return p; }\nint main(void) { int done = 0; pthread_t t; FILE *f = fopen(getenv(\"HOME\"), \"r\"); if (!f || pthread_create(&t, 0, run, &done) || pthread_join(t, 0)) return 1; return !done; }\n",
		},
		line: "make test",
	},
	{
		name: "git", program: "git",
		files: map[string]string{"file": "text\n"},
		line:  "git init -q . && git config user.name A && git config user.email a@b && git add file && git commit -qm first && git checkout -q -b other && git mv file moved && git commit -qm second && git gc -q && git clone -q . ../work/clone && git fsck",
	},
	{
		name: "Go", preset: "go", program: "go",
		files: map[string]string{
			"go.mod":    "module example.test/m\n\ngo 1.24\n\nrequire github.com/google/go-cmp v0.7.0\n",
			"go.sum":    "github.com/google/go-cmp v0.7.0 h1:wk8382ETsv4JYUZwIsn6YpYiWiBsYLSJiTsyBybVuN8=\ngithub.com/google/go-cmp v0.7.0/go.mod h1:pXiqmnSA92OHEEa9HXL2W4E7lf9JzCmGVUdgjX3N/iU=\n",
			"m_test.go": "package m\n\nimport (\n\t\"os\"\n\t\"testing\"\n\n\t\"github.com/google/go-cmp/cmp\"\n)\n\nfunc Test(t *testing.T) {\n\tif err := os.WriteFile(t.TempDir()+\"/x\", nil, 0o600); err != nil || cmp.Diff(1, 1) != \"\" {\n\t\tt.Fatal(err)\n\t}\n}\n",
		},
		line: "go vet ./... && go test ./...",
	},
	{
		name: "Node", preset: "node", program: "npm",
		files: map[string]string{
			"package.json":      `{"name": "m", "version": "1.0.0", "scripts": {"test": "node --test"}, "dependencies": {"dep": "file:dep"}}`,
			"package-lock.json": `{"name": "m", "version": "1.0.0", "lockfileVersion": 3, "requires": true, "packages": {"": {"name": "m", "version": "1.0.0", "dependencies": {"dep": "file:dep"}}, "dep": {"version": "1.0.0"}, "node_modules/dep": {"resolved": "dep", "link": true}}}`,
			"dep/package.json":  `{"name": "dep", "version": "1.0.0"}`,
			"dep/index.js":      "module.exports = 1;\n",
			"m.test.js":         "const { Worker } = require('worker_threads');\nrequire('node:test')('it', (t, done) => { if (require('dep') !== 1) throw 1; require('fs').mkdtempSync(require('os').tmpdir() + '/x'); new Worker('1', { eval: true }).on('exit', done); });\n",
		},
		line: "npm ci --offline --no-audit && npm test",
	},
	{
		name: "Python", preset: "python", program: "python3",
		files: map[string]string{
			"test_m.py": "import tempfile, threading, unittest, multiprocessing\n\nclass Test(unittest.TestCase):\n    def test(self):\n        t = threading.Thread(target=tempfile.mkdtemp); t.start(); t.join()\n        self.assertEqual(multiprocessing.get_context('fork').Pool(2).map(abs, [-1]), [1])\n",
		},
		line: "if python3 -m pytest --version >/dev/null 2>&1; then python3 -m pytest -q; else python3 -m unittest; fi",
	},
	{
		name: "Rust", preset: "rust", program: "cargo",
		files: map[string]string{
			"Cargo.toml": "[package]\nname = \"m\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
			"src/lib.rs": "#[test]\nfn it() { std::thread::spawn(|| std::fs::write(std::env::temp_dir().join(\"x\"), \"\").unwrap()).join().unwrap() }\n",
		},
		line: "cargo test --offline",
	},
	{
		name: "Java", preset: "java", program: "javac",
		files: map[string]string{
			"M.java": "public class M { public static void main(String[] a) throws Exception { Thread t = new Thread(() -> System.out.println(\"ran\")); t.start(); t.join(); java.nio.file.Files.createTempFile(java.nio.file.Path.of(System.getenv(\"TMPDIR\")), \"x\", \"\"); } }\n",
		},
		line: "javac M.java && java M",
	},
}

// The usual test commands of each ecosystem work within the whole wall, offline.
func TestPresets_TestSuitesRun(t *testing.T) {
	t.Parallel()
	for _, e := range ecosystems {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(e.program); err != nil {
				t.Skipf("needs %s", e.program)
			}
			policy := sandbox.Policy{Mode: sandbox.Require, Network: sandbox.NetworkOff, Workspace: project(t, e.files), Environ: withoutGit(os.Environ())}
			without := exec.Command("/bin/sh", "-c", e.line)
			without.Dir, without.Env = project(t, e.files), append(policy.Environ, "GOPROXY=off", "GIT_CONFIG_GLOBAL="+os.DevNull, "TMPDIR="+t.TempDir())
			if out, err := without.CombinedOutput(); err != nil {
				t.Skipf("does not work here without a wall either, such as where a toolchain or module is missing: %v\n%s", err, out)
			}
			if e.preset != "" {
				policy.Presets = []string{e.preset}
			}
			if e.preset == "go" { // an empty cache would have all of the library built
				cache, err := exec.Command("go", "env", "GOCACHE").Output()
				if err != nil {
					t.Fatal(err)
				}
				policy.Write = []string{strings.TrimSpace(string(cache))}
			}
			w, dir := opened(t, policy)
			if said, status := walled(t, w, dir, e.line); status != 0 {
				t.Errorf("%s: status %d\n%s", e.line, status, said)
			}
		})
	}
}

// project makes a folder called work of some files.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "work")
	for name, text := range files {
		path := filepath.Join(root, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// withoutGit leaves out the variables that lead git elsewhere.
func withoutGit(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
}
