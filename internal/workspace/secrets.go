package workspace

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/redact"
	"github.com/openagent-ci/openagent/internal/tool"
)

// secretFiles are names, in lower case, of files in which programs keep
// credentials.
var secretFiles = []string{
	".git-credentials", ".netrc", "_netrc", ".npmrc", ".pypirc",
	"id_rsa", "id_dsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk",
}

// isSecretPath reports whether a path leads to credentials by its name. The
// configuration of a repository is among them: a checkout leaves its token there.
func isSecretPath(p string) bool {
	parts := strings.Split(p, "/")
	base := strings.ToLower(strings.TrimRight(parts[len(parts)-1], " ."))
	folders := parts[:len(parts)-1]
	return slices.Contains(secretFiles, base) ||
		strings.HasPrefix(base, "config") && slices.ContainsFunc(folders, isGitDir) ||
		base == "config.json" && len(folders) > 0 && strings.EqualFold(folders[len(folders)-1], ".docker")
}

// maxKeyHead is how much of a file is searched for a private key, behind the
// certificates that can come first.
const maxKeyHead = 64 << 10

// isPrivateKey reports whether a file is one: PEM or PGP from its first line on, or
// with the attributes that OpenSSL prints before. A text that shows a key
// among others is none.
func isPrivateKey(file io.ReaderAt) bool {
	head := make([]byte, 64)
	n, _ := file.ReadAt(head, 0)
	head = bytes.TrimLeft(head[:n], "\ufeff \t\r\n")
	if !bytes.HasPrefix(head, []byte("-----BEGIN ")) && !bytes.HasPrefix(head, []byte("Bag Attributes")) {
		return false
	}
	head = make([]byte, maxKeyHead)
	n, _ = file.ReadAt(head, 0)
	return redact.HoldsPrivateKey(head[:n])
}

func holdsCredentials(name string) *tool.Error {
	return tool.NewError(tool.KindProtectedPath, quoted(name)+" holds credentials", pathDetail(name)).
		WithHint("Do without it. A rule of the policy that allows this tool with a condition on path opens the file.")
}
