package main

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // registers itself
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm" // registers itself
)

// packages writes the packages of Debian and RPM for each Linux.
func (r *release) packages() error {
	for _, t := range r.targets {
		if t.os != "linux" {
			continue
		}
		for _, form := range []string{"deb", "rpm"} {
			if err := r.packaged(t, form); err != nil {
				return fmt.Errorf("package %s for %s: %w", form, t.arch, err)
			}
		}
	}
	return nil
}

// packaged writes one package.
func (r *release) packaged(t target, form string) error {
	tree, err := r.tree(t)
	if err != nil {
		return err
	}
	if form == "deb" {
		tree = debian(tree)
	}
	// nfpm takes files by their path.
	dir, err := os.MkdirTemp("", "pack-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var contents files.Contents
	for i, f := range tree {
		source := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(source, f.data, 0o600); err != nil {
			return err
		}
		contents = append(contents, &files.Content{
			Source: source, Destination: path.Join("/usr", f.path),
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: os.FileMode(f.mode), MTime: r.date},
		})
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "openagent", Arch: t.arch, Version: r.tag, Release: "1", Section: "devel", Priority: "optional",
		Maintainer: "openagent-ci <" + repository + "/issues>", Description: description, Homepage: repository, License: license,
		MTime: r.date, DisableGlobbing: true,
		Overridables: nfpm.Overridables{
			Contents: contents, Recommends: []string{"git"}, RPM: nfpm.RPM{BuildHost: "localhost", Summary: description},
		},
	})
	if err := nfpm.PrepareForPackager(info, form); err != nil {
		return err
	}
	packager, err := nfpm.Get(form)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := packager.Package(info, &b); err != nil {
		return err
	}
	return r.write(t.asset("openagent", "."+form), b.Bytes())
}

// debian puts files where Debian has them. The licences stand in one file, the only
// one that its images for containers do not leave out.
func debian(tree []file) []file {
	licences := file{path: "share/doc/openagent/copyright", mode: 0o644}
	var moved []file
	for _, f := range tree {
		if strings.HasPrefix(f.path, "share/doc/") {
			licences.data = append(licences.data, f.data...)
			continue
		}
		f.path = strings.Replace(f.path, "zsh/site-functions", "zsh/vendor-completions", 1)
		moved = append(moved, f)
	}
	return append(moved, licences)
}
