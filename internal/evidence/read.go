package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/openagent-ci/openagent/schema"
)

// ErrVersion reports a manifest of an unknown version.
var ErrVersion = errors.New("unknown version")

// maxManifest bounds the manifest that is read, in bytes.
const maxManifest = 64 << 20

// Saved is an evidence folder that is read again. Its files were an agent's to
// fill, and the folder may have come from anywhere: nothing outside of it is
// read, no link is followed and nothing is opened but regular files.
type Saved struct {
	root     *os.Root
	Manifest schema.Manifest
	sum      string // of the manifest
}

// Read opens the folder dir and its manifest. The error is fs.ErrNotExist where
// there is none, and ErrVersion where another program wrote it.
func Read(dir string) (*Saved, error) {
	s, err := ReadBare(dir)
	if err != nil {
		return nil, err
	}
	if err := s.load(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// ReadBare opens the folder of a run that has no manifest: it goes on, or nothing
// says what it was.
func ReadBare(dir string) (*Saved, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Saved{root: root}, nil
}

func (s *Saved) load() error {
	f, err := s.Open(ManifestFile)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxManifest))
	sum := sha256.Sum256(text)
	s.sum = hex.EncodeToString(sum[:])
	if err == nil {
		// The form first: of another one nothing else need be readable.
		var form struct{ Schema string }
		if err = json.Unmarshal(text, &form); err == nil && form.Schema != schema.ManifestVersion {
			return fmt.Errorf("%s: schema is %q, want %q: %w", ManifestFile, form.Schema, schema.ManifestVersion, ErrVersion)
		}
	}
	if err == nil {
		err = schema.CheckDocument(schema.ManifestVersion, text)
	}
	if err == nil {
		err = json.Unmarshal(text, &s.Manifest)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", ManifestFile, err)
	}
	return nil
}

// Key returns the SHA-256 of the manifest in hex, by which the same evidence is known
// wherever it lies; it is empty without a manifest.
func (s *Saved) Key() string { return s.sum }

// Close gives the folder back.
func (s *Saved) Close() error { return s.root.Close() }

// Text returns at most max bytes of a file, those at its end or else at its begin;
// nothing where it cannot be read.
func (s *Saved) Text(name string, max int64, end bool) string {
	f, err := s.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && end && info.Size() > max {
		if _, err := f.Seek(-max, io.SeekEnd); err != nil {
			return ""
		}
	}
	text, err := io.ReadAll(io.LimitReader(f, max))
	if err != nil {
		return ""
	}
	return string(text)
}

// Open opens a regular file of the folder.
func (s *Saved) Open(name string) (*os.File, error) {
	name = filepath.FromSlash(name)
	info, err := s.root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: errors.New("no regular file")}
	}
	if err != nil {
		return nil, err
	}
	return s.root.Open(name)
}

// Changed compares the files with the manifest and says of each that is not as
// it was saved how it differs. A manifest always speaks of the stream and of its
// findings.
func (s *Saved) Changed() []string {
	var changed []string
	for _, file := range s.Manifest.Files {
		if why := s.differs(file); why != "" {
			changed = append(changed, file.Path+": "+why)
		}
	}
	return append(changed, s.unlisted()...)
}

func (s *Saved) differs(want schema.ManifestFile) string {
	switch got, err := s.digest(want.Path); {
	case err != nil:
		return reason(err)
	case got.Bytes != want.Bytes:
		return fmt.Sprintf("%d bytes, the manifest has %d", got.Bytes, want.Bytes)
	case got.SHA256 != want.SHA256:
		return fmt.Sprintf("SHA-256 is %s, the manifest has %s", got.SHA256, want.SHA256)
	}
	return ""
}

// digest describes a file as it is now.
func (s *Saved) digest(name string) (schema.ManifestFile, error) {
	d := newDigest(io.Discard)
	f, err := s.Open(name)
	if err == nil {
		defer f.Close()
		_, err = io.Copy(d, f)
	}
	return d.file(name), err
}

// reason returns the cause of an error without the path, which stands before it.
func reason(err error) string {
	if at := new(fs.PathError); errors.As(err, &at) {
		err = at.Err
	}
	return err.Error()
}
