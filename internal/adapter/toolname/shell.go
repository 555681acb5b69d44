package toolname

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// shellForm returns the command of a POSIX shell that reads or writes a file as a
// neutral call does, "" for another call, and for a text that no command can hold.
func shellForm(tool string, members map[string]json.RawMessage) string {
	name, ok := text(members, "path")
	content, hasContent := text(members, "content")
	switch {
	case !ok || strings.ContainsRune(name+content, 0):
	case tool == read:
		return "cat -- " + quoted(name)
	case tool == write && hasContent:
		return writeCommand(name, content)
	}
	return ""
}

// writeCommand writes content as it is, to the byte, and the folders that are
// missing.
func writeCommand(name, content string) string {
	command := "printf %s " + quoted(content) + " > " + quoted(name)
	if dir := path.Dir(name); dir != "." && dir != "/" {
		command = "mkdir -p -- " + quoted(dir) + " && " + command
	}
	return command
}

// fileCommand returns the neutral call that a command stands for, if it is one of
// shellForm.
func fileCommand(command string) (tool string, arguments map[string]string) {
	w, _ := words(command)
	if n := len(w); n == 3 && w[0] == "cat" && "cat -- "+quoted(w[2]) == command {
		return read, map[string]string{"path": w[2]}
	} else if n >= 5 && w[n-5] == "printf" && writeCommand(w[n-1], w[n-3]) == command {
		return write, map[string]string{"path": w[n-1], "content": w[n-3]}
	}
	return "", nil
}

// unwrapped returns the command that a shell was started with, as in
// /bin/bash -lc 'echo one', and any other command as it is.
func unwrapped(command string) string {
	if w, ok := words(command); ok {
		if inner, ok := shellCommand(w); ok {
			return inner
		}
	}
	return command
}

// argv returns the command that a list of words starts.
func argv(list json.RawMessage) (command string, ok bool) {
	var w []string
	if json.Unmarshal(list, &w) != nil || len(w) == 0 {
		return "", false
	}
	if inner, ok := shellCommand(w); ok {
		return inner, true
	}
	for i := range w {
		w[i] = quoted(w[i])
	}
	return strings.Join(w, " "), true
}

// shellCommand returns the command that words give to a shell, if they do no more.
func shellCommand(w []string) (command string, ok bool) {
	if len(w) != 3 || !slices.Contains([]string{"bash", "sh", "zsh"}, path.Base(w[0])) || !slices.Contains([]string{"-c", "-lc"}, w[1]) {
		return "", false
	}
	return w[2], true
}

// plain are the characters that mean nothing to a shell.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-"

// quoted returns s as one word of a shell.
func quoted(s string) string {
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// words splits a command into its words, without their quotes. It reports whether
// the quotes end.
func words(command string) (list []string, ok bool) {
	var word strings.Builder
	within := false // a word, which may be empty
	for i := 0; i < len(command); {
		switch c := command[i]; c {
		case ' ', '\t', '\n':
			if within {
				list = append(list, word.String())
			}
			word.Reset()
			within = false
			i++
			continue
		case '\'', '"':
			end := quoteEnd(command, i)
			if end < 0 {
				return nil, false
			}
			word.WriteString(unquoted(command[i:end+1], c))
			i = end + 1
		case '\\':
			if i+1 == len(command) {
				return nil, false
			}
			word.WriteByte(command[i+1])
			i += 2
		default:
			word.WriteByte(c)
			i++
		}
		within = true
	}
	if within {
		list = append(list, word.String())
	}
	return list, true
}

// quoteEnd returns where the quotes that open at i end, -1 for nowhere.
func quoteEnd(s string, i int) int {
	for j := i + 1; j < len(s); j++ {
		switch {
		case s[j] == s[i]:
			return j
		case s[j] == '\\' && s[i] == '"':
			j++
		}
	}
	return -1
}

// unquoted returns what quotes hold; a backslash counts between double ones only,
// and there before what it protects.
func unquoted(s string, quote byte) string {
	s = s[1 : len(s)-1]
	if quote == '\'' {
		return s
	}
	return strings.NewReplacer("\\\\", "\\", `\"`, `"`, `\$`, `$`, "\\`", "`", "\\\n", "").Replace(s)
}
