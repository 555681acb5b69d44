// Package key reads the provider's key and hides it from other processes.
package key

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// Variable is the variable that holds the provider's key; it is the only way
// besides a file.
const Variable = "OPENAI_API_KEY"

// Source names for people where a key comes from: the file of --api-key-file, or
// the variable if none is named.
func Source(file string) string {
	if file == "" {
		return Variable
	}
	return "--api-key-file " + file
}

// Stdin is the name of a key file that stands for standard input.
const Stdin = "-"

// maxBytes bounds a key: what is longer is none, and would not fit into the
// buffer of every pipe.
const maxBytes = 16 << 10

// fdVariable names the variable under which a program that started itself anew
// finds the descriptor that its key comes by.
const fdVariable = "OPENAGENT_KEY_FD"

// Extract removes the variable from this process's environment, overwrites the
// whole initial environment where other processes could read it (this one keeps
// its own copy), and returns the value without the white space around it. Where
// overwriting is not possible the program is started anew without the variable
// and the key comes back through a pipe; Extract returns it in the new image.
// Call it before anything else reads the environment.
func Extract(variable string) (key string, err error) {
	if fd := os.Getenv(fdVariable); fd != "" {
		if err := os.Unsetenv(fdVariable); err != nil {
			return "", fmt.Errorf("take key: %w", err)
		}
		n, err := strconv.Atoi(fd)
		if err != nil || n < 3 {
			return "", fmt.Errorf("take key: %s is %q, want a descriptor", fdVariable, fd)
		}
		h, err := readAll(os.NewFile(uintptr(n), "key"))
		return h.Key, err
	}
	shown := wipe()
	value, ok := os.LookupEnv(variable)
	if !ok {
		return "", nil
	}
	if err := os.Unsetenv(variable); err != nil {
		return "", fmt.Errorf("take key: %w", err)
	}
	if value = strings.TrimSpace(value); value == "" {
		return "", nil
	}
	if len(value) > maxBytes {
		return "", fmt.Errorf("take key: %s is longer than %d bytes", variable, maxBytes)
	}
	if shown != nil {
		return "", restart(value)
	}
	return value, nil
}

// HideArguments overwrites the values of a flag ("--redact") on the command
// line, which every process of the machine can read, and returns a copy of the
// arguments: Go's own are the bytes that are overwritten. What follows -- is
// another program's. Where the system has no way to do it nothing happens. Like
// Extract it works only before the process closes its memory to others.
func HideArguments(flag string, args []string) []string {
	copied := make([]string, len(args))
	for i, a := range args {
		copied[i] = strings.Clone(a)
	}
	var values []string
	for i, a := range copied {
		if a == "--" {
			break
		}
		if value, ok := strings.CutPrefix(a, flag+"="); ok {
			values = append(values, value)
		}
		if a == flag && i+1 < len(copied) {
			values = append(values, copied[i+1])
		}
	}
	if len(values) > 0 {
		_ = overwrite(flag, values)
	}
	return copied
}

// ReadFile reads a key from a file, without the white space around it, or
// what a harness hands over. Of a name /dev/fd/N the inherited descriptor itself
// is read and then closed, so that no command inherits it.
func ReadFile(path string) (Handover, error) {
	if n, ok := descriptor(path); ok {
		return readAll(os.NewFile(uintptr(n), path))
	}
	f, err := os.Open(path)
	if err != nil {
		return Handover{}, err
	}
	return readAll(f)
}

func descriptor(path string) (int, bool) {
	for _, dir := range []string{"/dev/fd/", "/proc/self/fd/"} {
		if rest, ok := strings.CutPrefix(path, dir); ok {
			n, err := strconv.Atoi(rest)
			return n, err == nil && n >= 3
		}
	}
	return 0, false
}

func readAll(f *os.File) (Handover, error) {
	if f == nil {
		return Handover{}, fmt.Errorf("descriptor is not open")
	}
	defer f.Close()
	return Read(f)
}

// Read reads to the end of r what ReadFile reads from a file.
func Read(r io.Reader) (Handover, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxHandover+1))
	if err != nil {
		return Handover{}, err
	}
	return decode(string(b))
}

func decode(text string) (Handover, error) {
	rest, marked := strings.CutPrefix(text, handoverMark)
	key := strings.TrimSpace(text)
	switch {
	case len(text) > maxHandover:
		return Handover{}, fmt.Errorf("key is longer than %d bytes", maxHandover)
	case marked:
		return decodeHandover(rest)
	case len(text) > maxBytes:
		return Handover{}, fmt.Errorf("key is longer than %d bytes", maxBytes)
	case key == "":
		return Handover{}, fmt.Errorf("key is empty")
	case strings.ContainsAny(key, "\r\n\x00"):
		return Handover{}, fmt.Errorf("key has more than one line")
	}
	return Handover{Key: key}, nil
}
