package evidence

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// Closing is what Close needs beside the execution.
type Closing struct {
	// Artifacts is the folder that the agent was given for its files; that
	// it is missing is no error.
	Artifacts string
	// Manifest holds what only the caller knows: the version of the tool,
	// the digests of policy and prompt, and git. Close fills in the rest.
	Manifest schema.Manifest
	// Files are written before the manifest, in this order.
	Files []File
	// Page writes the report page behind them, nil for none. Whatever keeps it
	// from being written leaves it out, which makes the evidence no less complete:
	// all that it shows is in the other files. What it writes is not redacted.
	Page func(io.Writer, *Pages) error
}

// File is a further file of the folder. What Write writes is redacted.
type File struct {
	Name  string
	Write func(io.Writer, Contents) error
	// Masked says that Write writes what is redacted. Only Results asks.
	Masked bool
}

// Pages is what a report page is made of.
type Pages struct {
	Contents
	// Manifest is as far as it is known: it lacks the page itself.
	Manifest schema.Manifest
	folder   *Folder
}

// Stream opens the stream as it was saved.
func (p *Pages) Stream() (io.ReadCloser, error) { return p.folder.root.Open(EventsFile) }

// Mask takes secrets out of JSON.
func (p *Pages) Mask(text []byte) []byte { return p.folder.redactor.JSON(text) }

// Contents is what the folder holds when it is complete.
type Contents struct {
	// FinalOutput is the agent's last text, as whole as it is known.
	FinalOutput string
	// Stderr is the end of the agent's stderr, redacted, in whole lines.
	Stderr string
	// LeftOut are the artifacts that were not kept.
	LeftOut []schema.ManifestLeftOut
	// Lost says what could not be kept whole, and why; empty when the folder
	// holds all it should. A further file sees what was lost before it.
	Lost []string
	// NoPage says why the report page was left out, empty where it was not.
	NoPage string
	// Unsaved reports that Closing.Artifacts holds what could not be copied:
	// the only whole copy, for the caller to leave where it is.
	Unsaved bool
}

// Close completes the folder: artifacts, final output, the further files, and
// last of all the manifest, which vouches for all of them by their digests and is
// the one that is waited for until it is on the disk. A step that does not succeed keeps no other from
// being taken; all their errors come back together, and the manifest does not
// call the evidence complete then. When ctx ends, what is left of the artifacts
// is left out.
func (f *Folder) Close(ctx context.Context, e *runner.Execution, c Closing) (Contents, error) {
	f.Seal(ctx)
	if e.ReadError != "" {
		f.fail("read the output of the agent", errors.New(e.ReadError))
	}
	if f.source != nil && e.Source == nil { // the stream was one of the contract
		delete(f.sums, SourceFile)
		f.fail("remove "+SourceFile, f.root.Remove(SourceFile))
	}
	got := Contents{Lost: f.missing, Stderr: f.end.lines()}
	check := func(step string, err error) {
		f.fail(step, err)
		got.Lost = f.missing
	}
	var err error
	if f.noTexts {
		check("clear folder", f.dropForeign())
	} else {
		got.LeftOut, got.Unsaved, err = f.collect(ctx, c.Artifacts)
		check("copy artifacts", err)
	}
	f.release()
	if !f.noTexts {
		got.FinalOutput, err = f.finalOutput(e)
		check("read final output", err)
		check("write "+FinalOutputFile, f.write(file.Begin, FinalOutputFile, []byte(got.FinalOutput)))
	}
	var b bytes.Buffer
	for _, entry := range c.Files {
		b.Reset()
		err := entry.Write(&b, got)
		check("write "+entry.Name, errors.Join(err, f.write(file.Begin, entry.Name, f.mask(b.Bytes()))))
	}
	files, err := f.files()
	check("list files", err)
	c.Manifest.LeftOut, c.Manifest.Files, c.Manifest.EvidenceComplete = got.LeftOut, files, len(f.errs) == 0
	for _, what := range f.missing {
		short, _ := clip.Prefix(what, schema.MaxStringBytes)
		c.Manifest.Lost = append(c.Manifest.Lost, short)
	}
	if f.noTexts {
		c.Manifest.LeftOut = leftOutTexts()
	}
	describe(&c.Manifest, e)
	describeSource(&c.Manifest, e)
	if c.Page != nil {
		got.NoPage = f.addPage(&c.Manifest, got, c.Page)
	}
	data, err := c.Manifest.Encode()
	if err == nil {
		err = f.write(file.Write, ManifestFile, f.mask(data))
	}
	check("write "+ManifestFile, err)
	check("close folder", f.root.Close())
	return got, errors.Join(f.errs...)
}

// fail notes that a step did not succeed: the evidence is not whole then.
func (f *Folder) fail(step string, err error) {
	if err == nil {
		return
	}
	err = fmt.Errorf("%s: %w", step, err)
	f.errs = append(f.errs, err)
	f.missing = append(f.missing, f.redactor.String(strings.ReplaceAll(err.Error(), "\n", "; ")))
}

// write writes a file of the folder whole, by one of the ways of atomicfile, and
// hashes it.
func (f *Folder) write(by func(*os.Root, string, []byte, os.FileMode) error, name string, data []byte) error {
	err := by(f.root, name, data, fileMode)
	if err == nil {
		f.sums[name] = newDigest(io.Discard)
		_, err = f.sums[name].Write(data)
	}
	return err
}

// mask redacts a whole file; of JSON only the values, so that it stays JSON.
func (f *Folder) mask(data []byte) []byte {
	if json.Valid(data) {
		return f.redactor.JSON(data)
	}
	return []byte(f.redactor.String(string(data)))
}

// files lists the folder's files in the order of their paths, those that can
// be read; the error names the others.
func (f *Folder) files() ([]schema.ManifestFile, error) {
	var files []schema.ManifestFile
	var errs []error
	err := fs.WalkDir(f.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			errs = append(errs, err)
			return nil
		}
		entry, err := f.digest(name)
		if err == nil {
			files = append(files, entry)
		}
		errs = append(errs, err)
		return nil
	})
	return files, errors.Join(append(errs, err)...)
}

// digest returns the entry of one file; one that was written through a digest
// need not be read again.
func (f *Folder) digest(name string) (schema.ManifestFile, error) {
	if sum := f.sums[name]; sum != nil {
		return sum.file(name), nil
	}
	return (&Saved{root: f.root}).digest(name)
}
