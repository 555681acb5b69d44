package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var systems = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

const tag = "v1.2.3-rc.1"

// repository with what is packed besides programs, and a folder as build.sh leaves it,
// whose two programs are small ones.
func prepare(t *testing.T) (root, folder string) {
	t.Helper()
	root, folder = t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"CHANGELOG.md": "# Changelog\n\n## " + tag + " (2026-01-31)\n\n## v1.2.4 (soon)\n", "LICENSE": "own licence\n",
		"docs/third-party.md": "| `example.invalid/x` | MIT |\n", "schema/published/a.v1.r1.schema.json": "{}\n",
		"hello/go.mod": "module hello\n", "hello/main.go": "package main\n\nfunc main() {}\n",
	} {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", filepath.Join(root, "program"), ".")
	build.Dir = filepath.Join(root, "hello")
	build.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	program, err := os.ReadFile(filepath.Join(root, "program"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := open(root, folder, tag, []string{"openagent", "openagent-second"}, systems)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{"licenses.txt", "openagent.1", "openagent.bash", "openagent.zsh", "openagent.fish", "openagent.ps1"} {
		if err := r.write(n, []byte(n)); err != nil {
			t.Fatal(err)
		}
	}
	for _, target := range r.targets {
		for _, p := range r.programs {
			if err := r.write(target.program(p), program); err != nil {
				t.Fatal(err)
			}
		}
	}
	return root, folder
}

// packed packs a folder and returns its files by name.
func packed(t *testing.T, root, folder string) map[string][]byte {
	t.Helper()
	r, err := open(root, folder, tag, []string{"openagent", "openagent-second"}, systems)
	if err == nil {
		err = r.pack()
	}
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if files[e.Name()], err = r.read(e.Name()); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func TestPack(t *testing.T) {
	root, folder := prepare(t)
	files := packed(t, root, folder)

	t.Run("the same again", func(t *testing.T) {
		for name, data := range packed(t, root, folder) {
			if !bytes.Equal(data, files[name]) {
				t.Errorf("%s has other bytes the second time", name)
			}
		}
	})
	t.Run("digests", func(t *testing.T) {
		lines := strings.Split(strings.TrimSpace(string(files[sumsFile])), "\n")
		if len(lines) != len(files)-1 {
			t.Errorf("%s has %d lines, want one for each of %d other files", sumsFile, len(lines), len(files)-1)
		}
		for _, line := range lines {
			sum, name, _ := strings.Cut(line, "  ")
			if digest(files[name]) != sum {
				t.Errorf("%s: %s is that of other bytes", sumsFile, line)
			}
		}
	})
	t.Run("archives", func(t *testing.T) {
		want := []string{
			"644 top/share/doc/openagent/LICENSE", "755 top/bin/openagent", "755 top/bin/openagent-second",
			"644 top/share/man/man1/openagent.1", "644 top/share/bash-completion/completions/openagent", "644 top/share/zsh/site-functions/_openagent",
			"644 top/share/fish/vendor_completions.d/openagent.fish", "644 top/share/doc/openagent/licenses.txt",
		}
		for _, system := range []string{"openagent_linux_arm64", "openagent_darwin_amd64"} {
			got := untarred(t, files[system+".tar.gz"])
			for i := range got {
				got[i] = strings.Replace(got[i], system, "top", 1)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s.tar.gz has\n%q, want\n%q", system, got, want)
			}
		}
		data := files["openagent_windows_amd64.zip"]
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range z.File {
			got = append(got, f.Name)
		}
		if want := []string{"LICENSE", "openagent.exe", "openagent-second.exe", "openagent.ps1", "licenses.txt"}; !slices.Equal(got, want) {
			t.Errorf("the zip archive has %q, want %q", got, want)
		}
	})
	t.Run("installers", func(t *testing.T) {
		for _, system := range []string{"darwin_arm64", "darwin_amd64", "linux_arm64", "linux_amd64"} {
			name := "openagent_" + system + ".tar.gz"
			want := "/releases/download/" + tag + "/" + name + "\"\n      sha256 \"" + digest(files[name]) + "\"\n"
			if !strings.Contains(string(files["openagent.rb"]), want) {
				t.Errorf("openagent.rb has no %q:\n%s", want, files["openagent.rb"])
			}
		}
		var scoop struct {
			Version      string
			Architecture map[string]struct{ URL, Hash string }
		}
		if err := json.Unmarshal(files["openagent.json"], &scoop); err != nil {
			t.Fatal(err)
		}
		for name, arch := range map[string]string{"64bit": "amd64", "arm64": "arm64"} {
			archive := "openagent_windows_" + arch + ".zip"
			if s := scoop.Architecture[name]; path.Base(s.URL) != archive || s.Hash != digest(files[archive]) || scoop.Version != "1.2.3-rc.1" {
				t.Errorf("openagent.json has %v of version %s for %s, want %s by its digest", s, scoop.Version, name, archive)
			}
		}
	})
	t.Run("image", func(t *testing.T) { checkImage(t, files[imageName]) })
	t.Run("packages", func(t *testing.T) {
		for _, name := range []string{"openagent_linux_amd64.deb", "openagent_linux_arm64.deb", "openagent_linux_amd64.rpm", "openagent_linux_arm64.rpm"} {
			if len(files[name]) < 1000 {
				t.Errorf("%s has %d bytes, want a package", name, len(files[name]))
			}
		}
	})
	if string(files["a.v1.r1.schema.json"]) != "{}\n" {
		t.Error("the published schema is missing")
	}
}

// untarred lists a compressed archive.
func untarred(t *testing.T, data []byte) (list []string) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, octal(h.Mode)+" "+h.Name)
	}
}

