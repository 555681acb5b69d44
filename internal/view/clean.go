package view

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean returns the lines of foreign text in a form that neither a terminal
// nor a job log acts upon. Lines end at LF, CR, CRLF, U+0085, U+2028 and
// U+2029. Terminal sequences, control characters and characters that change
// the direction of writing are dropped, a tab becomes a blank, bytes that are
// not UTF-8 become U+FFFD, and what a runner would read as a command ("##["
// anywhere, "::" at the beginning of a line) is broken by a blank. A line end
// at the end of s begins no further line; no text gives no line.
func Clean(s string) []string {
	var lines []string
	for s != "" {
		var line string
		line, s = cutLine(s)
		lines = append(lines, cleanLine(line))
	}
	return lines
}

// OneLine returns Clean's lines of s joined by blanks, at most max characters
// of them; what is cut is shown by a final "…".
func OneLine(s string, max int) string {
	s = strings.TrimSpace(strings.Join(Clean(s), " "))
	// Joining can bring together what cleaning each line kept apart.
	s = breakCommands(s)
	if utf8.RuneCountInString(s) <= max {
		return s
	}
	runes := []rune(s)
	return strings.TrimSpace(string(runes[:max-1])) + "…"
}

// cutLine returns the first line of s without its end, and what follows.
func cutLine(s string) (line, rest string) {
	i := strings.IndexFunc(s, func(r rune) bool {
		return r == '\n' || r == '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
	})
	if i < 0 {
		return s, ""
	}
	if strings.HasPrefix(s[i:], "\r\n") {
		return s[:i], s[i+2:]
	}
	_, size := utf8.DecodeRuneInString(s[i:])
	return s[:i], s[i+size:]
}

func cleanLine(line string) string {
	var b strings.Builder
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRuneInString(line[i:])
		if n := sequence(line[i:], r); n > 0 {
			i += n
			continue
		}
		i += size
		switch {
		case r == '\t':
			b.WriteByte(' ')
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
		default:
			b.WriteRune(r)
		}
	}
	return breakCommands(b.String())
}

// breakCommands runs last: dropped characters may have stood between the
// signs of a command. The blank shows that something was changed.
func breakCommands(line string) string {
	line = strings.ReplaceAll(line, "##[", "# #[")
	if trimmed := strings.TrimLeftFunc(line, unicode.IsSpace); strings.HasPrefix(trimmed, "::") {
		line = line[:len(line)-len(trimmed)] + ": :" + trimmed[2:]
	}
	return line
}

// sequence returns the length of the terminal sequence that s begins with, 0
// if there is none. r is the first character of s.
func sequence(s string, r rune) int {
	switch r {
	case 0x1b:
		return escape(s)
	case 0x9b: // CSI as one character
		return control(s, 2)
	case 0x90, 0x98, 0x9d, 0x9e, 0x9f: // DCS, SOS, OSC, PM, APC
		return text(s, 2)
	}
	return 0
}

// escape measures a sequence that begins with ESC.
func escape(s string) int {
	if len(s) == 1 {
		return 1
	}
	switch s[1] {
	case '[':
		return control(s, 2)
	case 'P', 'X', ']', '^', '_':
		return text(s, 2)
	}
	// Intermediate bytes, then one final byte.
	i := 1
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
		i++
	}
	if i < len(s) && s[i] >= 0x30 && s[i] <= 0x7e {
		i++
	}
	return i
}

// control measures a control sequence whose parameters begin at from: bytes
// 0x20 to 0x3f, then one final byte.
func control(s string, from int) int {
	i := from
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x3f {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
		i++
	}
	return i
}

// text measures a sequence that carries text, up to BEL or a string
// terminator. One that is not ended in its line takes only its opening, so
// that no text of the line is hidden by it.
func text(s string, from int) int {
	for i := from; i < len(s); i++ {
		switch {
		case s[i] == 0x07:
			return i + 1
		case strings.HasPrefix(s[i:], "\x1b\\"), strings.HasPrefix(s[i:], "\u009c"):
			return i + 2
		}
	}
	return from
}
