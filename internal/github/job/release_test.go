package job

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The scripts by which releases are made and used.
const (
	installScript = ".github/release/install.sh"
	buildScript   = ".github/release/build.sh"
	tagScript     = ".github/release/tag.sh"
)

// program is what the release server of the tests serves: it leaves a file
// behind when it is run.
const program = "#!/bin/sh\n: >\"$0.was-run\"\n"

// checksum returns the line of checksums.txt about a program of a release.
func checksum(path, content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:]) + "  " + path + "\n"
}

// releases serves the paths of releases over TLS, and returns its address and
// the file with its certificate.
func releases(t *testing.T, paths map[string]http.HandlerFunc) (address, certificate string) {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serve, ok := paths[strings.TrimPrefix(r.URL.Path, "/")]
		if !ok {
			serve = http.NotFound
		}
		serve(w, r)
	}))
	t.Cleanup(server.Close)
	certificate = filepath.Join(t.TempDir(), "ca.pem")
	write(t, certificate, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})), 0o644)
	return server.URL, certificate
}

func serving(content string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(content)) }
}

// torn promises more than it sends.
func torn(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	_, _ = w.Write([]byte(program))
}

// installing is a place where the install script runs.
type installing struct {
	dir, address, certificate string
}

// install returns a place where the script has these checksums beside it;
// without any there is no such file.
func install(t *testing.T, checksums string, paths map[string]http.HandlerFunc) installing {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the script needs a POSIX shell; on windows the one of the runner")
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("the script needs curl, which runners have")
	}
	i := installing{dir: t.TempDir()}
	i.address, i.certificate = releases(t, paths)
	write(t, filepath.Join(i.dir, "install.sh"), readRoot(t, installScript), 0o755)
	if checksums != "" {
		write(t, filepath.Join(i.dir, "checksums.txt"), checksums, 0o644)
	}
	return i
}

// run runs the script on Linux for amd64, unless env says otherwise, and
// returns its two outputs.
func (i installing) run(t *testing.T, env ...string) (output, log string, ok bool) {
	t.Helper()
	cmd := exec.Command("sh", filepath.Join(i.dir, "install.sh"), i.bin(), i.address)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + i.dir, "CURL_CA_BUNDLE=" + i.certificate,
		"RUNNER_OS=Linux", "RUNNER_ARCH=X64", "ACTION_BINARY=", "ACTION_BUILD=false", "ACTION_VERSION="}, env...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	t.Logf("install.sh: %v\n%s", err, errs.String())
	return out.String(), errs.String(), err == nil
}

// bin is the folder that programs are put into.
func (i installing) bin() string { return filepath.Join(i.dir, "bin") }

