package workspace

import (
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	for name, want := range map[string]string{
		"a.go": "Go", "A.PY": "Python", "Makefile": "Makefile", "x.tar.gz": "", "noext": "", ".sh": "Shell", "CMakeLists.txt": "CMake", "go": "",
	} {
		if got := Of(name); got != want {
			t.Errorf("Of(%q) = %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]bool{
		"README": true, "readme.txt": true, "go.mod": true, "go.model": false, "LICENSE-MIT": false, "license.md": true, "main.go": false,
		"readme." + strings.Repeat("x", 100): false,
	} {
		if got := IsKeyFile(name); got != want {
			t.Errorf("IsKeyFile(%q) = %v, want %v", name, got, want)
		}
	}
}
