package evidence

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/openagent-ci/openagent/runner"
)

// maxFinalOutput bounds what is read of a final output.
const maxFinalOutput = 16 << 20

// finalOutput returns the text of the terminal event, or, when that was cut,
// the whole text from the artifact the event names, provided that the artifact
// was kept and begins with the event's text.
func (f *Folder) finalOutput(e *runner.Execution) (string, error) {
	if !e.Finished() {
		return "", nil
	}
	name := ArtifactsDir + "/" + outputName(e)
	text, _ := streamOutput(e)
	var err error
	if f.sums[name] != nil {
		text, _, err = f.wholeOutput(f.root, name, e)
	}
	return f.redactor.String(text), err
}

// WholeOutput returns the last text of a finished run, and whether it is whole: one that
// was cut in the stream is read from the artifact that the event names, in the folder
// artifacts as the agent left it. Nothing of it is redacted yet but what the stream has.
// After an error, other than that nothing is there, the evidence is not whole.
func (f *Folder) WholeOutput(artifacts string, e *runner.Execution) (text string, whole bool, err error) {
	if text, whole = streamOutput(e); whole || outputName(e) == "" {
		return text, whole, nil
	}
	root, err := os.OpenRoot(artifacts)
	if err == nil {
		defer root.Close()
		text, whole, err = f.wholeOutput(root, outputName(e), e)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return text, false, nil
	}
	f.fail("read final output", err)
	return text, whole, err
}

// streamOutput returns the last text as the stream has it, and whether that is all.
func streamOutput(e *runner.Execution) (text string, whole bool) {
	if e.Source != nil {
		return e.Source.Final, len(e.Source.Final) < maxFinalOutput
	}
	cut := e.RunFinished.Truncated
	return e.RunFinished.FinalOutput, cut == nil || !*cut
}

// outputName returns the path of the artifact with the last text, below the folder of
// artifacts; empty for none. Its parts are the agent's, and lead to nothing else.
func outputName(e *runner.Execution) string {
	name, ok := e.RunFinished.FinalOutputArtifact.Get()
	name = filepath.ToSlash(name)
	if !ok || e.Source != nil || e.RunID == "" || strings.ContainsAny(e.RunID, `/\`) || !filepath.IsLocal(name) {
		return ""
	}
	return path.Join(e.RunID, name)
}

// wholeOutput returns the text of the file name, if that is what the stream has the
// beginning of.
func (f *Folder) wholeOutput(root *os.Root, name string, e *runner.Execution) (text string, whole bool, err error) {
	if text, whole = streamOutput(e); whole {
		return text, true, nil
	}
	if info, err := root.Lstat(filepath.FromSlash(name)); err != nil || !info.Mode().IsRegular() {
		return text, false, err // to open another one may take for ever
	}
	in, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return text, false, err
	}
	defer in.Close()
	all, err := io.ReadAll(io.LimitReader(in, maxFinalOutput+1))
	long := len(all) > maxFinalOutput
	if long {
		all = all[:maxFinalOutput]
	}
	if err == nil && strings.HasPrefix(f.redactor.String(string(all)), f.redactor.String(text)) {
		return string(all), !long, nil
	}
	return text, false, err
}
