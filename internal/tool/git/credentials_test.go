package git

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestCredentials(t *testing.T) {
	basic := base64.StdEncoding.EncodeToString([]byte("x-access-token:ghs-test-0123"))
	header := "[http \"https://git.test/\"]\n\textraheader = AUTHORIZATION: basic " + basic + "\n"
	want := []string{basic, "ghs-test-0123"}
	tests := map[string]struct {
		files map[string]string
		dir   string
		want  []string
	}{
		"no repository":       {nil, ".", nil},
		"nothing left":        {map[string]string{".git/config": "[core]\n\tbare = false\n[remote \"o\"]\n\turl = https://git.test/o/r\n\tx = ssh://git@git.test/o/r\n"}, ".", nil},
		"in the config":       {map[string]string{".git/config": "[core]\n" + header}, ".", want},
		"from a folder below": {map[string]string{".git/config": header, "a/b/c": ""}, "a/b", want},
		"another case":        {map[string]string{".git/config": "[HTTP]\n ExtraHeader=Authorization: Bearer ghs-test-0123\n"}, ".", []string{"ghs-test-0123"}},
		"included":            {map[string]string{".git/config": "[include]\n\tpath = ../more\n", "more": header}, ".", want},
		"included by a condition, in a circle": {map[string]string{
			".git/config": "[includeIf \"gitdir:/elsewhere/.git\"]\n\tpath = \"x.config\"\n", ".git/x.config": "[include]\n path = config\n" + header}, ".", want},
		"left in the job's folder": {map[string]string{"temp/git-credentials-1-2.config": header, "temp/other.config": "[http]\nextraheader = x: none-of-it\n"}, ".", want},
		"a further work tree": {map[string]string{"w/.git": "gitdir: ../main/.git/worktrees/w\n", "main/.git/worktrees/w/commondir": "../..\n",
			"main/.git/config": header}, "w", want},
		"of a submodule":           {map[string]string{".git/modules/a/objects/config": header, ".git/modules/a/HEAD": "", ".git/modules/objects/b/config": header}, ".", want},
		"of another work tree":     {map[string]string{".git/worktrees/w/config.worktree": header}, ".", want},
		"only objects":             {map[string]string{".git/modules/a/objects/config": header, ".git/modules/a/HEAD": ""}, ".", nil},
		"on one line":              {map[string]string{".git/config": "[http] extraheader = Authorization: Basic " + basic + " # made by a step\n"}, ".", want},
		"quoted, a comment behind": {map[string]string{".git/config": "[http]\nextraheader = \"Authorization: Basic " + basic + "\" ; x\n"}, ".", want},
		"continued":                {map[string]string{".git/config": "[http]\nextraheader = Authorization: \\\n  Basic " + basic + "\r\n"}, ".", want},
		"a token as header":        {map[string]string{".git/config": "[http]\nextraheader = PRIVATE-TOKEN: ghs-test-0123\n"}, ".", []string{"ghs-test-0123"}},
		"headers without a secret": {map[string]string{".git/config": "[http]\nextraheader = X-Trace: on-and-on-and-on\nextraheader = Authorization: basic true\nextraheader = Authorization: basic\n"}, ".", nil},
		"a token as user": {map[string]string{".git/config": "[remote \"o\"]\nurl = https://ghs-test-01234567890:x-oauth-basic@git.test/\n[http]\nextraheader = Authorization: basic " +
			base64.StdEncoding.EncodeToString([]byte("ghs-test-01234567890:")) + "\n"}, ".", []string{"ghs-test-01234567890", base64.StdEncoding.EncodeToString([]byte("ghs-test-01234567890:"))}},
		"passwords too short to mask": {map[string]string{".git/config": "[remote \"o\"]\nurl = https://u:short@git.test/\n"}, ".", nil},
		"in an address": {map[string]string{".git/config": "[remote \"o\"]\n\turl = https://u:pw-test-01@git.test/o\n[url \"https://ghs-test-01234567890@git.test/\"]\n\tinsteadOf = https://somebody@git.test\n"},
			".", []string{"pw-test-01", "ghs-test-01234567890"}},
	}
	for name, tt := range tests {
		root := t.TempDir()
		for path, text := range tt.files {
			path = filepath.Join(root, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := Credentials(filepath.Join(root, tt.dir), filepath.Join(root, "temp")); !slices.Equal(got, tt.want) {
			t.Errorf("%s: Credentials = %q, want %q", name, got, tt.want)
		}
	}
}
