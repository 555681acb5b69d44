// Package guarded says what of a tree its tools leave alone: a repository's own data,
// and files that hold credentials.
package guarded

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/openagent-ci/openagent/internal/redact"
)

// secretFiles are names of files in which programs keep credentials.
var secretFiles = []string{
	".git-credentials", ".netrc", "_netrc", ".npmrc", ".pypirc",
	"id_rsa", "id_dsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk",
}

// IsSecret reports whether a path leads to credentials by its name. The
// configuration of a repository is among them: a checkout leaves its token there.
func IsSecret(p string) bool {
	parts := strings.Split(p, "/")
	base := parts[len(parts)-1]
	folders := parts[:len(parts)-1]
	return slices.ContainsFunc(secretFiles, func(name string) bool { return leadsTo(base, name) }) ||
		strings.HasPrefix(plain(base), "config") && slices.ContainsFunc(folders, IsGitDir) ||
		leadsTo(base, "config.json") && len(folders) > 0 && leadsTo(folders[len(folders)-1], ".docker")
}

// leadsTo reports whether some file system takes a name for that of the file called
// name: with other case, with characters that it ignores, or in the short form of NTFS,
// which has six characters of it.
func leadsTo(given, name string) bool {
	given = plain(given)
	if strings.EqualFold(given, name) {
		return true
	}
	stem, _, _ := strings.Cut(strings.TrimLeft(name, "."), ".")
	head, rest, short := strings.Cut(given, "~")
	number, _, _ := strings.Cut(rest, ".")
	return short && len(number) == 1 && number >= "1" && number <= "9" && strings.EqualFold(head, stem[:min(6, len(stem))])
}

// plain returns a name in lower case without what some file systems ignore:
// characters that are not shown, a stream of NTFS, and blanks and dots at the end.
func plain(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name)
	if end := strings.IndexAny(name, `:\`); end >= 0 {
		name = name[:end]
	}
	return strings.ToLower(strings.TrimRight(name, " ."))
}

// maxKeyHead is how much of a file is searched for a private key, behind the
// certificates that can come first.
const maxKeyHead = 64 << 10

// IsPrivateKey reports whether a file is one: PEM or PGP from its first line on, or
// with the attributes that OpenSSL prints before. A text that shows a key
// among others is none.
func IsPrivateKey(file io.ReaderAt) bool {
	head := make([]byte, 64)
	n, _ := file.ReadAt(head, 0)
	if !mayBeKey(head[:n]) {
		return false
	}
	head = make([]byte, maxKeyHead)
	n, _ = file.ReadAt(head, 0)
	return redact.HoldsPrivateKey(head[:n])
}

// BeginsKey is IsPrivateKey for a file of which the begin is at hand: 64 KiB of it,
// or all.
func BeginsKey(begin []byte) bool {
	return mayBeKey(begin[:min(len(begin), 64)]) && redact.HoldsPrivateKey(begin[:min(len(begin), maxKeyHead)])
}

func mayBeKey(head []byte) bool {
	head = bytes.TrimLeft(head, "\ufeff \t\r\n")
	return bytes.HasPrefix(head, []byte("-----BEGIN ")) || bytes.HasPrefix(head, []byte("Bag Attributes"))
}

// Hidden are files and folders of a tree that its tools neither show nor change, as
// paths with slashes from its root: evidence and state.
type Hidden []string

// Has reports whether a path is one of them, or in one, under any name that some file
// system takes for it.
func (h Hidden) Has(p string) bool {
	return slices.ContainsFunc(h, func(hidden string) bool {
		rest := p
		for name := range strings.SplitSeq(hidden, "/") {
			var part string
			if part, rest, _ = strings.Cut(rest, "/"); part != name && !leadsTo(part, name) {
				return false
			}
		}
		return true
	})
}

// IsRepository reports whether a path leads to the own data of a git repository.
func IsRepository(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if IsGitDir(part) {
			return true
		}
	}
	return false
}

// IsGitDir reports whether a name is .git for any file system: with other
// case, with characters that some ignore, with the short form, the separator or
// the stream suffix of NTFS.
func IsGitDir(name string) bool {
	name = plain(name)
	return name == ".git" || name == "git~1"
}
