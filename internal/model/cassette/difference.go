package cassette

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/openagent-ci/openagent/internal/text/clip"
)

// Bounds of a difference that is shown, in bytes, and of one line of it, in characters.
const (
	maxDifference     = 2 << 10
	maxDifferenceLine = 160
	// maxDifferenceLines bounds the lines of one part.
	maxDifferenceLines = 16
)

// Difference is a part of a request that differs: what it is, and what it was and
// is; one of them is empty where there is none.
type Difference struct {
	Part string `json:"part"`
	Was  string `json:"was,omitempty"`
	Is   string `json:"is,omitempty"`
}

func (d Difference) String() string {
	switch {
	case d.Is == "":
		return d.Part + " is missing"
	case d.Was == "":
		return d.Part + " is new"
	}
	return d.Part + " is another"
}

// differences lists the parts in which two requests differ; method and path count as
// one.
func differences(was, is *exchange) (list []Difference) {
	before, after := nameTools(was), nameTools(is)
	values := make(map[string]string, len(after))
	for _, p := range after {
		values[p.key] = p.value
	}
	for _, p := range before {
		if value := values[p.key]; value != p.value {
			list = append(list, Difference{p.key, p.value, value})
		}
		delete(values, p.key)
	}
	for _, p := range after {
		if value, fresh := values[p.key]; fresh {
			list = append(list, Difference{p.key, "", value})
		}
	}
	return list
}

// toolPrefix is in front of the name of a tool, as a part is called.
const toolPrefix = "tool "

// nameTools returns the parts of a request, the tools by their names, since one that
// is new moves the others. Keys are unique.
func nameTools(x *exchange) []part {
	list := []part{{"request", x.method + " " + x.path}}
	taken := map[string]bool{}
	for _, p := range x.body {
		if !strings.HasPrefix(p.key, "tools/") {
			list = append(list, p)
			continue
		}
		var tool struct {
			Name, Type string
			Function   struct{ Name string }
			Functions  []json.RawMessage `json:"functionDeclarations"`
		}
		_ = json.Unmarshal([]byte(p.value), &tool) // what is no tool has no name
		add := func(key, name, value string) {
			if name != "" && !taken[name] {
				taken[name] = true
				key = toolPrefix + name
			}
			list = append(list, part{key, value})
		}
		for i, f := range tool.Functions {
			var named struct{ Name string }
			_ = json.Unmarshal(f, &named)
			add(fmt.Sprintf("%s/%d", p.key, i), named.Name, string(f))
		}
		if tool.Functions == nil {
			add(p.key, cmp.Or(tool.Name, tool.Function.Name, tool.Type), p.value)
		}
	}
	return list
}

// firstDifference names the first part in which two requests differ.
func firstDifference(want, got *exchange) string {
	if list := differences(want, got); len(list) > 0 {
		return list[0].String()
	}
	if want.sameRequest(got) {
		return "it comes out of order"
	}
	return "its tools come in another order"
}

// show shows the differences between an exchange and the request that came as number
// came, bounded in size.
func (c *Cassette) show(at, came int, list []Difference) string {
	b := &boundedLines{left: maxDifference}
	b.add(fmt.Sprintf("--- request %d as recorded (%s:%d)", at+1, c.name, c.exchanges[at].line))
	b.add(fmt.Sprintf("+++ request %d as it came", came))
	for _, d := range list {
		b.difference("@@ ", "", d)
	}
	return b.String()
}

// difference adds a part that differs and its first lines. Of a tool that is new or
// missing the name is enough.
func (b *boundedLines) difference(head, indent string, d Difference) {
	if strings.HasPrefix(d.Part, toolPrefix) {
		b.add(head + d.String())
		if d.Was == "" || d.Is == "" {
			return
		}
	} else {
		b.add(head + d.Part)
	}
	if b.dropped > 0 {
		return
	}
	lines := lineDifference(pretty(d.Was), pretty(d.Is))
	for i, line := range lines {
		if i == maxDifferenceLines {
			b.add(fmt.Sprintf("%s... %d more lines", indent, len(lines)-i))
			break
		}
		b.add(indent + line)
	}
}

// boundedLines takes lines as long as there is room, and counts the others.
type boundedLines struct {
	strings.Builder
	left, dropped int
}

func (b *boundedLines) add(line string) {
	line = clip.Short(line, maxDifferenceLine)
	if b.left -= len(line) + 1; b.left < 0 || b.dropped > 0 {
		b.dropped++
		return
	}
	b.WriteString(line + "\n")
}

// String returns the lines, and how many more there were.
func (b *boundedLines) String() string {
	if b.dropped == 0 {
		return b.Builder.String()
	}
	return fmt.Sprintf("%s... %d more lines\n", b.Builder.String(), b.dropped)
}

// pretty returns a value in lines that people can compare: the lines of a text
// stand on lines of their own.
func pretty(value string) string {
	if value == "" {
		return ""
	}
	var out bytes.Buffer
	if json.Indent(&out, []byte(value), "", "  ") != nil {
		return value + "\n" // method and path
	}
	text := strings.ReplaceAll(out.String(), `\n`, "\\n\n    | ")
	return strings.ReplaceAll(text, "\n    | \"", `"`) + "\n" // the end of a text needs no line
}

// lineDifference returns the lines that only one side has, marked - and +, and
// what both have between them, which may be cut, with a line before and behind.
func lineDifference(want, got string) []string {
	_, hunks, _ := strings.Cut(string(diff.Diff("", []byte(want), "", []byte(got))), "\n+++ \n")
	var out []string
	first, last := -1, -1 // of the marked lines
	for line := range strings.Lines(hunks) {
		if strings.HasPrefix(line, "@@") {
			continue
		}
		if line[0] != ' ' {
			if last = len(out); first < 0 {
				first = last
			}
		}
		out = append(out, line[:1]+" "+strings.TrimSuffix(line[1:], "\n"))
	}
	return out[max(first-1, 0):min(last+2, len(out))]
}
