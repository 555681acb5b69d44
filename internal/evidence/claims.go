package evidence

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/schema"
)

// ownFiles are those that a folder has whatever its run was.
var ownFiles = []string{EventsFile, StderrFile, SourceFile, FindingsFile, JUnitFile, SARIFFile, SummaryFile, FinalOutputFile, FinalJSONFile, PageFile, ResultsFile, TimingsFile, SumsFile, ManifestFile}

// HasManifest reports whether the folder dir has a manifest of evidence, also one of
// another version.
func HasManifest(dir string) bool {
	s, err := Read(dir)
	if err == nil {
		err = s.Close()
	}
	return err == nil || errors.Is(err, ErrVersion)
}

// Owns reports whether the file at path, which need not be there, belongs to the
// evidence in the folder dir: folders have a file of that name, the manifest speaks of
// it, or it is there and no manifest says what it is. Case does not count, as some
// systems hold it.
func Owns(dir, path string) bool {
	name, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(name) {
		return false
	}
	name = filepath.ToSlash(name)
	is := func(other string) bool { return strings.EqualFold(name, other) }
	top, _, below := strings.Cut(name, "/")
	if slices.ContainsFunc(ownFiles, is) || below && strings.EqualFold(top, ArtifactsDir) {
		return true
	}
	s, err := Read(dir)
	if err != nil {
		_, err := os.Lstat(path)
		return err == nil
	}
	defer s.Close()
	return slices.ContainsFunc(s.Manifest.Files, func(f schema.ManifestFile) bool { return is(f.Path) }) ||
		slices.ContainsFunc(s.Manifest.LeftOut, func(f schema.ManifestLeftOut) bool { return is(f.Path) })
}
