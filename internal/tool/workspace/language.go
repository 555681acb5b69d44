package workspace

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// Share is how much of a tree is written in one.
type Share struct {
	Name  string `json:"name"`
	Files int64  `json:"files"`
	Bytes int64  `json:"bytes"`
}

// languages names the language of files by the end of their name, in lower
// case.
var languages = map[string]string{
	".bash": "Shell", ".bat": "Batch", ".c": "C", ".cc": "C++", ".clj": "Clojure", ".cpp": "C++", ".cs": "C#",
	".css": "CSS", ".cxx": "C++", ".dart": "Dart", ".ex": "Elixir", ".exs": "Elixir", ".erl": "Erlang",
	".fs": "F#", ".go": "Go", ".gradle": "Gradle", ".groovy": "Groovy", ".h": "C", ".hcl": "HCL", ".hpp": "C++",
	".hs": "Haskell", ".html": "HTML", ".htm": "HTML", ".java": "Java", ".jl": "Julia", ".js": "JavaScript",
	".json": "JSON", ".jsx": "JavaScript", ".cjs": "JavaScript", ".kt": "Kotlin", ".kts": "Kotlin", ".lua": "Lua",
	".m": "Objective-C", ".md": "Markdown", ".mjs": "JavaScript", ".ml": "OCaml", ".mm": "Objective-C",
	".nix": "Nix", ".php": "PHP", ".pl": "Perl", ".pm": "Perl", ".proto": "Protocol Buffers", ".ps1": "PowerShell",
	".py": "Python", ".pyi": "Python", ".r": "R", ".rb": "Ruby", ".rs": "Rust", ".rst": "reStructuredText",
	".s": "Assembly", ".scala": "Scala", ".scss": "SCSS", ".sh": "Shell", ".sql": "SQL", ".svelte": "Svelte",
	".swift": "Swift", ".tex": "TeX", ".tf": "HCL", ".toml": "TOML", ".ts": "TypeScript", ".tsx": "TypeScript",
	".vue": "Vue", ".xml": "XML", ".yaml": "YAML", ".yml": "YAML", ".zig": "Zig", ".zsh": "Shell",
}

// wholeNames are files that are recognized by their whole name, in lower case.
var wholeNames = map[string]string{
	"cmakelists.txt": "CMake", "dockerfile": "Dockerfile", "gnumakefile": "Makefile", "makefile": "Makefile",
}

// keyNames are files of a root that say what a project is and how it is built
// and tested, in lower case; a readme, a license and the like may have any
// ending.
var keyNames = []string{
	"agents.md", "build.gradle", "build.gradle.kts", "build.zig", "cargo.toml", "claude.md", "cmakelists.txt", "compose.yaml",
	"composer.json", "deno.json", "docker-compose.yml", "dockerfile", "dune-project", "flake.nix", "gemfile",
	"gnumakefile", "go.mod", "go.work", "justfile", "makefile", "meson.build", "mix.exs", "package.json",
	"package.swift", "pom.xml", "pyproject.toml", "requirements.txt", "setup.cfg", "setup.py", "taskfile.yml",
	"tox.ini", "tsconfig.json",
}

// keyStems are names that may have any ending, in lower case.
var keyStems = []string{"changelog", "contributing", "license", "readme"}

// maxKeyName bounds the name of a key file: endings are free to be invented.
const maxKeyName = 40

// Of returns the language of a file by its name, empty when that is not known.
func Of(name string) string {
	name = strings.ToLower(name)
	if language, ok := wholeNames[name]; ok {
		return language
	}
	return languages[path.Ext(name)]
}

// IsKeyFile reports whether a file of a root says what a project is.
func IsKeyFile(name string) bool {
	if len(name) > maxKeyName {
		return false
	}
	name = strings.ToLower(name)
	stem, _, _ := strings.Cut(name, ".")
	return slices.Contains(keyNames, name) || slices.Contains(keyStems, stem)
}

// Ranked returns the languages, the one with most bytes first.
func Ranked(found map[string]*Share) []Share {
	list := make([]Share, 0, len(found))
	for _, l := range found {
		list = append(list, *l)
	}
	slices.SortFunc(list, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.Name, b.Name))
	})
	return list
}
