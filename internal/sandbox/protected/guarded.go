// Package protected lists the files that tools leave alone: the repository's own
// data, and files that hold credentials.
package protected

import (
	"bytes"
	"io"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/openagent-ci/openagent/internal/text/redact"
)

// credentials are the files in which programs keep credentials, by the last parts of
// their paths in lower case. In a name * is any run of characters; a folder with a
// slash at its end is one with all that is in it.
var credentials = []string{
	".git-credentials", "git-credentials", ".netrc", "_netrc", ".pgpass", "pgpass.conf", ".my.cnf", ".mylogin.cnf", ".vault-token",
	// Private keys; one in PEM is known by its content too.
	".ssh/", ".gnupg/", "id_rsa", "id_dsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.ppk", "*.kdbx", ".password-store/",
	// Clouds and containers.
	".aws/credentials", ".aws/cli/cache/", ".aws/sso/cache/", ".azure/accesstokens.json", ".azure/msal_token_cache.*", ".azure/service_principal_entries.*",
	"application_default_credentials.json", "gcloud/credentials.db", "gcloud/access_tokens.db", "gcloud/legacy_credentials/", ".boto", ".s3cfg", ".databrickscfg",
	".kube/config", ".docker/config.json", ".dockercfg", "containers/auth.json", ".terraformrc", ".terraform.d/credentials.tfrc.json",
	"rclone/rclone.conf", "doctl/config.yaml", ".fly/config.yml", ".snowflake/connections.toml", ".kaggle/kaggle.json", "ngrok/ngrok.yml", ".ngrok2/ngrok.yml",
	// Package managers.
	".npmrc", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".m2/settings.xml", ".m2/settings-security.xml",
	".gradle/gradle.properties", ".composer/auth.json", "composer/auth.json", "pub-credentials.json", ".nuget/nuget/nuget.config", ".bundle/config", ".pip/pip.conf", "pip/pip.conf",
	// Forges and agents.
	"gh/hosts.yml", ".config/hub", "glab-cli/config.yml", ".codex/auth.json", ".claude/.credentials.json", ".gemini/oauth_creds.json", ".qwen/oauth_creds.json", "huggingface/token", ".huggingface/token",
}

// suspects are further files that often hold credentials. Tools may read them, since
// work on a project needs some; nothing of them leaves the machine.
var suspects = []string{
	".env", ".env.*", "*.env", "*.pem", "*.key", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*",
	"git-credentials*", "credentials*", "service-account*.json", ".aws/", ".azure/", ".kube/", ".docker/",
}

// IsSecret reports whether a path leads to credentials by its name. The
// configuration of a repository is among them: a checkout leaves its token there.
func IsSecret(p string) bool {
	parts := plainParts(p)
	return leadsToAny(parts, credentials) ||
		strings.HasPrefix(parts[len(parts)-1], "config") && slices.ContainsFunc(parts[:len(parts)-1], IsGitDir)
}

// MayBeSecret is IsSecret for what leaves the machine: it reports suspects too.
func MayBeSecret(p string) bool { return IsSecret(p) || leadsToAny(plainParts(p), suspects) }

func plainParts(p string) []string {
	parts := strings.Split(p, "/")
	for i, part := range parts {
		parts[i] = plain(part)
	}
	return parts
}

// leadsToAny reports whether the parts of a path lead to a file of the list.
func leadsToAny(parts []string, list []string) bool {
	return slices.ContainsFunc(list, func(file string) bool {
		folder, inFolder := strings.CutSuffix(file, "/")
		n := strings.Count(folder, "/") + 1
		if !inFolder {
			return len(parts) >= n && lead(parts[len(parts)-n:], folder)
		}
		for i := 0; i+n < len(parts); i++ {
			if lead(parts[i:i+n], folder) {
				return true
			}
		}
		return false
	})
}

// lead reports whether parts lead to the names of a path.
func lead(parts []string, names string) bool {
	for name := range strings.SplitSeq(names, "/") {
		if !leadsTo(parts[0], name) {
			return false
		}
		parts = parts[1:]
	}
	return true
}

// leadsTo reports whether some file system takes a plain name for that of the file
// called name: with other case, or in the short form of NTFS, which has six characters
// of it.
func leadsTo(given, name string) bool {
	if strings.Contains(name, "*") {
		ok, _ := path.Match(name, given)
		return ok
	}
	if strings.EqualFold(given, name) {
		return true
	}
	head, rest, short := strings.Cut(given, "~")
	if !short {
		return false
	}
	stem, _, _ := strings.Cut(strings.TrimLeft(name, "."), ".")
	number, _, _ := strings.Cut(rest, ".")
	return len(number) == 1 && number >= "1" && number <= "9" && strings.EqualFold(head, stem[:min(6, len(stem))])
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
	begin := make([]byte, maxKeyHead)
	n, _ := file.ReadAt(begin, 0)
	return BeginsKey(begin[:n])
}

// BeginsKey is IsPrivateKey for a file of which the start is at hand: 64 KiB of it,
// or all.
func BeginsKey(begin []byte) bool {
	head := bytes.TrimLeft(begin[:min(len(begin), 64)], "\ufeff \t\r\n")
	return (bytes.HasPrefix(head, []byte("-----BEGIN ")) || bytes.HasPrefix(head, []byte("Bag Attributes"))) &&
		redact.HoldsPrivateKey(begin[:min(len(begin), maxKeyHead)])
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
			if part, rest, _ = strings.Cut(rest, "/"); part != name && !leadsTo(plain(part), name) {
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
