package term

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/control"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// Clean returns the lines of foreign text in a form that neither a terminal
// nor a job log acts upon. Lines end at LF, CR, CRLF, U+0085, U+2028 and
// U+2029. Terminal sequences, control characters and characters that change
// the direction of writing are dropped, a tab becomes a blank, bytes that are
// not UTF-8 become U+FFFD, and what a runner would read as a command ("##["
// anywhere, "::" at the beginning of a line) is broken by a blank. What then
// looks like a secret is masked: dropped characters may have stood in it. A line
// end at the end of s begins no further line; no text gives no line.
func Clean(s string) []string {
	var lines []string
	for s != "" {
		var line string
		line, s = cutLine(s)
		lines = append(lines, strip(line))
	}
	text := strings.Join(lines, "\n")
	if masked := patterns.String(text); masked != text {
		lines = strings.Split(masked, "\n")
	}
	for i, line := range lines {
		lines[i] = BreakCommands(line)
	}
	return lines
}

// patterns masks what looks like a secret; known ones are masked before, in whatever
// form Clean would show them.
var patterns = new(redact.Redactor)

// OneLine returns Clean's lines of s joined by blanks, at most max characters
// of them; what is cut is shown by a final "…".
func OneLine(s string, max int) string {
	s = strings.TrimSpace(strings.Join(Clean(s), " "))
	// Joining can bring together what cleaning each line kept apart.
	s = BreakCommands(patterns.String(s))
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

// strip drops what a terminal would act upon from a line.
func strip(line string) string {
	var b strings.Builder
	for i := 0; i < len(line); {
		if n := control.Prefix(line[i:]); n > 0 && line[i] != '\t' {
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(line[i:])
		i += size
		if r == '\t' {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}

// BreakCommands runs last: dropped characters may have stood between the
// signs of a command, or a mask makes one. The blank shows that something was changed.
func BreakCommands(line string) string {
	line = strings.ReplaceAll(line, "##[", "# #[")
	if trimmed := strings.TrimLeftFunc(line, unicode.IsSpace); strings.HasPrefix(trimmed, "::") {
		line = line[:len(line)-len(trimmed)] + ": :" + trimmed[2:]
	}
	return line
}
