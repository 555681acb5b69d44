// Package demo holds the embedded demo: a small project with a failing test, a
// prompt that asks to fix it, and a scripted model that does so with real tools.
package demo

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

//go:embed workspace prompt.txt script.yaml
var files embed.FS

// Name is how the demo is asked for in place of a script file.
const Name = "demo"

// FirstCommit is the message of the commit that the demo's workspace begins
// with.
const FirstCommit = "greet: a greeting and its test"

// FS returns the files of the demo's workspace.
func FS() (fs.FS, error) { return fs.Sub(files, "workspace") }

// Prompt returns what the demo asks the agent to do.
func Prompt() (string, error) {
	b, err := files.ReadFile("prompt.txt")
	return string(b), err
}

// Script returns the turns of the demo's model.
func Script() ([]byte, error) { return files.ReadFile("script.yaml") }

// ErrNotEmpty reports that a folder holds something already.
var ErrNotEmpty = errors.New("is not empty")

// Fill writes the workspace into dir, which is made if it does not exist. A
// folder that holds anything is refused: the demo never mixes with a project.
func Fill(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s %w", dir, ErrNotEmpty)
	}
	workspace, err := FS()
	if err != nil {
		return err
	}
	return os.CopyFS(dir, workspace)
}