// installed lists what the script left in its folder.
func (i installing) installed() string {
	entries, _ := os.ReadDir(i.bin())
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestInstall_TakesTheListedProgram(t *testing.T) {
	const old, other = "#!/bin/sh\n# v0.9.0\n", "#!/bin/sh\n# another system\n"
	contents := map[string]string{
		"v0.9.0/openagent_linux_amd64": old, "v1.0.0/openagent_linux_amd64": program,
		"v1.0.0/openagent_linux_arm64": other, "v1.0.0/openagent_darwin_amd64": other, "v1.0.0/openagent_darwin_arm64": other,
		"v1.0.0/openagent_windows_amd64.exe": other, "v1.0.0/openagent_windows_arm64.exe": other,
	}
	paths := map[string]http.HandlerFunc{}
	sums := checksum("v0.9.0/openagent_linux_amd64", old)
	for path, content := range contents {
		paths[path] = serving(content)
		if path != "v0.9.0/openagent_linux_amd64" {
			sums += checksum(path, content)
		}
	}
	for name, tt := range map[string]struct {
		env        []string
		file, want string
	}{
		"the newest":    {nil, "openagent", program},
		"a version":     {[]string{"ACTION_VERSION=v0.9.0"}, "openagent", old},
		"linux arm64":   {[]string{"RUNNER_ARCH=ARM64"}, "openagent", other},
		"macOS amd64":   {[]string{"RUNNER_OS=macOS"}, "openagent", other},
		"macOS arm64":   {[]string{"RUNNER_OS=macOS", "RUNNER_ARCH=ARM64"}, "openagent", other},
		"windows amd64": {[]string{"RUNNER_OS=Windows"}, "openagent.exe", other},
		"windows arm64": {[]string{"RUNNER_OS=Windows", "RUNNER_ARCH=ARM64"}, "openagent.exe", other},
	} {
		t.Run(name, func(t *testing.T) {
			i := install(t, sums, paths)
			output, _, ok := i.run(t, tt.env...)
			got, _ := os.ReadFile(filepath.Join(i.bin(), tt.file))
			if !ok || output != "" || string(got) != tt.want || i.installed() != tt.file {
				t.Fatalf("install.sh: succeeded %v, output %q, %s is %q, all files %q; want %q alone", ok, output, tt.file, got, i.installed(), tt.want)
			}
			if info, err := os.Stat(filepath.Join(i.bin(), tt.file)); err != nil || info.Mode().Perm()&0o111 == 0 {
				t.Errorf("the program is %v, %v, want it executable", info, err)
			}
		})
	}
}

// Where a release is listed, the job gets its program or fails: a fallback
// would run what nobody has pinned.
func TestInstall_RefusesWhatIsNotThatProgram(t *testing.T) {
	const path = "v1.0.0/openagent_linux_amd64"
	good := checksum(path, program)
	plain := httptest.NewServer(serving(program))
	t.Cleanup(plain.Close)
	ok := map[string]http.HandlerFunc{path: serving(program)}
	tests := []struct {
		name, checksums string
		paths           map[string]http.HandlerFunc
		env             []string
		want            string
	}{
		{"another program", good, map[string]http.HandlerFunc{path: serving(program + " ")}, nil, "has the SHA-256"},
		{"an empty program", good, map[string]http.HandlerFunc{path: serving("")}, nil, "has the SHA-256"},
		{"no program", good, nil, nil, "could not be downloaded"},
		{"half a program", good, map[string]http.HandlerFunc{path: torn}, nil, "could not be downloaded"},
		{"a way out of TLS", good, map[string]http.HandlerFunc{path: http.RedirectHandler(plain.URL, http.StatusFound).ServeHTTP},
			nil, "could not be downloaded"},
		{"no checksum for the system", good, ok, []string{"RUNNER_ARCH=ARM64"}, "no checksum of v1.0.0/openagent_linux_arm64"},
		{"a system without releases", good, ok, []string{"RUNNER_ARCH=X86"}, "Linux on X86"},
		{"no checksum of the version", good, ok, []string{"ACTION_VERSION=v2.0.0"}, "no checksum of v2.0.0/"},
		{"a version when none is listed", "", ok, []string{"ACTION_VERSION=v1.0.0"}, "lists no release"},
		{"a checksum cut short", good[8:], ok, nil, "no checksum of"},
		{"two checksums", good + good, ok, nil, "no checksum of"},
		{"a list of something else", "x\n", ok, nil, "no checksum of"},
		{"no tag", good, ok, []string{"ACTION_VERSION=v1/../v1"}, "not the tag"},
		{"a tag with a command", good, ok, []string{"ACTION_VERSION=v1\n::warning::x"}, "not the tag"},
		{"neither true nor false", good, ok, []string{"ACTION_BUILD=yes"}, "build is none of"},
		{"version and build", good, ok, []string{"ACTION_VERSION=v1.0.0", "ACTION_BUILD=true"}, "give one"},
		{"version and binary", good, ok, []string{"ACTION_VERSION=v1.0.0", "ACTION_BINARY=x"}, "give one"},
		{"binary and build", good, ok, []string{"ACTION_BINARY=x", "ACTION_BUILD=true"}, "give one"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			i := install(t, tt.checksums, tt.paths)
			output, log, ok := i.run(t, tt.env...)
			lines := strings.Split(strings.TrimSpace(log), "\n")
			begin, last := "error=", lines[len(lines)-1]
			wrong := tt.env != nil && strings.HasPrefix(tt.env[0], "ACTION_") // an input is, which the action may skip
			if wrong {
				begin, last = "refused=input ", "::error title=openagent::"+output
			}
			if ok != wrong || !strings.HasPrefix(output, begin) || !strings.Contains(output, tt.want) || strings.Count(output, "\n") != 1 {
				t.Errorf("install.sh: succeeded %v with output %q, want %s and a reason about %q", ok, output, begin, tt.want)
			}
			if !strings.HasPrefix(last, "::error title=openagent::") || !strings.Contains(last, tt.want) || strings.Contains(log, "::warning") {
				t.Errorf("install.sh ends with %q, want an error about %q", last, tt.want)
			}
			if _, err := os.Stat(filepath.Join(i.bin(), "openagent")); err == nil {
				t.Error("a program was installed")
			}
			if ran, _ := filepath.Glob(filepath.Join(i.bin(), "*.was-run")); ran != nil {
				t.Errorf("the program was run: %q", ran)
			}
		})
	}
}

