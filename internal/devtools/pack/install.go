package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"text/template"
)

//go:embed formula.rb.tmpl
var formula string

// installers writes the formula for Homebrew and the manifest for Scoop, which name
// the archives by their digests.
func (r *release) installers() error {
	archive := func(system, arch, end string) (url, sum string, err error) {
		name := target{system, arch}.asset("openagent", end)
		sum, err = r.sum(name)
		return repository + "/releases/download/" + r.tag + "/" + name, sum, err
	}
	var failed error
	source := func(system, arch string) string {
		url, sum, err := archive(system, arch, ".tar.gz")
		if err != nil {
			failed = err
		}
		return "url \"" + url + "\"\n      sha256 \"" + sum + "\""
	}
	t, err := template.New("formula").Funcs(template.FuncMap{"source": source}).Parse(formula)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, map[string]string{
		"Description": description, "Homepage": repository, "Version": r.version(), "License": license,
	}); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	if err := r.write("openagent.rb", b.Bytes()); err != nil {
		return err
	}

	var programs []string
	for _, p := range r.programs {
		programs = append(programs, p+".exe")
	}
	systems := object{}
	for arch, name := range map[string]string{"amd64": "64bit", "arm64": "arm64"} {
		url, sum, err := archive("windows", arch, ".zip")
		if err != nil {
			return err
		}
		systems[name] = object{"url": url, "hash": sum}
	}
	text, err := json.MarshalIndent(object{
		"version": r.version(), "description": description, "homepage": repository, "license": license,
		"suggest": object{"git": "git"}, "architecture": systems, "bin": programs,
	}, "", "  ")
	if err != nil {
		return err
	}
	return r.write("openagent.json", append(text, '\n'))
}
