package record_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/chat"
	"github.com/openagent-ci/openagent/internal/record"
)

// What a command does to the files of lines is found; what can be put back is.
func TestVerify_WhatACommandDid(t *testing.T) {
	const planted = `{"step":9}` + "\n"
	for name, test := range map[string]struct {
		change  func(path string) error
		putBack bool
	}{
		"added":    {func(path string) error { return appendTo(path, planted) }, false},
		"cut":      {func(path string) error { return os.Truncate(path, 5) }, false},
		"written":  {func(path string) error { return os.WriteFile(path, []byte(planted), 0o600) }, false},
		"removed":  {os.Remove, true},
		"replaced": {func(path string) error { _ = os.Remove(path); return os.WriteFile(path, []byte(planted), 0o600) }, true},
		"a folder": {func(path string) error { _ = os.Remove(path); return os.MkdirAll(path+"/x", 0o700) }, true},
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
			if got, err := os.ReadFile(path); test.putBack && (err != nil || string(got) != string(want)) {
				t.Errorf("calls.jsonl = %q, %v, want what was written", got, err)
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
