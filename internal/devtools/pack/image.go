package main

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"time"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// imageName is the archive of the image.
const imageName = "openagent_image.tar"

// user is who runs in the image, by number.
const user = 65532

// descriptor names a blob of an image (OCI image specification 1.1).
type descriptor struct {
	MediaType string            `json:"mediaType"`
	Digest    string            `json:"digest"`
	Size      int               `json:"size"`
	Platform  map[string]string `json:"platform,omitempty"`
}

// layout collects the blobs of an image.
type layout struct{ files []file }

// blob adds one and returns its descriptor.
func (l *layout) blob(mediaType string, data []byte) descriptor {
	sum := digest(data)
	l.files = append(l.files, file{path: "blobs/sha256/" + sum, mode: 0o644, data: data})
	return descriptor{MediaType: mediaType, Digest: "sha256:" + sum, Size: len(data)}
}

// json adds a blob that is the JSON of a value.
func (l *layout) json(mediaType string, value any) (descriptor, error) {
	data, err := json.Marshal(value)
	return l.blob(mediaType, data), err
}

// image writes the container image for each Linux, as an archive of an OCI layout.
// It is built on nothing: it has the program, its licences, certificate authorities,
// and no shell.
func (r *release) image() error {
	var l layout
	var manifests []descriptor
	for _, t := range r.targets {
		if t.os != "linux" {
			continue
		}
		m, err := r.platform(&l, t)
		if err != nil {
			return err
		}
		manifests = append(manifests, m)
	}
	const indexType = "application/vnd.oci.image.index.v1+json"
	index, err := l.json(indexType, map[string]any{
		"schemaVersion": 2, "mediaType": indexType, "manifests": manifests, "annotations": r.labels(),
	})
	if err != nil {
		return err
	}
	top, err := json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": indexType, "manifests": []any{map[string]any{
		"mediaType": index.MediaType, "digest": index.Digest, "size": index.Size,
		"annotations": map[string]string{"org.opencontainers.image.ref.name": r.tag},
	}}})
	if err != nil {
		return err
	}
	files := append(l.files,
		file{path: "index.json", mode: 0o644, data: top},
		file{path: "oci-layout", mode: 0o644, data: []byte(`{"imageLayoutVersion":"1.0.0"}`)})
	data, err := tarred(files, r.date)
	if err != nil {
		return err
	}
	return r.write(imageName, data)
}

// platform adds the image for one Linux and returns its descriptor.
func (r *release) platform(l *layout, t target) (descriptor, error) {
	tree, err := r.tree(t)
	if err != nil {
		return descriptor{}, err
	}
	files := []file{
		{path: "tmp/", mode: 0o1777},
		{path: "home/openagent/", mode: 0o755, user: user},
		{path: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, data: authorities()},
	}
	for _, f := range debian(tree) {
		f.path = "usr/" + f.path
		files = append(files, f)
	}
	plain, err := tarred(files, r.date)
	if err != nil {
		return descriptor{}, err
	}
	packed, err := compressed(plain)
	if err != nil {
		return descriptor{}, err
	}
	created := r.date.Format(time.RFC3339)
	layer := l.blob("application/vnd.oci.image.layer.v1.tar+gzip", packed)
	config, err := l.json("application/vnd.oci.image.config.v1+json", map[string]any{
		"created": created, "architecture": t.arch, "os": t.os,
		"config": map[string]any{
			"User": "65532:65532", "Env": []string{"PATH=/usr/bin", "HOME=/home/openagent"}, "Entrypoint": []string{"/usr/bin/openagent"},
			"WorkingDir": "/home/openagent", "Labels": r.labels(),
		},
		"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + digest(plain)}},
		"history": []any{map[string]string{"created": created, "created_by": "internal/devtools/pack"}},
	})
	if err != nil {
		return descriptor{}, err
	}
	const manifestType = "application/vnd.oci.image.manifest.v1+json"
	m, err := l.json(manifestType, map[string]any{
		"schemaVersion": 2, "mediaType": manifestType, "config": config, "layers": []descriptor{layer},
	})
	m.Platform = map[string]string{"architecture": t.arch, "os": t.os}
	return m, err
}

// labels says what an image is.
func (r *release) labels() map[string]string {
	const prefix = "org.opencontainers.image."
	return map[string]string{
		prefix + "title": "openagent", prefix + "description": description, prefix + "licenses": license,
		prefix + "source": repository, prefix + "version": r.version(),
	}
}

// authorities returns the certificates that Mozilla trusts for servers without
// restriction.
func authorities() []byte {
	var b bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&b, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a buffer takes everything
		}
	}
	return b.Bytes()
}
