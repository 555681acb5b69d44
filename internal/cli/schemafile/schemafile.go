// Package schemafile finds schemas by published name or file, writes published ones
// to files, and reads lock files.
package schemafile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/compat"
)

// Write makes the schema a file below the state folder and returns its path,
// which holds the digest. A file that was changed is written anew.
func Write(p process.Env, stateDir, name string, text []byte) (string, error) {
	state, err := p.UsualState(stateDir)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	dir, err := p.Abs(filepath.Join(state, "schema", hex.EncodeToString(sum[:])))
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, name+".schema.json")
	if found, err := os.ReadFile(path); err == nil && string(found) == string(text) {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return path, file.WriteIn(dir, filepath.Base(path), text, 0o644)
}

// Read returns a schema by its published name, or else by its file.
func Read(ctx context.Context, p process.Env, published schema.Set, name string) ([]byte, error) {
	text, unknown := published.Load(name)
	if unknown == nil {
		return text, nil
	}
	text, err := p.Read(ctx, name)
	if errors.Is(err, os.ErrNotExist) && !strings.ContainsRune(name, os.PathSeparator) {
		return nil, fmt.Errorf("%w; no file has that name either", unknown)
	}
	return text, err
}

// Compare returns the changes from one schema to another, each as Read finds it.
func Compare(ctx context.Context, p process.Env, published schema.Set, old, next string) ([]compat.Change, error) {
	before, err := Read(ctx, p, published, old)
	if err != nil {
		return nil, err
	}
	after, err := Read(ctx, p, published, next)
	if err != nil {
		return nil, err
	}
	changes, err := compat.Compare(before, after)
	if err != nil {
		err = hint.With(err, "name two schemas of one kind, each by a name that openagent schema list shows, or by its file")
	}
	return changes, err
}

// WriteLock writes a lock file. One that is there is replaced; another file is not,
// and neither is a lock of another version.
func WriteLock(ctx context.Context, p process.Env, target string, lock schema.Lock) error {
	if info, err := p.Stat(target); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
		if _, err := ReadLock(ctx, p, target); err != nil {
			return hint.With(fmt.Errorf("there is another file: %w", err), "remove it, or name another file by --file")
		}
	}
	text, err := lock.Encode()
	if err != nil {
		return err
	}
	return file.Replace(p.Path(target), text)
}

// ReadLock reads a lock file, a regular one; the error of one that does not exist has a
// hint.
func ReadLock(ctx context.Context, p process.Env, target string) (schema.Lock, error) {
	text, err := readFile(ctx, p, target)
	if err != nil {
		if os.IsNotExist(err) {
			err = hint.With(err, "openagent schema lock writes one")
		}
		return schema.Lock{}, err
	}
	lock, err := schema.ParseLock(text)
	if err != nil {
		return schema.Lock{}, hint.With(fmt.Errorf("%s: %w", target, err), "remove it, or name another file by --file; openagent schema lock --file FILE writes a new one")
	}
	return lock, nil
}

// readFile reads a regular file; nobody waits for a pipe.
func readFile(ctx context.Context, p process.Env, target string) ([]byte, error) {
	f, err := p.OpenFile(ctx, target)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return process.ReadUpTo(f, target, process.MaxInput)
}
