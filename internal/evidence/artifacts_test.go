package evidence

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// tree makes files in a fresh folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// savedArtifacts returns the artifacts of the folder.
func savedArtifacts(t *testing.T, f *Folder) map[string]string {
	t.Helper()
	files, err := f.files()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, file := range files {
		if name, ok := strings.CutPrefix(file.Path, ArtifactsDir+"/"); ok {
			got[name] = read(t, f, file.Path)
		}
	}
	return got
}

func collect(t *testing.T, f *Folder, dir string) []schema.ManifestLeftOut {
	t.Helper()
	leftOut, unsaved, err := f.collect(t.Context(), dir)
	if err != nil || unsaved {
		t.Fatalf("collect: %v, unsaved %v, want nothing lost", err, unsaved)
	}
	return leftOut
}

func TestCollect_NamesOfSecretsStay(t *testing.T) {
	files := map[string]string{
		"run/calls.jsonl": "1", "b/.git/HEAD": "2", "config": "3", "my.git/config": "4", "environment": "5", "key": "6", "gh/config.yml": "7", "my.ssh/a": "8", "hosts.yml": "9", "service.json": "10",
	}
	secrets := []string{
		".git/config", "x/.git/config", "x/.git/modules/m/config", ".env", "a/.ENV", ".env.local", "s.pem", "S.Key",
		"id_rsa", ".npmrc", "id_rsa.bak", "id_ed25519", "k.p12", "k.pfx", ".netrc", ".git-credentials",
		"prod.env", "home/.ssh/known_hosts", ".aws/credentials", "x/.Kube/config", ".docker/config.json", ".git/config.worktree",
		"aws/credentials", "Credentials.json", "git-credentials-1.config", "x/service-account-ci.json", "home/.config/gh/hosts.yml",
	}
	all := map[string]string{}
	for name, content := range files {
		all[name] = content
	}
	for _, name := range secrets {
		all[name] = "x"
	}
	if runtime.GOOS != "linux" {
		delete(all, "a/.ENV") // on other systems it may be the same file as .env
	}
	f := open(t)
	leftOut := collect(t, f, tree(t, all))
	if diff := cmp.Diff(files, savedArtifacts(t, f)); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	if got, want := len(leftOut), len(all)-len(files); got != want {
		t.Errorf("%d left out, want %d: %v", got, want, leftOut)
	}
}

func TestCollect_OnlyRegularFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making links needs a privilege on windows")
	}
	outside := tree(t, map[string]string{"secret": "s"})
	dir := tree(t, map[string]string{"a": "a", "sub/b": "b"})
	for name, target := range map[string]string{
		"abs": filepath.Join(outside, "secret"), "dir": outside, "up": "../x", "inside": "a", "sub/loop": "..", "dangling": "nowhere",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	pipe(t, filepath.Join(dir, "pipe"))
	f := open(t)
	leftOut := collect(t, f, dir)
	if diff := cmp.Diff(map[string]string{"a": "a", "sub/b": "b"}, savedArtifacts(t, f)); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	want := []schema.ManifestLeftOut{
		{Path: "abs", Why: "link"}, {Path: "dangling", Why: "link"}, {Path: "dir", Why: "link"}, {Path: "inside", Why: "link"},
		{Path: "pipe", Why: "not a regular file"}, {Path: "sub/loop", Why: "link"}, {Path: "up", Why: "link"},
	}
	if diff := cmp.Diff(want, leftOut); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
}

// A pipe that takes the place of a file after the folder was listed must not
// be waited for.
func TestCopy_NeverWaitsForAPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("windows has no named pipes in folders")
	}
	dir := t.TempDir()
	pipe(t, filepath.Join(dir, "p"))
	src, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	c := &collector{ctx: t.Context(), folder: open(t)}
	c.src = src
	if got, err := c.copy("p"); got != "not a regular file" || err != nil {
		t.Errorf("copy of a pipe = %q, %v, want it refused", got, err)
	}
}

func TestCollect_Names(t *testing.T) {
	for name, want := range map[string]string{
		"a b/ü.txt": "", "a:b": "name that not every system can keep", "a\nb": "name that not every system can keep",
		"a?": "name that not every system can keep", "a\\b": "name that not every system can keep", "a\xff": "name that not every system can keep",
		strings.Repeat("x/", 513): "path too long",
	} {
		if got := refused(name, 0); got != want {
			t.Errorf("refused(%q) = %q, want %q", name, got, want)
		}
	}
	// What is no file is not even opened: opening can have effects.
	if got, want := refused("a", os.ModeDevice), "not a regular file"; got != want {
		t.Errorf("refused of a device = %q, want %q", got, want)
	}
}

// A folder of such a name cannot even be read, but that is a limit, not a loss.
func TestCollect_NamesOfFolders(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "x\xff"), 0o700); err != nil {
		t.Skip("this system has no such names:", err)
	}
	want := []schema.ManifestLeftOut{{Path: "x\ufffd", Why: "name that not every system can keep"}}
	got := collect(t, open(t), dir)
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("left out (-got +want):\n%s", diff)
	}
}