func TestInstall_BuildsOnlyWhereItShould(t *testing.T) {
	sums := checksum("v1.0.0/openagent_linux_amd64", program)
	for name, tt := range map[string]struct {
		checksums string
		env       []string
		want      string
	}{
		"no release is listed": {"", nil, "build=true\n"},
		"it is asked for":      {sums, []string{"ACTION_BUILD=true"}, "build=true\n"},
		"a program is given":   {sums, []string{"ACTION_BINARY=x"}, ""},
	} {
		i := install(t, tt.checksums, nil)
		if output, _, ok := i.run(t, tt.env...); !ok || output != tt.want || i.installed() != "" {
			t.Errorf("%s: install.sh = %q, succeeded %v, left %q; want %q and no program", name, output, ok, i.installed(), tt.want)
		}
	}
}

// Only the script's second argument names another server, and the action gives
// it one argument.
func TestInstall_ReleasesComeFromOneAddress(t *testing.T) {
	a, _ := readAction(t)
	if run := a.step(t, "install").Run; run != `sh "$GITHUB_ACTION_PATH/.github/release/install.sh" "$ACTION_DIR/bin" >>"$GITHUB_OUTPUT"` {
		t.Errorf("step install runs %q, want the script with one argument", run)
	}
	if text := readRoot(t, installScript); !strings.Contains(text, "\naddress=${2:-https://github.com/openagent-ci/openagent/releases/download}\n") ||
		strings.Count(text, "address=") != 1 {
		t.Error("install.sh takes the address of releases from elsewhere")
	}
}

// build runs the build script of a copy of the source, for one system.
func build(t *testing.T, source string, env []string, args ...string) (log string, ok bool) {
	t.Helper()
	cmd := exec.Command("sh", append([]string{filepath.Join(source, filepath.FromSlash(buildScript)), "-t", "local"}, args...)...)
	cmd.Dir = source
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	t.Logf("build.sh %q: %v\n%s", args, err, out)
	return string(out), err == nil
}

// A release that is built again elsewhere, from the same source in a repository
// of another history, has the same bytes; another source or tag is noticed.
func TestBuild_SameSourceSameBytes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the script needs a POSIX shell")
	}
	if os.Getenv("OPENAGENT_TEST_LONG") == "" {
		t.Skip("builds the program twice, from nothing where no cache is warm; a step of .ci/run by itself does, with OPENAGENT_TEST_LONG=1")
	}
	const name, list = "openagent_linux_amd64", ".github/release/checksums.txt"
	here, there := t.TempDir(), filepath.Join(t.TempDir(), "another", "place")
	for _, dir := range []string{here, there} {
		copySource(t, dir)
		write(t, filepath.Join(dir, "dir.txt"), dir, 0o644)
		commit(t, dir)
	}
	const archive = "openagent-archive_linux_amd64"
	old := checksum("v0.9.0/"+name, "") + checksum("v0.9.0/"+archive, "")
	before := old + checksum("v1.0.0/"+name, "stale")
	write(t, filepath.Join(here, list), before, 0o644)
	if _, ok := build(t, here, nil, "v1.0.0", "dist", "linux/amd64"); !ok {
		t.Fatal("build.sh failed")
	}
	built, err := os.ReadFile(filepath.Join(here, "dist", name))
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(here, list))
	second, secondErr := os.ReadFile(filepath.Join(here, "dist", archive))
	if secondErr != nil {
		t.Fatal(secondErr)
	}
	want := old + checksum("v1.0.0/"+name, string(built)) + checksum("v1.0.0/"+archive, string(second))
	if err != nil || string(sums) != want {
		t.Errorf("checksums.txt is\n%s%v, want\n%s", sums, err, want)
	}
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		if out, err := exec.Command(filepath.Join(here, "dist", name), "--version").Output(); err != nil || string(out) != "openagent v1.0.0\n" {
			t.Errorf("the program's --version = %q, %v, want its tag", out, err)
		}
		first := exec.Command(filepath.Join(here, "dist", name), "init")
		first.Dir = t.TempDir()
		out, err := first.CombinedOutput()
		if text, _ := os.ReadFile(filepath.Join(first.Dir, ".github", "workflows", "scenarios.yml")); err != nil || strings.Contains(string(out), "note:") ||
			!strings.Contains(string(text), "cmd/openagent@v1.0.0\n") {
			t.Errorf("the program's init = %q, %v, and wrote\n%s\nwant its tag pinned", out, err, text)
		}
	}

	licences, err := os.ReadFile(filepath.Join(here, "dist", "licenses.txt"))
	for _, want := range []string{"The Go Authors", "== github.com/spf13/cobra v", "== go.yaml.in/yaml/v4 v", "ported to Go from C files of libyaml", "MIT License"} {
		if !strings.Contains(string(licences), want) {
			t.Errorf("licenses.txt has %d bytes, %v, without %q", len(licences), err, want)
		}
	}

	// What is for people's machines; its content is tested where it is made.
	for name, want := range map[string]string{
		"openagent.1": "openagent v1.0.0", "openagent.bash": "complete", "openagent.zsh": "#compdef openagent",
		"openagent.fish": "complete -c openagent", "openagent.ps1": "Register-ArgumentCompleter",
	} {
		if text, err := os.ReadFile(filepath.Join(here, "dist", name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s has %d bytes, %v, without %q", name, len(text), err, want)
		}
	}

	// What a person has set does not show in a release.
	set := []string{"GOOS=plan9", "GOFLAGS=-buildvcs=true -tags=netgo -ldflags=-w", "GOAMD64=v3", "CGO_ENABLED=1", "TMPDIR=/nonexistent"}
	refuse := func(want string, args ...string) {
		t.Helper()
		if log, ok := build(t, there, set, append([]string{"-c"}, args...)...); ok || !strings.Contains(log, want) || strings.Contains(log, "build.sh: "+args[0]+"/openagent_linux_amd64\nbuild.sh") {
			t.Errorf("build.sh -c %q succeeded: %v, log %q; want a refusal: %s", args, ok, log, want)
		}
	}
	out := t.TempDir()
	refuse("lists no release", "v1.0.0", out+"/1", "linux/amd64")
	write(t, filepath.Join(there, list), checksum("v1.0.0/"+name+".deb", ""), 0o644)
	refuse("does not list v1.0.0/"+name, "v1.0.0", out+"/1", "linux/amd64")
	write(t, filepath.Join(there, list), string(sums), 0o644)
	refuse("does not list v1.0.0/openagent_windows_arm64.exe", "v1.0.0", out+"/1", "windows/arm64")
	refuse("not as committed", "v1.0.0", out+"/1", "linux/amd64")
	inGit(t, there, "add", ".")
	inGit(t, there, "commit", "-qm", "list")
	refuse("not that of the tag v1.0.0", "v1.0.0", out+"/1", "linux/amd64")
	inGit(t, there, "tag", "v1.0.0")
	inGit(t, there, "tag", "v0.9.0")
	if _, ok := build(t, there, set, "-c", "v1.0.0", out+"/with a blank", "linux/amd64"); !ok {
		t.Error("build.sh -c finds other bytes in another place")
	}
	refuse("is not empty", "v1.0.0", out+"/with a blank", "linux/amd64")
	if log, ok := build(t, there, set, "-c", "v0.9.0", out+"/2", "linux/amd64"); ok || !strings.Contains(log, "not the files") {
		t.Error("build.sh -c takes a program for another release")
	}
	if after, err := os.ReadFile(filepath.Join(there, list)); err != nil || string(after) != string(sums) {
		t.Errorf("build.sh -c changed checksums.txt to\n%s%v", after, err)
	}
}

