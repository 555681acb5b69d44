package workspace

import (
	"context"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/tool"
)

const testPEM = "-----BEGIN OPENSSH PRIVATE KEY-----\nsk-test\n-----END OPENSSH PRIVATE KEY-----\n"

func TestReadFile_HoldsCredentials(t *testing.T) {
	b := newBench(t)
	for name, content := range map[string]string{
		".git/config": "sk-test", "sub/.git/modules/m/config.worktree": "sk-test", ".git-credentials": "sk-test", "home/.netrc": "sk-test",
		".NPMRC": "sk-test", ".pypirc": "sk-test", ".docker/config.json": "sk-test", "id_rsa": "sk-test", "k/id_ed25519_sk": "sk-test",
		".pgpass": "sk-test", ".aws/credentials": "sk-test", ".kube/config": "sk-test", ".cargo/credentials.toml": "sk-test", "home/.config/gh/hosts.yml": "sk-test",
		"deploy.txt": "\n" + testPEM, "both.pem": "-----BEGIN CERTIFICATE-----\nAA\n-----END CERTIFICATE-----\n" + testPEM,
		"pgp.asc": strings.ReplaceAll(testPEM, "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"),
		"p12.txt": "Bag Attributes\n    localKeyID: 01\n" + testPEM,
	} {
		b.put("ws/"+name, content)
		text := b.refused(tool.KindProtectedPath, "read_file", m{"path": name})
		if strings.Contains(text, "sk-test") || !strings.Contains(text, "condition on path") {
			t.Errorf("read_file(%s) = %s, want it refused with its way out and without the content", name, text)
		}
		out := b.prepared("read_file", m{"path": name}).Run(context.Background(), tool.Call{PathAllowed: true})
		if out.Err != nil {
			t.Errorf("read_file(%s) allowed by its path = %v, want the file", name, out.Err)
		}
	}
	for name, content := range map[string]string{
		".git/HEAD": "x", "config": "x", "docker/config.json": "x", "id_rsa.pub": "x", "netrc": "x",
		"how-to.md": "A key looks so:\n\n" + testPEM, "cert.pem": "-----BEGIN CERTIFICATE-----\nAA\n", "empty": "",
	} {
		b.put("ws/"+name, content)
		if result, text := b.call(context.Background(), "read_file", m{"path": name}); result.Status == tool.StatusError {
			t.Errorf("read_file(%s) = %s, want the file", name, text)
		}
	}
}

// A link of another name does not open what the name closes.
func TestReadFile_CredentialsBehindLinks(t *testing.T) {
	b := newBench(t)
	b.put("ws/.git/config", "sk-test")
	b.put("ws/plain", "sk-test")
	b.link(".git/config", "notes.txt")
	b.link(".git", "data")
	b.link("plain", ".netrc")
	b.link("data", "further")
	for _, name := range []string{"notes.txt", "data/config", "further/config", ".netrc", "./.git/../.git/config", ".GIT/config", ".git/./config"} {
		for which, args := range map[string]m{
			"read_file": {"path": name}, "edit_file": {"path": name, "old_text": "x", "new_text": "y"}, "search_files": {"path": name, "query": "sk"},
		} {
			if text := b.refused(tool.KindProtectedPath, which, args); strings.Contains(text, "sk-test") {
				t.Errorf("%s(%s) = %s, want nothing of it", which, name, text)
			}
		}
	}
	if _, text := b.call(context.Background(), "search_files", m{"query": "sk-test"}); strings.Contains(text, ".netrc") || strings.Contains(text, "config") {
		t.Errorf("search_files finds %s, want no file that holds credentials", text)
	}
}
