package file

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestLock_WaitsForTheOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := Lock(t.Context(), path, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if other, err := Try(path, 0o600); other != nil || err != nil {
		t.Errorf("Try(held) = %v, %v, want neither a lock nor an error", other != nil, err)
	}
	for ended, want := range map[bool]time.Duration{false: wait, true: grace} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if ended {
				cancel()
			}
			began := time.Now()
			_, err := Lock(ctx, path, 0o600)
			if elapsed := time.Since(began); err == nil || !strings.Contains(err.Error(), path) || elapsed < want || elapsed > want+time.Second {
				t.Errorf("Lock(held) in a run that has ended (%v) = %v after %s, want an error that names the file after %s", ended, err, elapsed, want)
			}
		})
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	again, err := Lock(ctx, path, 0o600)
	if err != nil {
		t.Fatalf("Lock(free) in a run that has ended = %v, want none", err)
	}
	if err := again(); err != nil {
		t.Error(err)
	}
	if free, err := Try(path, 0o600); free == nil || err != nil {
		t.Errorf("Try(free) = %v, %v, want a lock", free != nil, err)
	} else if err := free(); err != nil {
		t.Error(err)
	}
}

func TestLock_NoSuchFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "lock")
	if _, err := Lock(t.Context(), path, 0o600); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("Lock() = %v, want an error that names the file", err)
	}
	if _, err := Try(path, 0o600); err == nil {
		t.Error("Try() = nil, want an error")
	}
}

// A lock that is waited for comes when the other goes, and a shared one is for many.
func TestAwait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	await := func(shared bool, patience time.Duration) func() error {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		unlock, _ := Await(ctx, path, 0o600, shared)
		return unlock
	}
	one, other := await(true, time.Minute), await(true, time.Minute)
	if one == nil || other == nil {
		t.Fatal("Await(shared) twice = no lock, want both")
	}
	if own := await(false, 50*time.Millisecond); own != nil {
		t.Error("Await(shared by others) = a lock, want none")
	}
	if err := one(); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, func() { _ = other() })
	own := await(false, time.Minute)
	if own == nil {
		t.Fatal("Await(that others give back) = no lock, want one")
	}
	if shared := await(true, 50*time.Millisecond); shared != nil {
		t.Error("Await(shared, held) = a lock, want none")
	}
	_ = own()
}
