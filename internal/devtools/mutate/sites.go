package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// mutant is one small mistake: file has From instead of To at Offset.
type mutant struct {
	File     string // relative to the module
	Function string
	Offset   int
	From, To string
	// Nth tells mutants apart whose function and texts are the same.
	Nth int
}

// id names a mutant by what it changes. It stays the same while its function does,
// wherever the function moves in its file.
func (m mutant) id() string {
	id := fmt.Sprintf("%s %s: %s => %s", m.File, m.Function, oneLine(m.From), oneLine(m.To))
	if m.Nth > 0 {
		id += fmt.Sprintf(" (%d)", m.Nth+1)
	}
	return id
}

// oneLine returns the text without line breaks, at most 60 bytes of it.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return "nothing"
	}
	if len(text) > 60 {
		text = strings.ToValidUTF8(text[:57], "") + "..."
	}
	return text
}

// opposite holds the operators that a mutant puts instead of another one.
var opposite = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS,
	token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.ADD: token.SUB, token.SUB: token.ADD,
}

// sites returns all mutants of a Go source file: negated conditions, dropped clauses
// of && and ||, shifted comparisons, swapped results, dropped calls and changed
// constants. A mutant that does not compile is found out when it is built.
func sites(name string, source []byte) ([]mutant, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	s := &scan{name: name, source: source, files: files, seen: map[string]int{}}
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		s.function = f.Name.Name
		if f.Recv != nil && len(f.Recv.List) == 1 {
			s.function = strings.TrimLeft(s.text(f.Recv.List[0].Type), "*") + "." + s.function
		}
		ast.Inspect(f.Body, s.visit)
	}
	return s.found, nil
}

type scan struct {
	name, function string
	source         []byte
	files          *token.FileSet
	found          []mutant
	seen           map[string]int
}

func (s *scan) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		s.replace(n.Cond, "!("+s.text(n.Cond)+")")
	case *ast.ForStmt:
		// A negated loop ends at once or never; its comparison is a mutant already.
	case *ast.BinaryExpr:
		s.binary(n)
	case *ast.ReturnStmt:
		if len(n.Results) == 2 {
			a, b := n.Results[0], n.Results[1]
			s.add(a.Pos(), b.End(), s.text(b)+", "+s.text(a))
		}
	case *ast.ExprStmt:
		if _, ok := n.X.(*ast.CallExpr); ok {
			s.replace(n, "")
		}
	case *ast.DeferStmt:
		s.replace(n, "")
	case *ast.BasicLit:
		s.literal(n)
	case *ast.Ident:
		switch n.Name {
		case "true":
			s.replace(n, "false")
		case "false":
			s.replace(n, "true")
		}
	}
	return true
}

func (s *scan) binary(n *ast.BinaryExpr) {
	switch n.Op {
	case token.LAND, token.LOR:
		s.replace(n, s.text(n.X))
		s.replace(n, s.text(n.Y))
	default:
		if other, ok := opposite[n.Op]; ok {
			s.add(n.Pos(), n.End(), s.text(n.X)+" "+other.String()+" "+s.text(n.Y))
		}
	}
}

func (s *scan) literal(n *ast.BasicLit) {
	switch n.Kind {
	case token.INT:
		if v, err := strconv.ParseInt(n.Value, 0, 64); err == nil {
			s.replace(n, strconv.FormatInt(v+1, 10))
		}
	case token.STRING:
		if text, err := strconv.Unquote(n.Value); err == nil && text != "" && !strings.Contains(text, " ") {
			s.replace(n, `""`) // what has blanks is a sentence, whose words no test should repeat
		}
	}
}

func (s *scan) replace(n ast.Node, to string) { s.add(n.Pos(), n.End(), to) }

func (s *scan) add(from, end token.Pos, to string) {
	start := s.files.Position(from).Offset
	m := mutant{File: s.name, Function: s.function, Offset: start, From: string(s.source[start:s.files.Position(end).Offset]), To: to}
	key := m.id()
	m.Nth = s.seen[key]
	s.seen[key]++
	s.found = append(s.found, m)
}

func (s *scan) text(n ast.Node) string {
	return string(s.source[s.files.Position(n.Pos()).Offset:s.files.Position(n.End()).Offset])
}

// apply returns the source with the mistake in it.
func (m mutant) apply(source []byte) []byte {
	return bytes.Join([][]byte{source[:m.Offset], []byte(m.To), source[m.Offset+len(m.From):]}, nil)
}