func octal(mode int64) string {
	return string([]byte{byte('0' + mode>>6&7), byte('0' + mode>>3&7), byte('0' + mode&7)})
}

// checkImage follows the digests of an image from its index down.
func checkImage(t *testing.T, data []byte) {
	blobs := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if blobs[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	type list struct {
		Manifests, Layers []descriptor
		Config            descriptor
	}
	get := func(d descriptor, v any) []byte {
		t.Helper()
		blob := blobs["blobs/sha256/"+strings.TrimPrefix(d.Digest, "sha256:")]
		if "sha256:"+digest(blob) != d.Digest || len(blob) != d.Size {
			t.Fatalf("the blob of %v has %d bytes of another digest", d, len(blob))
		}
		if err := json.Unmarshal(blob, v); v != nil && err != nil {
			t.Fatal(err)
		}
		return blob
	}
	var top, index list
	if err := json.Unmarshal(blobs["index.json"], &top); err != nil || len(top.Manifests) != 1 {
		t.Fatalf("index.json has %d manifests, %v, want one", len(top.Manifests), err)
	}
	get(top.Manifests[0], &index)
	var platforms []string
	for _, d := range index.Manifests {
		platforms = append(platforms, d.Platform["os"]+"/"+d.Platform["architecture"])
		var manifest list
		get(d, &manifest)
		var config struct {
			Config struct{ User string }
			RootFS struct {
				DiffIDs []string `json:"diff_ids"`
			}
		}
		get(manifest.Config, &config)
		layer := blobs["blobs/sha256/"+strings.TrimPrefix(manifest.Layers[0].Digest, "sha256:")]
		z, err := gzip.NewReader(bytes.NewReader(layer))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(z)
		if err != nil || config.RootFS.DiffIDs[0] != "sha256:"+digest(plain) || config.Config.User != "65532:65532" {
			t.Errorf("the layer is not that of the configuration %v, %v", config, err)
		}
		files := untarred(t, layer)
		for _, want := range []string{"755 usr/bin/openagent", "644 etc/ssl/certs/ca-certificates.crt", "777 tmp/", "755 home/openagent/", "644 usr/share/doc/openagent/copyright"} {
			if !slices.Contains(files, want) {
				t.Errorf("the image has no %s: %q", want, files)
			}
		}
	}
	if want := []string{"linux/amd64", "linux/arm64"}; !slices.Equal(platforms, want) {
		t.Errorf("the image is for %q, want %q", platforms, want)
	}
	if n := bytes.Count(authorities(), []byte("BEGIN CERTIFICATE")); n < 100 {
		t.Errorf("the image trusts %d authorities, want those of Mozilla", n)
	}
}

func TestPack_Refuses(t *testing.T) {
	root, folder := prepare(t)
	for name, tt := range map[string]struct {
		tag, system string
		broken      func() error
		want        string
	}{
		"a tag without a heading": {"v9.9.9", systems[0], nil, "no heading"},
		"a heading with no date":  {"v1.2.4", systems[0], nil, "heading of v1.2.4"},
		"no system":               {tag, "linux", nil, "no OS/ARCH"},
		"a program that is missing": {tag, systems[0], func() error { return os.Remove(filepath.Join(folder, "openagent_linux_amd64")) },
			"openagent_linux_amd64"},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.broken != nil {
				if err := tt.broken(); err != nil {
					t.Fatal(err)
				}
			}
			r, err := open(root, folder, tt.tag, []string{"openagent"}, []string{tt.system})
			if err == nil {
				err = r.pack()
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("pack = %v, want an error about %q", err, tt.want)
			}
		})
	}
}

// What docs/third-party.md says of a module is an expression of SPDX.
func TestLicences_AreExpressions(t *testing.T) {
	r := release{root: filepath.Join("..", "..", "..")}
	all, err := r.licences()
	if err != nil || len(all) < 20 {
		t.Fatalf("licences = %d, %v, want those of all modules", len(all), err)
	}
	form := regexp.MustCompile(`^[0-9A-Za-z.-]+( AND [0-9A-Za-z.-]+)*$`)
	for module, licence := range all {
		if !form.MatchString(licence) {
			t.Errorf("the licence of %s is %q, want an expression", module, licence)
		}
	}
}

// A program with a module whose licence nobody has noted is not released: this test is
// one, with the modules of the tools.
func TestBOM_EveryModuleHasALicence(t *testing.T) {
	root, folder := prepare(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	r, err := open(root, folder, tag, []string{"openagent"}, systems[:1])
	if err != nil {
		t.Fatal(err)
	}
	if err := r.bom(); err != nil {
		t.Errorf("bom of a program without modules = %v", err)
	}
	if err := r.write("openagent_linux_amd64", data); err != nil {
		t.Fatal(err)
	}
	if err := r.bom(); err == nil || !strings.Contains(err.Error(), "no licence of ") {
		t.Errorf("bom = %v, want an error about a module without a licence", err)
	}
}
