package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"path"
	"strings"
	"time"
)

// file is a file of an archive, a package or the image, by its path there, which
// ends in a slash for a folder.
type file struct {
	path string
	mode int64
	data []byte
	user int // its owner
}

// laidOut says where the files of a folder stand below a prefix such as /usr. On
// windows all stand side by side.
var laidOut = []struct{ name, path string }{
	{"openagent.1", "share/man/man1/openagent.1"},
	{"openagent.bash", "share/bash-completion/completions/openagent"},
	{"openagent.zsh", "share/zsh/site-functions/_openagent"},
	{"openagent.fish", "share/fish/vendor_completions.d/openagent.fish"},
	{"licenses.txt", "share/doc/openagent/licenses.txt"},
}

// tree returns what a person gets on a system: programs, manual page, completions
// and licences.
func (r *release) tree(t target) ([]file, error) {
	own, err := r.source("LICENSE")
	if err != nil {
		return nil, err
	}
	files := []file{{path: "share/doc/openagent/LICENSE", mode: 0o644, data: own}}
	add := func(name, path string, mode int64) error {
		data, err := r.read(name)
		files = append(files, file{path: path, mode: mode, data: data})
		return err
	}
	for _, p := range r.programs {
		if err := add(t.program(p), "bin/"+p+t.exe(), 0o755); err != nil {
			return nil, err
		}
	}
	names := laidOut
	if t.os == "windows" {
		names = []struct{ name, path string }{{"openagent.ps1", "openagent.ps1"}, {"licenses.txt", "licenses.txt"}}
	}
	for _, n := range names {
		if err := add(n.name, n.path, 0o644); err != nil {
			return nil, err
		}
	}
	if t.os == "windows" {
		for i := range files {
			files[i].path = path.Base(files[i].path)
		}
	}
	return files, nil
}

// archives writes the archive of each system.
func (r *release) archives() error {
	for _, t := range r.targets {
		files, err := r.tree(t)
		if err != nil {
			return err
		}
		name, pack := t.asset("openagent", ".tar.gz"), tarball
		if t.os == "windows" {
			name, pack = t.asset("openagent", ".zip"), zipped
		} else {
			for i := range files {
				files[i].path = t.asset("openagent", "/") + files[i].path
			}
		}
		data, err := pack(files, r.date)
		if err != nil {
			return err
		}
		if err := r.write(name, data); err != nil {
			return err
		}
	}
	return nil
}

// tarball returns files as a compressed tar archive. Folders on the way are not in
// it, so that it is unpacked into a folder that is there without a change of that.
func tarball(files []file, date time.Time) ([]byte, error) {
	plain, err := tarred(files, date)
	if err != nil {
		return nil, err
	}
	return compressed(plain)
}

func tarred(files []file, date time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Name: f.path, Mode: f.mode, Size: int64(len(f.data)), ModTime: date, Uid: f.user, Gid: f.user, Format: tar.FormatUSTAR, Typeflag: tar.TypeReg}
		if strings.HasSuffix(f.path, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

func compressed(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

// zipped returns files as a zip archive.
func zipped(files []file, date time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.path, Method: zip.Deflate, Modified: date}
		h.SetMode(0o644)
		if f.mode&0o111 != 0 {
			h.SetMode(0o755)
		}
		out, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := out.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}