func TestCollect_BytesInAll(t *testing.T) {
	f := open(t)
	f.bounds.bytes = 10
	leftOut := collect(t, f, tree(t, map[string]string{"a": "12345678", "b": "123", "c": "12", "d": "1"}))
	if diff := cmp.Diff(map[string]string{"a": "12345678", "c": "12"}, savedArtifacts(t, f)); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	want := []schema.ManifestLeftOut{
		{Path: "b", Why: "3 bytes, above the limit of 10 in all"}, {Path: "d", Why: "1 bytes, above the limit of 10 in all"},
	}
	if diff := cmp.Diff(want, leftOut); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
}

func TestCollect_EntriesAndListAreBounded(t *testing.T) {
	files := map[string]string{}
	for i := range 9 {
		files[fmt.Sprintf("%d.pem", i)] = ""
	}
	f := open(t)
	f.bounds.entries, f.bounds.listed = 6, 3
	leftOut := collect(t, f, tree(t, files))
	if len(leftOut) != 4 || leftOut[3].Why != "4 more are not listed" {
		t.Errorf("left out = %v, want three and a count of the others", leftOut)
	}
	f.bounds.listed = 6
	leftOut = collect(t, f, tree(t, files))
	if len(leftOut) != 7 || leftOut[6].Why != "1 more are not listed" {
		t.Errorf("left out = %v, want six and a count of the other", leftOut)
	}
	f.bounds.listed = 7
	leftOut = collect(t, f, tree(t, files))
	if len(leftOut) != 7 || !strings.HasPrefix(leftOut[6].Why, "more than 6 entries") {
		t.Errorf("left out = %v, want the seventh to say that it ends here", leftOut)
	}
}

func TestCollect_DeepFoldersAreLeftOut(t *testing.T) {
	f := open(t)
	allowed := strings.Repeat("d/", maxDepth)
	leftOut := collect(t, f, tree(t, map[string]string{allowed + "a": "1", allowed + "d/b": "2"}))
	want := []schema.ManifestLeftOut{{Path: allowed + "d", Why: "below more than 64 folders"}}
	if diff := cmp.Diff(want, leftOut); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	if got := savedArtifacts(t, f); len(got) != 1 || got[allowed+"a"] != "1" {
		t.Errorf("kept %v, want the file in the last folder", got)
	}
}

func TestCollect_MasksKnownSecretsOnly(t *testing.T) {
	f := open(t)
	binary := "\x00\x01" + strings.Repeat("\xff", maxPiece) + "\n"
	collect(t, f, tree(t, map[string]string{
		"calls.jsonl": `{"a":"` + secret + `"}` + "\n" + `{"b":1}`, "patch": "+TOKEN=x\n+" + secret + "\n", "binary": binary,
	}))
	want := map[string]string{
		"calls.jsonl": `{"a":"[redacted]"}` + "\n" + `{"b":1}`, "patch": "+TOKEN=x\n+[redacted]\n", "binary": binary,
	}
	if diff := cmp.Diff(want, savedArtifacts(t, f)); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
}

func TestCollect_NamesHoldNoSecrets(t *testing.T) {
	f := open(t)
	leftOut := collect(t, f, tree(t, map[string]string{"a-" + secret: "", "TOKEN=x": "", "b": ""}))
	if got := savedArtifacts(t, f); len(got) != 1 || len(leftOut) != 2 || leftOut[0].Why != "name that holds a secret" {
		t.Errorf("kept %v, left out %v, want the names with secrets left out", got, leftOut)
	}
}

func TestCollect_NoFolder(t *testing.T) {
	f := open(t)
	for _, dir := range []string{"", filepath.Join(t.TempDir(), "none")} {
		if leftOut := collect(t, f, dir); leftOut != nil {
			t.Errorf("collect(%q) = %v, want nothing", dir, leftOut)
		}
	}
}

// A file that could not be copied is no matter of taste as what a limit leaves
// out is: the evidence is not complete, and the copy that is whole stays.
func TestClose_WhatCannotBeCopiedStays(t *testing.T) {
	f := open(t)
	if err := f.root.Mkdir(ArtifactsDir, dirMode); err != nil {
		t.Fatal(err)
	}
	f.sums[ArtifactsDir] = newDigest(io.Discard) // ours, not what an agent put there
	for _, name := range []string{"artifacts/taken", "notes"} {
		if err := f.root.WriteFile(name, []byte("x"), fileMode); err != nil {
			t.Fatal(err)
		}
	}
	dir := tree(t, map[string]string{"a": "a", "b.pem": "", "notes": "first", "taken/b": "b", "taken/c": "c"})
	got, err := f.Close(t.Context(), &runner.Execution{}, Closing{Artifacts: dir})
	want := []string{
		"copy artifacts: 2 not copied, the first is taken/b: file exists; what the agent left stays in " + dir +
			"; 1 not copied, the first is notes: file exists; what the agent left stays in " + f.Path() + f.foreign,
	}
	if diff := cmp.Diff(want, got.Lost); diff != "" || err == nil || !got.Unsaved {
		t.Errorf("Close = %v, unsaved %v, want that told; lost (-want +got):\n%s", err, got.Unsaved, diff)
	}
	if m := manifest(t, f); m.EvidenceComplete || len(m.LeftOut) != 4 {
		t.Errorf("manifest: complete %v, left out %v, want it not complete and four files", m.EvidenceComplete, m.LeftOut)
	}
	for name, want := range map[string]string{"a": "a", "notes": "first"} {
		if got := read(t, f, ArtifactsDir+"/"+name); got != want {
			t.Errorf("artifact %s holds %q, want %q", name, got, want)
		}
	}
	if text, err := os.ReadFile(filepath.Join(f.Path()+f.foreign, "notes")); string(text) != "x" {
		t.Errorf("what the agent put into the folder holds %q, %v, want it beside the folder", text, err)
	}
	if entries, err := os.ReadDir(f.Path()); err != nil || len(entries) != 5 {
		t.Errorf("the folder holds %v, %v, want its own files alone", entries, err)
	}
}

