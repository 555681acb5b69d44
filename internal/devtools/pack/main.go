// Command pack makes of the programs of a release what people install: an
// archive for each system, packages for Debian and RPM, a container image, a
// formula for Homebrew, a manifest for Scoop, the published schemas, lists of
// what is linked in (SPDX and CycloneDX), and SHA256SUMS of all files.
//
//	pack FOLDER TAG PROGRAMS OS/ARCH...
//
// FOLDER has the programs, their licences, the manual page and the completions
// (.github/release/build.sh puts them there); PROGRAMS are names with blanks
// between. It runs in internal/devtools, and reads the rest of the repository from
// there. The same files give the same bytes wherever and whenever it runs: times
// are that of the tag's heading in CHANGELOG.md, "## v1.2.3 (2026-01-31)".
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// What a release says of itself.
const (
	repository  = "https://github.com/openagent-ci/openagent"
	description = "Runs LLM agents in CI, checks every line they print, and keeps the evidence"
	license     = "Apache-2.0"
	sumsFile    = "SHA256SUMS"
)

func main() {
	if len(os.Args) < 5 {
		fmt.Fprintln(os.Stderr, "usage: pack FOLDER TAG PROGRAMS OS/ARCH...")
		os.Exit(2)
	}
	r, err := open("../..", os.Args[1], os.Args[2], strings.Fields(os.Args[3]), os.Args[4:])
	if err == nil {
		err = r.pack()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// target is a system that a release has programs for.
type target struct{ os, arch string }

// asset returns the name of a file for the target.
func (t target) asset(name, end string) string { return name + "_" + t.os + "_" + t.arch + end }

// program returns the name of a program's file for the target.
func (t target) program(name string) string { return t.asset(name, t.exe()) }

func (t target) exe() string {
	if t.os == "windows" {
		return ".exe"
	}
	return ""
}

// release is the folder that is packed.
type release struct {
	root, folder, tag string
	date              time.Time
	programs          []string
	targets           []target
}

// open returns the release of a tag in a folder.
func open(root, folder, tag string, programs, systems []string) (*release, error) {
	r := &release{root: root, folder: folder, tag: tag, programs: programs}
	for _, s := range systems {
		system, arch, ok := strings.Cut(s, "/")
		if !ok {
			return nil, fmt.Errorf("%q is no OS/ARCH", s)
		}
		r.targets = append(r.targets, target{system, arch})
	}
	text, err := r.source("CHANGELOG.md")
	if err != nil {
		return nil, err
	}
	heading := regexp.MustCompile(`(?m)^## ` + regexp.QuoteMeta(tag) + ` \((.*)\)$`).FindSubmatch(text)
	if heading == nil {
		return nil, fmt.Errorf("CHANGELOG.md has no heading of the form %q", "## "+tag+" (2026-01-31)")
	}
	if r.date, err = time.Parse(time.DateOnly, string(heading[1])); err != nil {
		return nil, fmt.Errorf("heading of %s in CHANGELOG.md: %w", tag, err)
	}
	return r, nil
}

// version is the tag without its letter.
func (r *release) version() string { return strings.TrimPrefix(r.tag, "v") }

// source reads a file of the repository.
func (r *release) source(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(r.root, filepath.FromSlash(name)))
}

// read reads a file of the release.
func (r *release) read(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(r.folder, name))
}

// write writes a file of the release. Its mode is the same under every umask.
func (r *release) write(name string, data []byte) error {
	path := filepath.Join(r.folder, name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return err
	}
	return os.Chmod(path, 0o644)
}

// pack writes all files. What needs digests of others comes after them.
func (r *release) pack() error {
	for _, step := range []func() error{r.archives, r.packages, r.image, r.bom, r.schemas, r.installers, r.sums} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// schemas copies the frozen revisions of the published schemas.
func (r *release) schemas() error {
	paths, err := filepath.Glob(filepath.Join(r.root, "schema", "published", "*.schema.json"))
	if err != nil || len(paths) == 0 {
		return fmt.Errorf("no schema below schema/published: %w", err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := r.write(filepath.Base(path), data); err != nil {
			return err
		}
	}
	return nil
}

// sums writes the digests of all files, by name, as sha256sum does.
func (r *release) sums() error {
	entries, err := os.ReadDir(r.folder)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, e := range entries {
		if e.IsDir() || e.Name() == sumsFile {
			continue
		}
		sum, err := r.sum(e.Name())
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum, e.Name())
	}
	return r.write(sumsFile, []byte(b.String()))
}

// sum returns the SHA-256 of a file of the release.
func (r *release) sum(name string) (string, error) {
	data, err := r.read(name)
	if err != nil {
		return "", err
	}
	return digest(data), nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
