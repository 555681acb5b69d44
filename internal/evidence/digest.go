package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"

	"github.com/openagent-ci/openagent/schema"
)

// digest counts and hashes what is written through it to a file of the folder,
// so that the manifest describes what was written, whatever another process
// makes of the file afterwards.
type digest struct {
	w     io.Writer
	bytes int64
	hash  hash.Hash
}

func newDigest(w io.Writer) *digest { return &digest{w: w, hash: sha256.New()} }

// Write hashes what the writer below has taken.
func (d *digest) Write(p []byte) (int, error) {
	n, err := d.w.Write(p)
	d.hash.Write(p[:n])
	d.bytes += int64(n)
	return n, err
}

// file returns the entry of the manifest for what was written so far.
func (d *digest) file(name string) schema.ManifestFile {
	return schema.ManifestFile{Path: name, Bytes: d.bytes, SHA256: hex.EncodeToString(d.hash.Sum(nil))}
}
