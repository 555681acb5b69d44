package git

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// maxConfig bounds what is read of one configuration file.
	maxConfig = 1 << 20
	// maxConfigs bounds how many are read: one may include others.
	maxConfigs = 50
	// maxModuleEntries bounds how much of a folder of submodules is looked at.
	maxModuleEntries = 10_000
)

// parseConfig returns the settings in a file of git's configuration syntax, as
// "git config --list" prints them. A line that git would refuse sets nothing.
func parseConfig(text string) []setting {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	var all []setting
	section := ""
	for text != "" {
		text = strings.TrimLeft(text, " \t\r\n")
		var ok bool
		switch {
		case text == "":
			return all
		case text[0] == '[':
			section, text, ok = configSection(text)
		case isLetter(text[0]):
			var s setting
			if s, text, ok = configSetting(text); ok && section != "" {
				all = append(all, setting{section + "." + s.key, s.value})
			}
		}
		if !ok { // a comment, or no line of a configuration
			_, text, _ = strings.Cut(text, "\n")
		}
	}
	return all
}

// configSection reads a header like [http "https://git.test/"]: the name in
// lower case, a dot, and what is quoted as it stands.
func configSection(text string) (name, rest string, ok bool) {
	n := 1
	for n < len(text) && (isKeyByte(text[n]) || text[n] == '.') {
		n++
	}
	name, rest = strings.ToLower(text[1:n]), text[n:]
	if after, ok := strings.CutPrefix(rest, "]"); ok {
		return name, after, true
	}
	subsection := strings.TrimLeft(rest, " \t")
	if subsection == rest || !strings.HasPrefix(subsection, `"`) {
		return "", rest, false
	}
	var b strings.Builder
	for i := 1; i < len(subsection) && subsection[i] != '\n'; i++ {
		switch {
		case subsection[i] == '"' && strings.HasPrefix(subsection[i+1:], "]"):
			return name + "." + b.String(), subsection[i+2:], true
		case subsection[i] == '"':
			return "", subsection[i:], false
		case subsection[i] == '\\' && i+1 < len(subsection) && subsection[i+1] != '\n':
			i++
		}
		b.WriteByte(subsection[i])
	}
	return "", rest, false
}

// configSetting reads a key, in lower case, and its value. A key alone has the
// empty value.
func configSetting(text string) (s setting, rest string, ok bool) {
	n := 0
	for n < len(text) && isKeyByte(text[n]) {
		n++
	}
	s.key, rest = strings.ToLower(text[:n]), strings.TrimLeft(text[n:], " \t")
	if rest == "" || rest[0] == '\n' {
		return s, rest, true
	}
	if rest[0] != '=' {
		return s, rest, false
	}
	s.value, rest, ok = configValue(rest[1:])
	return s, rest, ok
}

// configEscapes are the values of what may stand behind a backslash; a line or
// the file that ends there goes on without it.
var configEscapes = map[string]string{"t": "\t", "b": "\b", "n": "\n", `\`: `\`, `"`: `"`, "\n": "", "": ""}

// configValue reads a value up to the end of its line: quotes and escapes
// undone, comments and blanks at its ends left out, lines joined behind a
// backslash.
func configValue(text string) (value, rest string, ok bool) {
	var b strings.Builder
	quoted, blanks := false, 0 // the blanks that end b so far
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\n':
			return b.String()[:b.Len()-blanks], text[i:], !quoted
		case (c == '#' || c == ';') && !quoted:
			_, rest, _ = strings.Cut(text[i:], "\n")
			return b.String()[:b.Len()-blanks], rest, true
		case (c == ' ' || c == '\t' || c == '\r') && !quoted:
			if b.Len() > 0 {
				b.WriteByte(c)
				blanks++
			}
			continue
		}
		blanks = 0
		switch c {
		case '"':
			quoted = !quoted
		case '\\':
			i++
			escaped, ok := configEscapes[text[i:min(i+1, len(text))]]
			if !ok {
				return "", text[i:], false
			}
			b.WriteString(escaped)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()[:b.Len()-blanks], "", !quoted
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isKeyByte(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' || c == '-' }

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
