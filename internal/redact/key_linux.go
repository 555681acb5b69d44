package redact

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// wipe overwrites the variables in the memory that /proc/PID/environ shows.
// Go's own environment is a copy; the kernel shows the original.
func wipe(variables ...string) error {
	mem, err := os.OpenFile("/proc/self/mem", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer mem.Close()
	start, end, err := environRange()
	if err != nil {
		return err
	}
	block := make([]byte, end-start)
	if _, err := mem.ReadAt(block, start); err != nil {
		return err
	}
	at := int64(0)
	for entry := range bytes.SplitSeq(block, []byte{0}) {
		if named(entry, variables) {
			if _, err := mem.WriteAt(make([]byte, len(entry)), start+at); err != nil {
				return err
			}
		}
		at += int64(len(entry)) + 1
	}
	return wiped(variables)
}

func named(entry []byte, variables []string) bool {
	name, _, ok := bytes.Cut(entry, []byte{'='})
	return ok && slices.Contains(variables, string(name))
}

// wiped makes sure that the kernel shows the variables no more.
func wiped(variables []string) error {
	environ, err := os.ReadFile("/proc/self/environ")
	if err != nil {
		return err
	}
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if named(entry, variables) {
			return fmt.Errorf("%s is still in the environment", variables)
		}
	}
	return nil
}

// environRange returns where the initial environment lies: fields 50 and 51 of
// /proc/self/stat, see proc_pid_stat(5).
func environRange() (start, end int64, err error) {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0, 0, err
	}
	// The name in field 2 may hold blanks and brackets: count from behind it.
	_, rest, ok := strings.Cut(string(stat[bytes.LastIndexByte(stat, ')'):]), " ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 49 {
		return 0, 0, fmt.Errorf("/proc/self/stat has %d fields", len(fields)+2)
	}
	if start, err = strconv.ParseInt(fields[50-3], 10, 64); err != nil {
		return 0, 0, err
	}
	if end, err = strconv.ParseInt(fields[51-3], 10, 64); err != nil {
		return 0, 0, err
	}
	if start <= 0 || end <= start || end-start > 64<<20 {
		return 0, 0, fmt.Errorf("environment range %d-%d is not usable", start, end)
	}
	return start, end, nil
}
