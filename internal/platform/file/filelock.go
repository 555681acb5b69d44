// Package file writes files that are either whole or unchanged (temporary name,
// sync, rename), and locks files between processes.
package file

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"
)

const (
	wait  = 10 * time.Second
	grace = time.Second // of wait, once the context has ended
	retry = 5 * time.Millisecond
)

// Lock locks the file at path, which it makes if there is none, and waits while
// another process holds it; that is an error after ten seconds. Once ctx has ended
// it waits a second at most: a run that is being cancelled still records what it
// did.
func Lock(ctx context.Context, path string, mode os.FileMode) (unlock func() error, err error) {
	if unlock, err := Try(path, mode); unlock != nil && err == nil {
		return unlock, nil // without a timer
	}
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), wait)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })()
	l := flock.New(path, flock.SetPermissions(mode))
	switch _, err := l.TryLockContext(patience, retry); {
	case err == nil:
		return l.Close, nil
	case errors.Is(err, patience.Err()):
		return nil, fmt.Errorf("another process has held %s for too long", path)
	default:
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
}

// Try locks the file at path, which it makes if there is none. It returns nil if
// another process holds it.
func Try(path string, mode os.FileMode) (unlock func() error, err error) {
	l := flock.New(path, flock.SetPermissions(mode))
	if free, err := l.TryLock(); !free || err != nil {
		return nil, err
	}
	return l.Close, nil
}

// Await locks the file at path as Lock does, and waits for as long as ctx goes on. A
// shared lock keeps only those from it that want it for themselves.
func Await(ctx context.Context, path string, mode os.FileMode, shared bool) (unlock func() error, err error) {
	l := flock.New(path, flock.SetPermissions(mode))
	try := l.TryLockContext
	if shared {
		try = l.TryRLockContext
	}
	if _, err := try(ctx, retry); err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return l.Close, nil
}
