package report

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/runner"
)

// node is an element of an XML document, of a schema too.
type node struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Children []node     `xml:",any"`
	Text     string     `xml:",chardata"`
}

func (n node) attr(name string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// child returns the first child element of the name.
func (n node) child(name string) (node, bool) {
	for _, c := range n.Children {
		if c.XMLName.Local == name {
			return c, true
		}
	}
	return node{}, false
}

// xsd is an XML Schema of the kind that JUnit reports have: elements, types
// and patterns by name, everything global.
type xsd struct{ elements, types, patterns map[string]node }

func loadXSD(t *testing.T, path string) xsd {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var root node
	if err := xml.Unmarshal(text, &root); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	s := xsd{map[string]node{}, map[string]node{}, map[string]node{}}
	for _, c := range root.Children {
		switch c.XMLName.Local {
		case "element":
			s.elements[c.attr("name")] = c
		case "complexType":
			s.types[c.attr("name")] = c
		case "simpleType":
			s.patterns[c.attr("name")] = c
		default:
			t.Fatalf("%s has %s, which this check does not know", path, c.XMLName.Local)
		}
	}
	return s
}

// check returns what is wrong with the element and all below it.
func (s xsd) check(n node) (wrong []string) {
	name := n.XMLName.Local
	fail := func(format string, args ...any) {
		wrong = append(wrong, fmt.Sprintf("<%s>: ", name)+fmt.Sprintf(format, args...))
	}
	def, ok := s.elements[name]
	if !ok {
		return []string{"no element <" + name + ">"}
	}
	kind, ok := def.child("complexType")
	if !ok {
		kind, ok = s.types[def.attr("type")]
	}
	if !ok && len(n.Children)+len(n.Attrs) > 0 {
		fail("want text alone")
	}
	if ok && kind.attr("mixed") != "true" && strings.TrimSpace(n.Text) != "" {
		fail("text %q between the elements", n.Text)
	}
	names := ""
	for _, c := range n.Children {
		names += "<" + c.XMLName.Local + ">"
		wrong = append(wrong, s.check(c)...)
	}
	if model := "^" + particles(kind.Children) + "$"; ok && !regexp.MustCompile(model).MatchString(names) {
		fail("holds %s, want %s", names, model)
	}
	if ok {
		wrong = append(wrong, s.checkAttributes(n, kind)...)
	}
	return wrong
}

func (s xsd) checkAttributes(n, kind node) (wrong []string) {
	known := map[string]bool{}
	for _, a := range kind.Children {
		name := a.attr("name")
		if a.XMLName.Local != "attribute" {
			continue
		}
		known[name] = true
		value := n.attr(name)
		if a.attr("use") == "required" && value == "" {
			wrong = append(wrong, fmt.Sprintf("<%s>: no %s", n.XMLName.Local, name))
		}
		if kind, ok := s.patterns[a.attr("type")]; ok && value != "" && !regexp.MustCompile("^(?:"+pattern(kind)+")$").MatchString(value) {
			wrong = append(wrong, fmt.Sprintf("<%s>: %s is %q, want %s", n.XMLName.Local, name, value, pattern(kind)))
		}
	}
	for _, a := range n.Attrs {
		if !known[a.Name.Local] {
			wrong = append(wrong, fmt.Sprintf("<%s>: unknown %s", n.XMLName.Local, a.Name.Local))
		}
	}
	return wrong
}

func pattern(kind node) string {
	restriction, _ := kind.child("restriction")
	p, _ := restriction.child("pattern")
	return p.attr("value")
}

// particles returns the content model as an expression over the names of the
// children.
func particles(list []node) string {
	var b strings.Builder
	for _, p := range list {
		switch p.XMLName.Local {
		case "sequence":
			b.WriteString("(?:" + particles(p.Children) + ")")
		case "choice":
			var options []string
			for _, c := range p.Children {
				options = append(options, particles([]node{c}))
			}
			b.WriteString("(?:" + strings.Join(options, "|") + ")")
		case "element":
			b.WriteString("(?:<" + p.attr("ref") + p.attr("name") + ">)")
		default:
			continue
		}
		b.WriteString(occurs(p.attr("minOccurs"), p.attr("maxOccurs")))
	}
	return b.String()
}

func occurs(least, most string) string {
	return map[string]string{"": "", "0": "?", "unbounded": "+", "0unbounded": "*"}[strings.TrimPrefix(least, "1")+strings.TrimPrefix(most, "1")]
}

// Every report keeps each schema that lies beside the tests.
func TestJUnit_KeepsTheSchemas(t *testing.T) {
	bad := everyRule()
	bad.Verdict, bad.Reason = runner.VerdictViolation, "\x1b[31m<&>\x00]]>"
	var run strings.Builder
	if err := WriteRunJUnit(&run, "events.jsonl", bad); err != nil {
		t.Fatal(err)
	}
	reports := map[string]string{
		"run": run.String(), "no file": check(t, "junit"), "clean": check(t, "junit", NewCheckFile("a", finished())),
		"every rule": check(t, "junit", NewCheckFile("a b", everyRule()), NewCheckFile("]]>\x00", broken())),
	}
	paths, err := filepath.Glob(filepath.Join("testdata", "junit*.xsd"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("schemas of JUnit: %q, %v, want some", paths, err)
	}
	for _, path := range paths {
		s := loadXSD(t, path)
		for name, text := range reports {
			var root node
			if err := xml.Unmarshal([]byte(text), &root); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if wrong := s.check(root); len(wrong) > 0 {
				t.Errorf("%s of %s: %q\n%s", path, name, wrong, text)
			}
		}
	}
}

// A check that finds nothing would let every report pass.
func TestXSD_FindsWhatIsWrong(t *testing.T) {
	s := loadXSD(t, filepath.Join("testdata", "junit.xsd"))
	const suite = `<testsuite name="a" tests="1" failures="0" errors="0">`
	for text, want := range map[string]string{
		`<testsuites tests="0" failures="0"><case/></testsuites>`:             "no element <case>",
		`<testsuites tests="0" failures="0">x</testsuites>`:                   "text",
		`<testsuites tests="0" failures="0"><failure/></testsuites>`:          "holds <failure>",
		`<testsuites tests="0"/>`:                                             "no failures",
		`<testsuites tests="0" failures="0" flags=""/>`:                       "unknown flags",
		`<testsuites tests="0" failures="0" time="1s"/>`:                      `time is "1s"`,
		suite + `<testcase classname="c"/></testsuite>`:                       "no name",
		`<system-out kind="x"/>`:                                              "want text alone",
		`<testcase name="a" classname="c"><failure/><error/></testcase>`:      "holds <failure><error>",
		`<testcase name="a" classname="c"><system-out/><failure/></testcase>`: "holds <system-out><failure>",
	} {
		var root node
		if err := xml.Unmarshal([]byte(text), &root); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(s.check(root), "; "); !strings.Contains(got, want) {
			t.Errorf("check(%s) = %q, want %q", text, got, want)
		}
	}
}
