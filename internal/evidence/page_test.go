package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// paths are those of the files that a manifest lists.
func paths(m schema.Manifest) (list []string) {
	for _, file := range m.Files {
		list = append(list, file.Path)
	}
	return list
}

func TestClose_PageIsMadeOfAllTheRest(t *testing.T) {
	f := open(t)
	f.Line(runner.Line{Raw: []byte("{}\n")})
	closeFolder(t, f, truncated(), Closing{
		Artifacts: tree(t, map[string]string{"r1/x": "1"}),
		Files:     []File{{Name: SummaryFile, Write: func(io.Writer, Contents) error { return nil }}},
		Page: func(w io.Writer, p *Pages) error {
			stream, err := p.Stream()
			if err != nil {
				return err
			}
			defer stream.Close()
			lines, err := io.ReadAll(stream)
			want := []string{"artifacts/r1/x", "events.jsonl", "final_output.md", "stderr.log", "summary.md"}
			if diff := cmp.Diff(want, paths(p.Manifest)); diff != "" || string(lines) != "{}\n" || err != nil || p.FinalOutput != "whole" || p.Manifest.Verdict != "success" {
				t.Errorf("page is made of %+v and the stream %q, %v", p, lines, err)
			}
			_, err = w.Write(p.Mask([]byte(`"<` + secret + `"`)))
			return err
		},
	})
	const page = `"<[redacted]"`
	sum := sha256.Sum256([]byte(page))
	m := manifest(t, f)
	if got := read(t, f, PageFile); got != page {
		t.Errorf("page = %s, want %s", got, page)
	}
	want := schema.ManifestFile{Path: PageFile, Bytes: int64(len(page)), SHA256: hex.EncodeToString(sum[:])}
	if got := m.Files[len(m.Files)-3]; got != want || !m.EvidenceComplete {
		t.Errorf("manifest lists %+v of %v, want the page %+v", got, paths(m), want)
	}
}

// A page that cannot be written is listed, and the evidence is as complete as ever.
func TestClose_PageIsLeftOut(t *testing.T) {
	for name, fail := range map[string]func(io.Writer) error{
		"at once":   func(io.Writer) error { return errors.New("no reason") },
		"at half":   func(w io.Writer) error { _, _ = w.Write(make([]byte, 200<<10)); return errors.New("no reason") },
		"by a path": func(io.Writer) error { return &os.PathError{Op: "open", Path: "/x", Err: errors.New("no reason")} },
	} {
		f := open(t)
		got := closeFolder(t, f, truncated(), Closing{Page: func(w io.Writer, _ *Pages) error { return fail(w) }})
		if got.NoPage != "no reason" {
			t.Errorf("%s: NoPage = %q, want the reason", name, got.NoPage)
		}
		m := manifest(t, f)
		if diff := cmp.Diff([]schema.ManifestLeftOut{{Path: PageFile, Why: "no reason"}}, m.LeftOut); diff != "" || !m.EvidenceComplete {
			t.Errorf("%s: complete %v, left out (-want +got):\n%s", name, m.EvidenceComplete, diff)
		}
		entries, err := os.ReadDir(f.Path())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), ".") || e.Name() == PageFile {
				t.Errorf("%s: the folder holds %s", name, e.Name())
			}
		}
	}
}
