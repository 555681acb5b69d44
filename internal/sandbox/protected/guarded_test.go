package protected

import (
	"strings"
	"testing"
)

func TestIsGitDir(t *testing.T) {
	for _, name := range []string{".git", ".GIT", ".gIt", ".git.", ".git ", ".git . .", "git~1", "GIT~1", ".g\u200dit", "\ufeff.git", ".git::$DATA", ".git:x", `.git\x`, `GIT~1 .\`, ".git\u206a\u206f", "\u200c.g\u202ei\u202at"} {
		if !IsGitDir(name) {
			t.Errorf("IsGitDir(%q) = false, want true", name)
		}
	}
	for _, name := range []string{"", ".", "git", ".gitignore", ".github", "x.git", ".git-", "git~2", " .git", "..git"} {
		if IsGitDir(name) {
			t.Errorf("IsGitDir(%q) = true, want false", name)
		}
	}
}

func TestIsRepository(t *testing.T) {
	for path, want := range map[string]bool{".git": true, "a/.git/config": true, ".GIT/x": true, ".gitignore": false, "a/git/x": false, ".": false} {
		if got := IsRepository(path); got != want {
			t.Errorf("IsRepository(%q) = %v, want %v", path, got, want)
		}
	}
}

func TestHidden(t *testing.T) {
	h := Hidden{"out", "a/State", "odd:name"}
	for path, want := range map[string]bool{
		"out": true, "out/x/y": true, "OUT/x": true, "out./x": true, "a/state/x": true, "a/State": true, "odd:name/x": true,
		"a": false, "a/x": false, "output": false, "b/out": false, ".": false, "odd": false,
	} {
		if got := h.Has(path); got != want {
			t.Errorf("Has(%q) = %v, want %v", path, got, want)
		}
	}
}

func TestIsSecret(t *testing.T) {
	for path, want := range map[string]bool{
		".git/config": true, "a/.GIT/config.worktree": true, "a/.npmrc": true, ".NETRC": true, "x/id_ed25519_sk": true, ".docker/config.json": true, "id_rsa.": true,
		".npm\u200crc": true, ".netrc::$DATA": true, "id_r\u017fa": true, "NPMRC~1": true, "netrc~2": true, "GIT-CR~1": true, "ID_ED2~1": true, "DOCKER~1/CONFIG~1.JSO": true, ".git/CONFIG~1": true,
		"npmrc~": false, "npmrc~10": false, "npmrc": false, "conf~1": false, "config~1": false, "notes~1": false,
		".pgpass": true, "x/.aws/credentials": true, ".aws/config": false, ".kube/config": true, ".kube/pods.yml": false, "home/.config/gh/hosts.yml": true,
		".cargo/credentials.toml": true, ".ssh/known_hosts": true, "a/.SSH/x/y": true, ".ssh": false, "store.JKS": true, "a/.codex/auth.json": true, "auth.json": false,
		"x/.nuget/NuGet/NuGet.Config": true, ".config/pip/pip.conf": true, ".bundle/config": true, ".kaggle/kaggle.json": true, ".config/hub": true, ".password-store/a.gpg": true,
		"NuGet.Config": false, ".yarnrc.yml": false, "bundle/config": false, "kaggle.json": false, "hub": false,
		".env": false, "credentials": false, "credentials.go": false, "cert.pem": false, "hosts.yml": false, ".docker/Dockerfile": false,
		"config": false, ".git/HEAD": false, "config.json": false, "a/docker/config.json": false, "id_rsa.pub": false, ".npmrc/x": false,
	} {
		if got := IsSecret(path); got != want {
			t.Errorf("IsSecret(%q) = %v, want %v", path, got, want)
		}
	}
}

func TestMayBeSecret(t *testing.T) {
	for path, want := range map[string]bool{
		".pgpass": true, ".env": true, "a/.env.local": true, "credentials": true, "S.Key": true, ".aws/config": true, "id_rsa.bak": true, ".git/config": true,
		"environment": false, "key": false, "my.ssh/a": false, "docker/config.json": false, ".git/HEAD": false,
	} {
		if got := MayBeSecret(path); got != want {
			t.Errorf("MayBeSecret(%q) = %v, want %v", path, got, want)
		}
	}
}

func TestIsPrivateKey(t *testing.T) {
	key := "-----BEGIN OPENSSH PRIVATE KEY-----\nsk-test\n-----END OPENSSH PRIVATE KEY-----\n"
	for text, want := range map[string]bool{
		key: true, "\n \ufeff" + key: true, "-----BEGIN CERTIFICATE-----\nAA\n" + key: true, "Bag Attributes\n x\n" + key: true,
		"": false, "a key:\n" + key: false, "-----BEGIN CERTIFICATE-----\nAA\n": false,
	} {
		if got := IsPrivateKey(strings.NewReader(text)); got != want {
			t.Errorf("IsPrivateKey(%q) = %v, want %v", text, got, want)
		}
		if got := BeginsKey([]byte(text)); got != want {
			t.Errorf("BeginsKey(%q) = %v, want %v", text, got, want)
		}
	}
}
