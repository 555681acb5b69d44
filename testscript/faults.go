package testscript

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
)

// faults finds what would let a script pass that tests nothing: it has no
// command, or it expects a program to fail that does not exist. The second is
// looked for when the script has passed, for a script may make a program; exec
// itself takes a program that is not there for one that failed.
func faults(p *Params, env *testscript.Env) error {
	script := ownFile(p, env)
	archive, err := txtar.ParseFile(script)
	if err != nil {
		return fmt.Errorf("read script: %w", err)
	}
	text := string(archive.Comment)
	lines := strings.Split(text, "\n")
	if !slices.ContainsFunc(lines, func(line string) bool { return len(words(line)) > 0 }) {
		return errors.New("the script has no command: they stand above the first line -- FILE --")
	}
	env.Defer(func() {
		if t, ok := env.T().(ended); ok && (t.Failed() || t.Skipped()) {
			return
		}
		if n, program := missing(env, lines); program != "" {
			env.T().Fatal(fmt.Sprintf("FAIL: %s:%d: ! exec %s: there is no such program, so nothing was tested", script, n, program))
		}
	})
	return nil
}

// ended is what go test and openagent test learn about a script.
type ended interface {
	Failed() bool
	Skipped() bool
}

// words returns the words of a line of a script up to a comment.
func words(line string) []string {
	list := strings.Fields(line)
	if i := slices.IndexFunc(list, func(w string) bool { return w[0] == '#' }); i >= 0 {
		list = list[:i]
	}
	return list
}

// missing returns the first program that a script expects to fail and that
// cannot be found, with its line. What a line cannot show by itself is not
// checked: a quoted name, a variable or a PATH that the script sets, a condition
// other than the system's, and all behind stop.
func missing(env *testscript.Env, lines []string) (line int, program string) {
	places := []string{env.WorkDir}
	for i, text := range lines {
		list := words(text)
		for len(list) > 0 && strings.HasPrefix(list[0], "[") && holds(list[0]) {
			list = list[1:]
		}
		switch {
		case len(list) == 0:
		case list[len(list)-1] == "stop", list[0] == "env" && strings.Contains(text, "PATH="):
			return 0, ""
		case list[0] == "repo":
			places = append(places, under(env.WorkDir, repoFolder))
		case list[0] == "cd" && len(list) == 2:
			places = append(places, under(places[len(places)-1], os.Expand(list[1], env.Getenv)))
		case len(list) > 2 && list[0] == "!" && list[1] == "exec" && !found(env, places, list[2]):
			return i + 1, list[2]
		}
	}
	return 0, ""
}

// holds reports whether a condition is one of the system that holds here.
func holds(condition string) bool {
	name, no := strings.CutPrefix(strings.Trim(condition, "[]"), "!")
	switch name {
	case "unix":
		return no != (runtime.GOOS != "windows")
	case "linux", "darwin", "windows":
		return no != (runtime.GOOS == name)
	}
	return false
}

// found reports whether the program can be found, or cannot be looked for.
func found(env *testscript.Env, places []string, program string) bool {
	unknown := strings.ContainsRune(program, '\'')
	program = os.Expand(program, func(name string) string {
		value := env.Getenv(name)
		unknown = unknown || value == "" && name != "exe"
		return value
	})
	if unknown {
		return true
	}
	return locate(env.Getenv, places, program) != ""
}

// locate returns the path of a program as exec finds it: below one of the
// folders, or in PATH when it is a mere name. It is empty where there is none.
func locate(getenv func(string) string, places []string, program string) string {
	if filepath.Base(program) == program {
		places = filepath.SplitList(getenv("PATH"))
	}
	endings := []string{""}
	if runtime.GOOS == "windows" {
		endings = append(endings, ".exe", ".bat", ".cmd", ".com")
	}
	for _, dir := range places {
		for _, ending := range endings {
			path := under(dir, program) + ending
			if info, err := os.Stat(path); err == nil && !info.IsDir() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
				return path
			}
		}
	}
	return ""
}

// under returns the path as it is found from a folder.
func under(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
