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

	"github.com/openagent-ci/openagent/internal/text/redact"
)

// minUser is the shortest name of a user that can only be a token in its place.
const minUser = 20

// Credentials returns the secrets that a checkout left for git in the repository
// that dir lies in: what http.*.extraheader send to prove who asks, in base64 and
// decoded, and the passwords in addresses. It reads the configuration, also of
// submodules and further work trees, all that it includes under whatever
// condition, and the files that actions/checkout leaves in temp, the job's folder
// for temporary files. What cannot be read holds none, and what is too short to
// be masked is none.
func Credentials(dir, temp string) []string {
	var files []string
	gitDir := findGitDir(dir)
	if gitDir != "" {
		files = ownConfigs(gitDir)
	}
	if temp != "" {
		left, _ := filepath.Glob(filepath.Join(temp, "git-credentials-*.config"))
		files = append(files, left...)
	}
	if gitDir != "" {
		files = append(files, furtherConfigs(gitDir)...)
	}
	var c credentials
	eachConfig(files, c.setting)
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
	link, _ := readSmall(file)
	target, ok := strings.CutPrefix(link, "gitdir:")
	if !ok {
		return ""
	}
	gitDir := beside(file, strings.TrimSpace(target))
	at := filepath.Join(gitDir, "commondir")
	if common, _ := readSmall(at); strings.TrimSpace(common) != "" {
		return beside(at, strings.TrimSpace(common))
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

// readSmall returns the start of a regular file. A file that is not there or
// cannot be read is empty; so is what is not regular, which is not waited for.
func readSmall(path string) (text string, regular bool) {
	info, err := os.Stat(path)
	if err != nil {
		return "", true
	}
	if !info.Mode().IsRegular() {
		return "", false
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // whatever lies there now
	if err != nil {
		return "", true
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, maxConfig))
	return string(b), true
}

// credentials gathers what configuration files hold.
type credentials struct{ found []string }

// setting adds the secrets of one setting: its value, and an address that names
// its section.
func (c *credentials) setting(s setting) {
	section, rest, _ := strings.Cut(s.key, ".")
	if section == "http" && (rest == "extraheader" || strings.HasSuffix(rest, ".extraheader")) {
		c.header(s.value)
	} else {
		c.address(s.value)
	}
	if end := strings.LastIndexByte(rest, '.'); end >= 0 {
		c.address(rest[:end])
	}
}

// add adds a secret that can be masked.
func (c *credentials) add(secret string) {
	if len(secret) >= redact.MinSecretBytes && !slices.Contains(c.found, secret) {
		c.found = append(c.found, secret)
	}
}

// header adds the secret of a header like "AUTHORIZATION: basic eDp0b2tlbg==".
// One whose name does not speak of a secret has none.
func (c *credentials) header(header string) {
	name, value, _ := strings.Cut(header, ":")
	if !redact.IsSecretName(name) {
		return
	}
	secret := strings.TrimSpace(value)
	if fields := strings.Fields(value); len(fields) > 1 && strings.HasSuffix(strings.ToLower(strings.TrimSpace(name)), "authorization") {
		secret = fields[1] // behind the scheme
	}
	c.add(secret)
	if b, err := base64.StdEncoding.DecodeString(secret); err == nil {
		user, password, _ := strings.Cut(string(b), ":")
		c.login(user, password)
	}
}

// address adds the secrets of the addresses in a text, as that of a remote.
func (c *credentials) address(text string) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \t\n\"'", r) }) {
		if u, err := url.Parse(word); err == nil && u.User != nil {
			password, _ := u.User.Password()
			c.login(u.User.Username(), password)
		}
	}
}

// login adds what is secret of a user and a password: a token can stand in the
// place of either.
func (c *credentials) login(user, password string) {
	if password != "" && password != "x-oauth-basic" {
		c.add(password)
	} else if len(user) >= minUser {
		c.add(user)
	}
}