// A secret on the edge of two pieces of one long line is found, and nothing
// else changes.
func TestCollect_SecretsOverPieces(t *testing.T) {
	files, want := map[string]string{}, map[string]string{}
	for _, before := range []int{maxPiece - len(secret), maxPiece - 1, maxPiece - 300, 2*maxPiece - 5} {
		name := fmt.Sprint(before)
		files[name] = strings.Repeat("a", before) + secret + strings.Repeat("b", maxPiece) + "\n" + secret
		want[name] = strings.Repeat("a", before) + "[redacted]" + strings.Repeat("b", maxPiece) + "\n[redacted]"
	}
	f := open(t)
	collect(t, f, tree(t, files))
	got := savedArtifacts(t, f)
	for name := range files {
		if got[name] != want[name] {
			t.Errorf("secret after %s bytes: kept %d bytes, secret in it: %v, want it masked and the rest as it was",
				name, len(got[name]), strings.Contains(got[name], secret))
		}
	}
}

// A secret can be wrapped over lines, as base64 of 76 columns is.
func TestCollect_SecretsOverLines(t *testing.T) {
	encoded := base64.StdEncoding.EncodeToString([]byte(secret))
	wrapped := encoded[:7] + "\n" + encoded[7:]
	f := open(t)
	collect(t, f, tree(t, map[string]string{"a": "before\n" + wrapped + "\nafter\n", "b": strings.Repeat("x\n", maxPiece) + wrapped}))
	for name, text := range savedArtifacts(t, f) {
		if strings.Contains(text, encoded[:7]) || !strings.Contains(text, "[redacted]") {
			t.Errorf("%s holds a wrapped secret: %q", name, text[max(0, len(text)-200):])
		}
	}
}

// A cancelled job has no time for artifacts: those that are not copied are
// told of, and none is there by half.
func TestCollect_CancelledRun(t *testing.T) {
	dir := tree(t, map[string]string{"a/b": "1", "c": "2"})
	f := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f.bounds.cancelled = 0
	leftOut, _, err := f.collect(ctx, dir)
	if err != nil || len(leftOut) != 1 || leftOut[0].Path != "a" || !strings.Contains(leftOut[0].Why, "cancelled") || len(savedArtifacts(t, f)) != 0 {
		t.Errorf("collect = %v, %v with %v kept, want the first and what follows left out", leftOut, err, savedArtifacts(t, f))
	}
	src, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	c := &collector{ctx: ctx, folder: f}
	c.src = src
	if why, err := c.copy("c"); why != errNoTime.Error() || err != nil || len(savedArtifacts(t, f)) != 0 {
		t.Errorf("copy = %q, %v with %v kept, want %q and no half file", why, err, savedArtifacts(t, f), errNoTime)
	}
	f.bounds.cancelled = time.Hour
	if leftOut, _, err := f.collect(ctx, dir); err != nil || leftOut != nil || len(savedArtifacts(t, f)) != 2 {
		t.Errorf("collect with time left = %v, %v with %v kept, want both files", leftOut, err, savedArtifacts(t, f))
	}
}

// What an agent puts in the place of its folder is neither followed nor waited
// for, and does not make the harness fail.
func TestCollect_NotAFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("windows has no named pipes in folders, and links need a privilege")
	}
	dir := tree(t, map[string]string{"file": "x", "real/secret": "s"})
	if err := os.Symlink(filepath.Join(dir, "real"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	pipe(t, filepath.Join(dir, "pipe"))
	for _, name := range []string{"file", "link", "pipe"} {
		f := open(t)
		want := []schema.ManifestLeftOut{{Path: ".", Why: "not a folder"}}
		if diff := cmp.Diff(want, collect(t, f, filepath.Join(dir, name))); diff != "" || len(savedArtifacts(t, f)) != 0 {
			t.Errorf("a %s in the place of the folder: kept %v, left out (-want +got):\n%s", name, savedArtifacts(t, f), diff)
		}
	}
}
