package validate

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/schema"
)

// checkLine tries the line rules in the order of the table and reports the
// first that is broken. It returns whether the line holds one JSON object that
// the schema rules can look at.
func checkLine(r *report, line []byte, maxLine int) bool {
	line, ended := bytes.CutSuffix(line, []byte{'\n'})
	if f := lineFault(line, maxLine); f != nil {
		r.addMessage(f.rule, f.column, f.message, f.got, f.want)
		return false
	}
	if !ended {
		r.addMessage(lineNoNewline, len(line)+1, "the last line ends without LF", "end of input", "LF")
	}
	if n := len(line) + 1; ended && n >= schema.MaxLineBytes || n > schema.MaxLineBytes {
		r.add(lineOver64K, 0, "the line", plural(len(line), "byte")+" and LF", "less than 65536 bytes in all")
	}
	return true
}

// fault is a broken line rule before it is a finding.
type fault struct {
	rule    string
	column  int
	message string
	got     string
	want    string
}

// lineFault returns the first error of the line rules, nil when there is none.
func lineFault(line []byte, maxLine int) *fault {
	if len(line) > maxLine {
		return &fault{lineTooLong, 0, fmt.Sprintf("the line is longer than %d bytes", maxLine),
			"more", fmt.Sprintf("at most %d bytes", maxLine)}
	}
	if !utf8.Valid(line) {
		return byteFault(lineUTF8, line, badUTF8(line), "UTF-8")
	}
	if bytes.HasPrefix(line, []byte("\ufeff")) {
		return &fault{lineBOM, 1, "the line begins with a byte order mark", "a byte order mark", "{"}
	}
	if len(bytes.Trim(line, " ")) == 0 {
		return &fault{lineBlank, 0, "the line is blank", plural(len(line), "blank"), "an event"}
	}
	if at := control(line); at >= 0 {
		f := byteFault(lineControl, line, at, "its escape, or nothing")
		if line[at] == '\r' && at == len(line)-1 {
			f.message = "the line ends with CR LF, want LF alone"
		}
		return f
	}
	return valueFault(line)
}

// control returns the offset of the first raw control byte, -1 when there is none.
func control(line []byte) int {
	for i, c := range line {
		if c < 0x20 {
			return i
		}
	}
	return -1
}

// badUTF8 returns the offset of the first byte that is not UTF-8.
func badUTF8(line []byte) int {
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRune(line[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(line)
}

// byteFault is a fault of the single byte at an offset.
func byteFault(rule string, line []byte, at int, want string) *fault {
	got := fmt.Sprintf("byte 0x%02x", line[at])
	return &fault{rule, at + 1, fmt.Sprintf("%s at column %d, want %s", got, at+1, want), got, want}
}
