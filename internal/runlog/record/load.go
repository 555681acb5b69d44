package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"
)

// ErrNone reports that a folder holds no saved run.
var ErrNone = errors.New("no saved run")

// ErrVersion reports a record of an unknown version.
var ErrVersion = errors.New("unknown version")

// Saved is what run.json holds.
type Saved struct {
	Info
	Ended *time.Time `json:"ended"`
	// Outcome is nil for a run that goes on, or that was killed.
	Outcome *Outcome `json:"outcome"`
	// Lines has the SHA-256 of each file of lines of a run that ended, by its name.
	Lines map[string]string `json:"lines_sha256,omitempty"`
}

// Load reads run.json of the run folder dir. Numbers in maps are json.Number.
// The error is fs.ErrNotExist where there is none.
func Load(dir string) (Saved, error) {
	b, err := readFile(dir, InfoName)
	if err != nil {
		return Saved{}, err
	}
	s, err := ReadInfo(bytes.NewReader(b))
	if err != nil {
		err = fmt.Errorf("%s: %w", filepath.Join(dir, InfoName), err)
	}
	return s, err
}

// ReadInfo reads run.json. Its error quotes nothing but the schema.
func ReadInfo(in io.Reader) (s Saved, err error) {
	dec := json.NewDecoder(io.LimitReader(in, maxFile))
	dec.UseNumber()
	if err := dec.Decode(&s); err != nil {
		return Saved{}, err
	}
	if s.Schema != Schema {
		return Saved{}, fmt.Errorf("schema is %.60q, want %q: %w", s.Schema, Schema, ErrVersion)
	}
	return s, nil
}

// maxFile bounds a file of a run folder that is read whole, and a line of another, in
// bytes.
const maxFile = 64 << 20

// open opens a regular file of a run folder: anything else may never come to an end.
func open(dir, name string) (*os.File, error) {
	path := filepath.Join(dir, name)
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", path)
	}
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}

func readFile(dir, name string) ([]byte, error) {
	f, err := open(dir, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(b) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes", f.Name(), maxFile)
	}
	return b, err
}

// readLine reads a line with its LF; io.EOF comes with one that has none.
func readLine(in *bufio.Reader) (line []byte, err error) {
	for {
		piece, err := in.ReadSlice('\n')
		if line = append(line, piece...); len(line) > maxFile {
			return nil, fmt.Errorf("the line is longer than %d bytes", maxFile)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// Calls reads calls.jsonl of the run folder dir, line by line. A last line
// without its end, as a killed run leaves it, is left out; a run that made no
// call has none. The first error is the last pair.
func Calls(dir string) iter.Seq2[Call, error] {
	return func(yield func(Call, error) bool) {
		f, err := open(dir, CallsName)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(Call{}, err)
			return
		}
		defer f.Close()
		for c, err := range callLines(f) {
			if err != nil {
				err = fmt.Errorf("%s:%w", filepath.Join(dir, CallsName), err)
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// callLines reads lines of calls; the first error, which begins with the number of
// the line, is the last pair.
func callLines(in io.Reader) iter.Seq2[Call, error] {
	return func(yield func(Call, error) bool) {
		lines := bufio.NewReader(in)
		for n := 1; ; n++ {
			line, err := readLine(lines)
			if err == io.EOF {
				return
			}
			var c Call
			if err == nil {
				err = json.Unmarshal(line, &c)
			}
			if err != nil {
				err = fmt.Errorf("%d: %w", n, err)
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// FinalOutput returns the whole final text of the run in dir, empty if it had
// none.
func FinalOutput(dir string) (string, error) {
	b, err := readFile(dir, FinalOutputName)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(b), err
}

// Newest returns the folder below root of the run that started last; of two
// that started at one time, as on a fixed clock, the one saved later. What is
// no run folder is passed over. The error is ErrNone where there is none.
func Newest(root string) (string, error) {
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	var newest string
	var started, saved time.Time
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		run, err := Load(dir)
		if err != nil {
			continue
		}
		info, err := os.Stat(filepath.Join(dir, InfoName))
		if err != nil {
			continue
		}
		later := run.Started.After(started) || run.Started.Equal(started) && info.ModTime().After(saved)
		if newest == "" || later {
			newest, started, saved = dir, run.Started, info.ModTime()
		}
	}
	if newest == "" {
		return "", ErrNone
	}
	return newest, nil
}
