package key

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// wipe overwrites the memory that /proc/PID/environ shows. Go's own environment
// is a copy; the kernel shows the original.
func wipe() error {
	mem, err := os.OpenFile("/proc/self/mem", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer mem.Close()
	block, start, err := shown(mem, 50)
	if err != nil {
		return err
	}
	if _, err := mem.WriteAt(make([]byte, len(block)), start); err != nil {
		return err
	}
	environ, err := os.ReadFile("/proc/self/environ")
	if err == nil && len(bytes.Trim(environ, "\x00")) > 0 {
		err = errors.New("the environment is still shown")
	}
	return err
}

// overwrite puts asterisks in the place of values in the memory that
// /proc/PID/cmdline shows, where they are an argument or what follows flag and
// an equals sign in one.
func overwrite(flag string, values []string) error {
	mem, err := os.OpenFile("/proc/self/mem", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer mem.Close()
	block, start, err := shown(mem, 48)
	if err != nil {
		return err
	}
	at := start
	for entry := range bytes.SplitSeq(block, []byte{0}) {
		value := bytes.TrimPrefix(entry, []byte(flag+"="))
		if len(value) > 0 && slices.Contains(values, string(value)) {
			stars := bytes.Repeat([]byte{'*'}, len(value))
			if _, err := mem.WriteAt(stars, at+int64(len(entry)-len(value))); err != nil {
				return err
			}
		}
		at += int64(len(entry)) + 1
	}
	return nil
}

// shown returns what the kernel shows of our memory as arguments (field 48) or
// as environment (field 50), and where it lies: the field and the one behind
// it in /proc/self/stat, see proc_pid_stat(5).
func shown(mem *os.File, field int) (block []byte, start int64, err error) {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return nil, 0, err
	}
	// The name in field 2 may hold blanks and brackets: count from behind it.
	_, rest, ok := strings.Cut(string(stat[bytes.LastIndexByte(stat, ')'):]), " ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 49 {
		return nil, 0, fmt.Errorf("/proc/self/stat has %d fields", len(fields)+2)
	}
	if start, err = strconv.ParseInt(fields[field-3], 10, 64); err != nil {
		return nil, 0, err
	}
	end, err := strconv.ParseInt(fields[field-2], 10, 64)
	if err != nil {
		return nil, 0, err
	}
	if start <= 0 || end <= start || end-start > 64<<20 {
		return nil, 0, fmt.Errorf("range %d-%d is not usable", start, end)
	}
	block = make([]byte, end-start)
	_, err = mem.ReadAt(block, start)
	return block, start, err
}
