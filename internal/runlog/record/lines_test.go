package record_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/runlog/record"
)

// What a command does to the files of lines is found; what can be put back is.
func TestVerify_WhatACommandDid(t *testing.T) {
	const planted = `{"step":9}` + "\n"
	for name, test := range map[string]struct {
		change  func(path string) error
		putBack bool // what was written is there again
		aside   bool // what was planted is beside it
	}{
		"added":    {func(path string) error { return appendTo(path, planted) }, true, true},
		"cut":      {func(path string) error { return os.Truncate(path, 5) }, false, false},
		"written":  {func(path string) error { return os.WriteFile(path, []byte(planted), 0o600) }, false, true},
		"removed":  {os.Remove, true, false},
		"replaced": {func(path string) error { _ = os.Remove(path); return os.WriteFile(path, []byte(planted), 0o600) }, true, true},
		"a link to itself": {func(path string) error {
			_ = os.Rename(path, path+".moved")
			return os.Symlink(path+".moved", path)
		}, true, false},
		"a folder": {func(path string) error { _ = os.Remove(path); return os.MkdirAll(path+"/x", 0o700) }, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t)
			if err := r.Call(record.Call{ID: "c1"}); err != nil {
				t.Fatal(err)
			}
			if changed, err := r.Verify(); changed != nil || err != nil {
				t.Fatalf("Verify() before = %v, %v, want nothing", changed, err)
			}
			path := filepath.Join(r.Dir(), "calls.jsonl")
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := test.change(path); err != nil {
				t.Fatal(err)
			}
			changed, err := r.Verify()
			if diff := cmp.Diff([]string{"calls.jsonl"}, changed); diff != "" || err != nil {
				t.Errorf("Verify() = %v (-want +got):\n%s", err, diff)
			}
			got, err := os.ReadFile(path)
			if test.putBack && (err != nil || string(got) != string(want)) || !test.putBack && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("calls.jsonl = %q, %v, want what was written, or nothing where that is lost", got, err)
			}
			if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
				t.Errorf("calls.jsonl is %v, want a plain file", info.Mode())
			}
			aside, _ := os.ReadFile(path + ".foreign-1")
			if planted := strings.HasSuffix(string(aside), planted); planted != test.aside {
				t.Errorf("moved aside: %q, want the planted line in it: %v", aside, test.aside)
			}
		})
	}
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(text)
	return err
}

// Each line names the one before it.
func TestMessages_AreAChain(t *testing.T) {
	r := open(t)
	for _, text := range []string{"one", "two", "three"} {
		if err := r.Messages([]record.Message{{Role: chat.RoleUser, Text: text}}, true); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(r.Dir(), "messages.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	before := ""
	for lines := bufio.NewScanner(strings.NewReader(string(text))); lines.Scan(); {
		var m record.Message
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil || m.Before != before {
			t.Errorf("line %s: %v; before_sha256 is %q, want %q", lines.Text(), err, m.Before, before)
		}
		sum := sha256.Sum256([]byte(lines.Text() + "\n"))
		before = hex.EncodeToString(sum[:])
	}
	if before == "" {
		t.Error("messages.jsonl has no line")
	}
}

// What a command appends before the next line is written comes to stand beside
// the record, not in it.
func TestCall_AfterPlantedLines(t *testing.T) {
	const planted = `{"step":9}` + "\n"
	r := open(t)
	path := filepath.Join(r.Dir(), "calls.jsonl")
	for _, id := range []string{"c1", "c2", "c3"} {
		if err := errors.Join(appendTo(path, planted), r.Call(record.Call{ID: id})); err != nil {
			t.Fatal(err)
		}
	}
	changed, err := r.Verify()
	if diff := cmp.Diff([]string{"calls.jsonl"}, changed); diff != "" || err != nil {
		t.Errorf("Verify() = %v (-want +got):\n%s", err, diff)
	}
	var ids []string
	for c, err := range record.Calls(r.Dir()) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, c.ID)
	}
	if diff := cmp.Diff([]string{"c1", "c2", "c3"}, ids); diff != "" {
		t.Errorf("calls on record (-want +got):\n%s", diff)
	}
	for n, aside := range []string{planted, "c1", "c2"} {
		if got, err := os.ReadFile(fmt.Sprintf("%s.foreign-%d", path, n+1)); err != nil || !strings.Contains(string(got), aside) || !strings.HasSuffix(string(got), planted) {
			t.Errorf("moved aside %d: %q, %v, want what stood there, with %s", n+1, got, err, aside)
		}
	}
}

// A folder in the place of the record's, or a link to it, is not the record: what
// was written is put back under the name.
func TestVerify_FolderOfAnother(t *testing.T) {
	for name, change := range map[string]func(dir string) error{
		"moved": func(dir string) error { return os.Rename(dir, dir+".moved") },
		"linked": func(dir string) error {
			return errors.Join(os.Rename(dir, dir+".moved"), os.Symlink(dir+".moved", dir))
		},
		"another": func(dir string) error { return errors.Join(os.Rename(dir, dir+".moved"), os.Mkdir(dir, 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t)
			if err := errors.Join(r.Call(record.Call{ID: "c1"}), os.WriteFile(filepath.Join(r.ArtifactsDir(), "a"), []byte("text"), 0o600)); err != nil {
				t.Fatal(err)
			}
			if err := change(r.Dir()); err != nil {
				t.Fatal(err)
			}
			changed, err := r.Verify()
			if len(changed) == 0 || changed[0] != "the folder" || err != nil {
				t.Errorf("Verify() = %v, %v, want the folder", changed, err)
			}
			if info, err := os.Lstat(r.Dir()); err != nil || !info.IsDir() {
				t.Errorf("the run folder is %v, %v, want a folder", info, err)
			}
			for _, file := range []string{"run.json", "calls.jsonl", "messages.jsonl", "artifacts/a"} {
				got, gotErr := os.ReadFile(filepath.Join(r.Dir(), file))
				want, wantErr := os.ReadFile(filepath.Join(r.Dir()+".moved", file))
				if gotErr != nil || wantErr != nil || string(got) != string(want) {
					t.Errorf("%s = %q, %v, want %q, %v", file, got, gotErr, want, wantErr)
				}
			}
		})
	}
}
