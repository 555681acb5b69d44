package tool

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// declaredKinds reads the constants of kinds.go, so that a kind without a row
// in the table is found.
func declaredKinds(t *testing.T) []ErrorKind {
	file, err := parser.ParseFile(token.NewFileSet(), "kinds.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []ErrorKind
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); ok && name.Name == "ErrorKind" {
			value, _ := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			kinds = append(kinds, ErrorKind(value))
		}
		return true
	})
	return kinds
}

func TestErrorKinds_EachHasARow(t *testing.T) {
	kinds := declaredKinds(t)
	if len(kinds) < 15 || len(kinds) != len(errorTable) {
		t.Errorf("kinds.go declares %d kinds, the table has %d rows", len(kinds), len(errorTable))
	}
	classes := map[FailureClass]bool{ClassSchema: true, ClassPolicy: true, ClassTimeoutTransient: true, ClassNonIdempotent: true, ClassOther: true}
	for _, kind := range kinds {
		e := NewError(kind, "m")
		if e.RecoveryHint == nil || *e.RecoveryHint == "" || !classes[kind.Class()] {
			t.Errorf("kind %s: hint %v, class %s; want both filled", kind, e.RecoveryHint, kind.Class())
		}
	}
	if got := ErrorKind("foreign").Class(); got != ClassOther {
		t.Errorf("foreign.Class() = %s, want %s", got, ClassOther)
	}
}

// The classes are what readers of a stream count by; a kind changes its class
// only on purpose.
func TestErrorKinds_Classes(t *testing.T) {
	for class, kinds := range map[FailureClass][]ErrorKind{
		ClassSchema:           {KindCallIncomplete, KindCallMalformed, KindInvalidInput, KindUnknownTool},
		ClassPolicy:           {KindLimitReached, KindPathOutsideWorkspace, KindPolicyDenied, KindProtectedPath, KindRepeatedCall},
		ClassTimeoutTransient: {KindCommandTimedOut},
		ClassNonIdempotent:    {KindAlreadyExists, KindGitFailed, KindNothingToCommit},
		ClassOther:            {KindNotFound, KindCommandSpawnFailed, KindToolPanicked},
	} {
		for _, kind := range kinds {
			if got := kind.Class(); got != class {
				t.Errorf("%s.Class() = %s, want %s", kind, got, class)
			}
		}
	}
}

func TestNewError_BoundsMessageAndKeepsOrder(t *testing.T) {
	e := NewError(KindIO, strings.Repeat("ä", 2000)+"\xff", Detail{"b", 1}, Detail{"a", "<x>"})
	if n := utf8.RuneCountInString(e.Message); n != MaxMessage {
		t.Errorf("NewError(...).Message has %d characters, want %d", n, MaxMessage)
	}
	if want := `{"b":1,"a":"<x>"}`; string(e.Details) != want {
		t.Errorf("NewError(...).Details = %s, want %s", e.Details, want)
	}
	if other := e.WithHint("go"); *other.RecoveryHint != "go" || *e.RecoveryHint == "go" {
		t.Errorf("WithHint changed %q into %q, want a copy with the hint", *e.RecoveryHint, *other.RecoveryHint)
	}
}

func TestRegistry_SortedAndReplaced(t *testing.T) {
	called := func(name, description string) Tool {
		x := defineSample(nil)
		x.Spec.Name, x.Spec.Description = name, description
		return x
	}
	r := NewRegistry(called("b", "old"), called("a", ""), called("b", "new"))
	specs := r.Specs()
	if len(specs) != 2 || specs[0].Name != "a" || specs[1].Name != "b" || specs[1].Description != "new" {
		t.Errorf("Specs() = %+v, want a and the later b", specs)
	}
	if x, ok := r.Lookup("c"); ok || x.Spec.Name != "c" || x.Payload != nil {
		t.Errorf("Lookup(c) = %+v, %v, want only the name", x, ok)
	}
}
