package cli

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// speaking are the functions, by their last names, whose texts a user can see: errors,
// hints, warnings, findings, and the descriptions of flags.
var speaking = strings.Fields(`Errorf New With Sprintf Warn Error Info Fatalf Fprintf Fprintln Fprint NewFinding
	add doubt miss usage usagef or refuse refused Refuse fail failed each StringVar BoolVar IntVar Var Func group addCommands ok folder Row
	Optional Variable ended incomplete say warn lose Lost notify offer`)

// shown are the fields whose texts a user can see.
var shown = strings.Fields("Short Long Use Text Title Name Why Cure Fix Hint Reason Message Word Note")

// docs/messages.txt has the texts that a user can see, so that they are read in one go
// and reviewed when they change.
func TestDocs_Messages(t *testing.T) {
	const file = "docs/messages.txt"
	top := filepath.Join("..", "..")
	var names []string
	for _, folder := range []string{"cmd", "golden", "internal", "runner", "schema", "testscript"} {
		err := filepath.WalkDir(filepath.Join(top, folder), func(name string, _ os.DirEntry, err error) error {
			names = append(names, name)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	all := map[string]map[string]bool{} // by package
	for _, name := range names {
		rel, _ := filepath.Rel(top, name)
		rel = filepath.ToSlash(rel)
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") || strings.Contains(rel, "testdata/") || strings.Contains(rel, "/testkit/") || strings.Contains(rel, "/devtools/") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		in := path.Dir(rel)
		if all[in] == nil {
			all[in] = map[string]bool{}
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			for _, text := range messages(n) {
				all[in][text] = true
			}
			return true
		})
	}
	var b bytes.Buffer
	b.WriteString("Texts that a user can see, by package. Written by go test ./internal/cli -update.\n")
	for _, in := range slices.Sorted(maps.Keys(all)) {
		if len(all[in]) == 0 {
			continue
		}
		b.WriteString("\n# " + in + "\n")
		for _, text := range slices.Sorted(maps.Keys(all[in])) {
			b.WriteString(strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ") + "\n")
		}
	}
	if *update {
		if err := os.WriteFile(filepath.Join(top, file), b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(filepath.Join(top, file))
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); diff != "" {
		t.Errorf("%s (-want +got), go test ./internal/cli -update writes it:\n%s", file, diff)
	}
}

// messages returns the texts of a call or a field, those with a blank: a single word is
// a name.
func messages(n ast.Node) (texts []string) {
	var parts []ast.Expr
	switch n := n.(type) {
	case *ast.CallExpr:
		name := ""
		switch f := n.Fun.(type) {
		case *ast.Ident:
			name = f.Name
		case *ast.SelectorExpr:
			name = f.Sel.Name
		}
		if slices.Contains(speaking, name) {
			parts = n.Args
		}
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && slices.Contains(shown, key.Name) {
			parts = []ast.Expr{n.Value}
		}
	}
	for _, part := range parts {
		if text := literal(part); strings.Contains(strings.TrimSpace(text), " ") && !strings.Contains(text, "(?") { // no expression
			texts = append(texts, text)
		}
	}
	return texts
}

// literal returns the text of an expression; what is known at run time only is "...".
func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text
	case *ast.BinaryExpr:
		left, right := literal(e.X), literal(e.Y)
		if e.Op == token.ADD && left+right != "" {
			return cmp.Or(left, "...") + cmp.Or(right, "...")
		}
	}
	return ""
}
