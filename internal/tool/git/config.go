package git

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
)

const (
	// maxConfig bounds what is read of one configuration file.
	maxConfig = 1 << 20
	// maxConfigs bounds how many are read: one may include others.
	maxConfigs = 50
	// maxModuleEntries bounds how much of a folder of submodules is looked at.
	maxModuleEntries = 10_000
)

// sectionHeader matches one like [http "https://git.test/"] at the start of a line.
var sectionHeader = lazyregexp.New(`^\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\]|\\.)*)")?\]`)

// joined joins lines that go on behind a backslash.
var joined = strings.NewReplacer("\\\r\n", "", "\\\n", "")

// parseConfig returns the settings in a file of git's configuration syntax: keys in lower
// case but for what is quoted in them, and values without quotes and comments. It finds
// what git would read, and may find more; other escapes stay as they are.
func parseConfig(text string) (all []setting) {
	section := ""
	for line := range strings.Lines(joined.Replace(strings.TrimPrefix(text, "\ufeff"))) {
		line = strings.TrimSpace(line)
		if header := sectionHeader().FindStringSubmatch(line); header != nil {
			section, line = strings.ToLower(header[1])+".", line[len(header[0]):]
			if header[2] != "" {
				section += strings.ReplaceAll(header[2], `\`, "") + "."
			}
		}
		key, value, _ := strings.Cut(line, "=")
		quoted := strings.LastIndexByte(value, '"') + 1
		if comment := strings.IndexAny(value[quoted:], "#;"); comment >= 0 {
			value = value[:quoted+comment]
		}
		if key = strings.TrimSpace(key); section != "" && key != "" {
			all = append(all, setting{section + strings.ToLower(key), strings.ReplaceAll(strings.TrimSpace(value), `"`, "")})
		}
	}
	return all
}

// included returns the file that a setting includes into the one at path, under
// whatever condition; empty for none.
func (s setting) included(path string) string {
	section, _, _ := strings.Cut(s.key, ".")
	if section != "include" && section != "includeif" || !strings.HasSuffix(s.key, ".path") || s.value == "" {
		return ""
	}
	return beside(path, s.value)
}

// eachConfig calls do with each of the configuration files, at most maxConfigs,
// with those that they include, and with what is set there. A file that is not
// there or cannot be read is passed over; so is what is no regular file, which
// eachConfig reports.
func eachConfig(files []string, do func(setting)) (irregular string) {
	files = slices.Clone(files)
	for i := 0; i < len(files) && i < maxConfigs; i++ {
		text, regular := readSmall(files[i])
		if !regular && irregular == "" {
			irregular = files[i]
		}
		for _, s := range parseConfig(text) {
			if more := s.included(files[i]); more != "" && !slices.Contains(files, more) {
				files = append(files, more)
			}
			do(s)
		}
	}
	return irregular
}

// ownConfigs returns the files in which a repository is configured.
func ownConfigs(gitDir string) []string {
	return []string{filepath.Join(gitDir, "config"), filepath.Join(gitDir, "config.worktree")}
}

// furtherConfigs returns the configuration files of a repository's further work
// trees and of its submodules.
func furtherConfigs(gitDir string) (files []string) {
	trees, _ := os.ReadDir(filepath.Join(gitDir, "worktrees"))
	for _, tree := range trees {
		files = append(files, filepath.Join(gitDir, "worktrees", tree.Name(), "config.worktree"))
	}
	left := maxModuleEntries
	// What cannot be read holds nothing.
	_ = filepath.WalkDir(filepath.Join(gitDir, "modules"), func(path string, entry fs.DirEntry, err error) error {
		if left--; left < 0 {
			return fs.SkipAll
		}
		if err != nil {
			return nil
		}
		switch name := entry.Name(); {
		case entry.IsDir() && slices.Contains([]string{"objects", "refs", "logs"}, name):
			if _, err := os.Lstat(filepath.Join(filepath.Dir(path), "HEAD")); err == nil { // of a repository
				return fs.SkipDir
			}
		case !entry.IsDir() && (name == "config" || name == "config.worktree"):
			files = append(files, path)
		}
		return nil
	})
	return files
}
