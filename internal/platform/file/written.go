package file

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
)

// Written is what this process has written to a file, by size and digest, to
// find out what others did to the file meanwhile. The zero value is nothing.
type Written struct {
	size int64
	sum  hash.Hash
}

// Add adds what was written behind the rest.
func (w *Written) Add(b []byte) {
	if w.sum == nil {
		w.sum = sha256.New()
	}
	w.size += int64(len(b))
	w.sum.Write(b)
}

// Size returns how many bytes were written.
func (w *Written) Size() int64 { return w.size }

// Digest returns the SHA-256 of what was written, in hex.
func (w *Written) Digest() string {
	if w.sum == nil {
		return hex.EncodeToString(sha256.New().Sum(nil))
	}
	return hex.EncodeToString(w.sum.Sum(nil))
}

// IsIn reports whether there is a plain file of that name that holds what was
// written and nothing else. After an error nobody knows.
func (w *Written) IsIn(path string) (bool, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || !info.Mode().IsRegular() || info.Size() != w.size {
		return false, err
	}
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	return w.CopyTo(io.Discard, f)
}

// CopyTo copies what was written from a file that begins with it, and reports whether
// it does. What was copied is worth nothing where it does not. After an error nobody
// knows.
func (w *Written) CopyTo(out io.Writer, f io.ReaderAt) (whole bool, err error) {
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(sum, out), io.NewSectionReader(f, 0, w.size))
	return err == nil && n == w.size && hex.EncodeToString(sum.Sum(nil)) == w.Digest(), err
}
