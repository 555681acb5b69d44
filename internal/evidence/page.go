package evidence

import (
	"bufio"
	"errors"
	"io"
	"slices"

	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/schema"
)

// What a manifest takes at most without its lists, and an entry of them on average.
const (
	manifestSpace = 64 << 10
	entrySpace    = 512
)

// pageBuffer gathers what is written of a page, in bytes.
const pageBuffer = 64 << 10

// addPage writes the report page and enters it in the manifest: among the files, or
// among what was left out, with the reason, which it returns.
func (f *Folder) addPage(m *schema.Manifest, got Contents, write func(io.Writer, *Pages) error) (why string) {
	if err := f.writePage(&Pages{Contents: got, Manifest: *m, folder: f}, write); err != nil {
		why = f.redactor.String(reason(err))
		m.LeftOut = append(m.LeftOut, schema.ManifestLeftOut{Path: PageFile, Why: why})
		return why
	}
	at := slices.IndexFunc(m.Files, func(file schema.ManifestFile) bool { return file.Path > PageFile })
	if at < 0 {
		at = len(m.Files)
	}
	m.Files = slices.Insert(m.Files, at, f.sums[PageFile].file(PageFile))
	return ""
}

// writePage writes the page while space for the manifest is held.
func (f *Folder) writePage(p *Pages, write func(io.Writer, *Pages) error) error {
	defer f.release()
	if err := f.hold(manifestSpace + entrySpace*(len(p.Manifest.Files)+len(p.Manifest.LeftOut))); err != nil {
		return err
	}
	err := file.BeginFrom(f.root, PageFile, fileMode, func(w io.Writer) error {
		f.sums[PageFile] = newDigest(w)
		out := bufio.NewWriterSize(f.sums[PageFile], pageBuffer)
		return errors.Join(write(out, p), out.Flush())
	})
	if err != nil {
		delete(f.sums, PageFile)
	}
	return err
}
