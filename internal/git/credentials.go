package git

import (
	"encoding/base64"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

const (
	// maxConfig bounds what is read of one configuration file.
	maxConfig = 1 << 20
	// maxConfigs bounds how many are read: one may include others.
	maxConfigs = 50
	// minToken is the shortest name of a user that can only be a token in its
	// place.
	minToken = 20
)

// Credentials returns the secrets that a checkout left for git in the repository
// that dir lies in: what http.*.extraheader send, in base64 and decoded, and
// the passwords in addresses. It reads the configuration, all that it includes
// under whatever condition, and the files that actions/checkout leaves in temp,
// the job's folder for temporary files. What cannot be read holds none.
func Credentials(dir, temp string) []string {
	c := credentials{}
	if gitDir := findGitDir(dir); gitDir != "" {
		c.queue = append(c.queue, filepath.Join(gitDir, "config"), filepath.Join(gitDir, "config.worktree"))
	}
	if temp != "" {
		left, _ := filepath.Glob(filepath.Join(temp, "git-credentials-*.config"))
		c.queue = append(c.queue, left...)
	}
	for i := 0; i < len(c.queue) && i < maxConfigs; i++ {
		c.read(c.queue[i])
	}
	return c.found
}

// findGitDir returns the folder of the repository's own data: .git in dir or
// above it, or what a file of that name leads to; empty for none.
func findGitDir(dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for {
		at := filepath.Join(dir, ".git")
		info, err := os.Stat(at)
		switch {
		case err == nil && info.IsDir():
			return at
		case err == nil:
			return linkedGitDir(at)
		case dir == filepath.Dir(dir):
			return ""
		}
		dir = filepath.Dir(dir)
	}
}

// linkedGitDir follows the file .git of a submodule or a further work tree.
func linkedGitDir(file string) string {
	target, ok := strings.CutPrefix(readSmall(file), "gitdir:")
	if !ok {
		return ""
	}
	gitDir := beside(file, strings.TrimSpace(target))
	if common := strings.TrimSpace(readSmall(filepath.Join(gitDir, "commondir"))); common != "" {
		return beside(filepath.Join(gitDir, "commondir"), common)
	}
	return gitDir
}

// beside returns the path that a file names: relative to the file's folder.
func beside(file, name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		home, _ := os.UserHomeDir()
		return filepath.Join(home, rest)
	}
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(file), name)
}

// readSmall returns the begin of a regular file; anything else is empty, and
// none of it is waited for.
func readSmall(path string) string {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	b, _ := io.ReadAll(io.LimitReader(f, maxConfig))
	return string(b)
}

// credentials gathers what configuration files hold.
type credentials struct {
	queue []string // files to read
	found []string
}

// read takes what a file holds and lines up what it includes. The values that
// matter are written by programs, on one line each.
func (c *credentials) read(path string) {
	section := ""
	for line := range strings.Lines(readSmall(path)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.ToLower(line)
			c.address(line)
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.Trim(strings.TrimSpace(value), `"`)
		switch {
		case key == "path" && strings.HasPrefix(section, "[include"):
			if at := beside(path, value); !slices.Contains(c.queue, at) {
				c.queue = append(c.queue, at)
			}
		case key == "extraheader":
			c.header(value)
		default:
			c.address(value)
		}
	}
}

// header takes the secret of a header like "AUTHORIZATION: basic eDp0b2tlbg==".
func (c *credentials) header(header string) {
	fields := strings.Fields(header)
	if len(fields) == 0 {
		return
	}
	secret := fields[len(fields)-1]
	c.found = append(c.found, secret)
	if b, err := base64.StdEncoding.DecodeString(secret); err == nil {
		_, password, _ := strings.Cut(string(b), ":")
		c.found = append(c.found, password)
	}
}

// address takes the password of an address in text, as that of a remote.
func (c *credentials) address(text string) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \t\"[]", r) }) {
		u, err := url.Parse(word)
		if err != nil || u.User == nil {
			continue
		}
		if password, ok := u.User.Password(); ok {
			c.found = append(c.found, password)
		} else if user := u.User.Username(); len(user) >= minToken {
			c.found = append(c.found, user)
		}
	}
}
