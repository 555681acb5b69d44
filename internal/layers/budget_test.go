package layers

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The budgets of the code, tests and data apart, in lines.
const (
	maxFile, medianFile         = 450, 150
	maxFunction, medianFunction = 60, 12
	maxPackage                  = 3000
	maxAll                      = 91_900 // what there is, and a little
)

// spent is what the code takes of its budgets.
type spent struct {
	files, functions []sized
	packages         map[string]int
	code, tests      int
}

// sized is a file or function with its lines.
type sized struct {
	name  string
	lines int
}

// measured reads all code of the module.
func measured(t *testing.T) spent {
	t.Helper()
	root := filepath.Join("..", "..")
	s := spent{packages: map[string]int{}}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(p[min(len(root)+1, len(p)):])
		if d.IsDir() && rel != "" && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"testdata", "workspace"}, d.Name()) && rel != "internal/workspace" || rel == "internal/tools" || rel == "schema/bindings/go") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(rel, ".go") {
			return nil
		}
		src, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		lines := bytes.Count(src, []byte("\n"))
		if strings.HasSuffix(rel, "_test.go") || slices.Contains(onlyForTests, path.Dir(rel)) {
			s.tests += lines
			return nil
		}
		s.code += lines
		s.packages[path.Dir(rel)] += lines
		s.files = append(s.files, sized{rel, lines})
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, rel, src, 0)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok {
				s.functions = append(s.functions, sized{rel + ": " + f.Name.Name, fset.Position(f.End()).Line - fset.Position(f.Pos()).Line + 1})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// over sorts what was measured and returns its median and what is above a bound.
func over(all []sized, bound int) (median int, above []sized) {
	slices.SortFunc(all, func(a, b sized) int { return b.lines - a.lines })
	n := slices.IndexFunc(all, func(s sized) bool { return s.lines <= bound })
	return all[len(all)/2].lines, all[:max(n, 0)]
}

// The house stays as small as it was meant to be. Cyclomatic complexity is
// counted by gocyclo in .ci/run.
func TestBudgets(t *testing.T) {
	s := measured(t)
	if len(s.files) < 200 || len(s.functions) < 1000 {
		t.Fatalf("%d files with %d functions found, want the whole module", len(s.files), len(s.functions))
	}
	for _, kind := range []struct {
		name          string
		all           []sized
		bound, middle int
	}{{"file", s.files, maxFile, medianFile}, {"function", s.functions, maxFunction, medianFunction}} {
		median, above := over(kind.all, kind.bound)
		t.Logf("%d %ss: median %d lines, most %d (%s)", len(kind.all), kind.name, median, kind.all[0].lines, kind.all[0].name)
		if median > kind.middle {
			t.Errorf("median %s has %d lines, want at most %d", kind.name, median, kind.middle)
		}
		for _, a := range above {
			t.Errorf("%s has %d lines, want at most %d", a.name, a.lines, kind.bound)
		}
	}
	for pkg, lines := range s.packages {
		if lines > maxPackage {
			t.Errorf("package %s has %d lines, want at most %d", pkg, lines, maxPackage)
		}
	}
	t.Logf("%d lines of code in %d packages, %d of tests", s.code, len(s.packages), s.tests)
	if s.code > maxAll {
		t.Errorf("%d lines of code, want at most %d", s.code, maxAll)
	}
	if s.tests*10 < s.code*8 {
		t.Errorf("%d lines of tests for %d of code, want at least 0.8 of them", s.tests, s.code)
	}
}
