package workspace

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/sandbox/protected"
	"github.com/openagent-ci/openagent/internal/text/hint"
)

// MaxBytes bounds all texts together. What is longer is refused and not cut: the
// rule that is lost could be the one that forbids something.
const MaxBytes = 32 << 10

//go:embed head.md
var head string

// Text is one file.
type Text struct {
	Name    string // with forward slashes, from the root
	Content string
}

// ReadInstructions reads files below the folder root. A name is relative to root, or absolute
// and below it; no link leads out of it, nor to what may hold credentials.
func ReadInstructions(root string, names []string) (texts []Text, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	folder, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	size := 0
	for _, name := range names {
		text, err := read(folder, root, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, cause(err))
		}
		if size += len(text.Content); size > MaxBytes {
			return nil, hint.With(fmt.Errorf("%s: the texts are longer than %d bytes together", name, MaxBytes),
				"shorten them or name fewer: half a text could lack the rule that matters")
		}
		texts = append(texts, text)
	}
	return texts, nil
}

func read(folder *os.Root, root, name string) (Text, error) {
	real, err := within(root, name)
	if err != nil {
		return Text{}, err
	}
	if slashed := filepath.ToSlash(real); protected.IsSecret(slashed) || protected.IsRepository(slashed) {
		return Text{}, errors.New("it leads to what may hold credentials")
	}
	f, err := folder.OpenFile(real, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe would wait for a writer
	if err != nil {
		return Text{}, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return Text{}, errors.Join(err, errors.New("it is no regular file"))
	}
	if protected.IsPrivateKey(f) {
		return Text{}, errors.New("it is a private key")
	}
	content, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	switch {
	case err != nil:
		return Text{}, err
	case len(content) <= MaxBytes && !utf8.Valid(content), bytes.IndexByte(content, 0) >= 0:
		return Text{}, errors.New("it is no text in UTF-8")
	}
	if filepath.IsAbs(name) {
		name = real
	}
	return Text{Name: filepath.ToSlash(filepath.Clean(name)), Content: string(content)}, nil
}

// within returns where a name leads, links followed, as a path from root.
func within(root, name string) (string, error) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(root, name)
	}
	real, err := filepath.EvalSymlinks(name)
	if err == nil {
		real, err = filepath.Rel(root, real)
	}
	if err == nil && !filepath.IsLocal(real) {
		err = errors.New("it is not in the workspace")
	}
	return real, err
}

// cause returns an error without the path, which was named before.
func cause(err error) error {
	if at := (*os.PathError)(nil); errors.As(err, &at) {
		return at.Err
	}
	return err
}

// Render returns what is added to the system prompt, empty for no text. Each text
// stands between two lines that it cannot hold itself, since a digest of all of
// them is in both.
func Render(texts []Text) string {
	if len(texts) == 0 {
		return ""
	}
	all := sha256.New()
	for _, t := range texts {
		fmt.Fprintf(all, "%d %s\n%s", len(t.Content), t.Name, t.Content)
	}
	mark := hex.EncodeToString(all.Sum(nil))[:16]
	var b strings.Builder
	b.WriteString("\n" + head)
	for _, t := range texts {
		fmt.Fprintf(&b, "\n[%s: begin %q]\n%s\n[%s: end]\n", mark, t.Name, strings.TrimSpace(t.Content), mark)
	}
	return b.String()
}