func TestBuild_Refuses(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the script needs a POSIX shell")
	}
	dir := t.TempDir()
	for _, script := range []string{buildScript, tagScript} {
		write(t, filepath.Join(dir, filepath.FromSlash(script)), readRoot(t, script), 0o755)
	}
	for _, args := range [][]string{
		{}, {"v1.0.0"}, {"1.0.0", "dist"}, {"v1.0", "dist"}, {"v1.0.0/x", "dist"}, {"v1.0.0 -x", "dist"}, {"-x", "v1.0.0", "dist"},
		{"v1.0.0.0", "dist"}, {"v01.0.0", "dist"}, {"v1.0.0-", "dist"}, {"v1.0.0-01", "dist"}, {"v1.0.0+x", "dist"}, {"v1.0.0\nv1.0.0", "dist"}, {"v1.x.0", "dist"},
	} {
		if log, ok := build(t, dir, nil, args...); ok || strings.Contains(log, "openagent_") {
			t.Errorf("build.sh %q succeeded: %v, log %q; want a refusal before anything is built", args, ok, log)
		}
	}
}

// Every program that a release has is one that the action can ask for.
func TestRelease_ScriptsNameTheSamePrograms(t *testing.T) {
	text := readRoot(t, buildScript)
	_, targets, _ := strings.Cut(text, "\tset -- ")
	targets, _, _ = strings.Cut(targets, "\n")
	if n := len(strings.Fields(targets)); n != 6 {
		t.Errorf("build.sh builds for %d systems, want 6", n)
	}
	for target := range strings.FieldsSeq(targets) {
		name := "name=openagent_" + strings.ReplaceAll(target, "/", "_")
		if strings.HasPrefix(target, "windows") {
			name += ".exe"
		}
		if !strings.Contains(readRoot(t, installScript), name+" ;;") {
			t.Errorf("install.sh does not know %s", name)
		}
	}
}
