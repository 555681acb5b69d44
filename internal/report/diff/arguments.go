package diff

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// Argument is one argument, or a part of it, that changed. Base and Head are its
// values as people read them; empty where there is none. Long ones begin shortly
// before the first difference.
type Argument struct {
	Name string `json:"name"`
	Base string `json:"base"`
	Head string `json:"head"`
}

// Bounds of arguments: how many are shown, their values in characters, and how deep they are
// read.
const maxArguments, maxValue, maxNested = 20, 300, 1000

// canonical returns the text by which the arguments of a call are compared: that of
// JSON without regard to the order of members and to blanks. What is no one value of
// JSON, or names a member twice, is compared as it stands: readers differ in what they
// make of it.
func canonical(c call) string {
	if c.cut {
		return fmt.Sprintf("%d bytes of %s", c.size, c.arguments)
	}
	r := jsontext.Reader[string]{Src: strings.Trim(c.arguments, " \t\r\n"), Room: maxNested, Notes: &jsontext.Notes{}}
	if !r.Skip() || r.Pos != len(r.Src) || r.Notes.Repeated != 0 {
		return c.arguments
	}
	v, err := jsontext.Decode([]byte(c.arguments))
	if err != nil {
		return c.arguments
	}
	return string(jsontext.MustMarshal(v))
}

// ends are what may be missing at the end of an object that was cut.
var ends = []string{"", `"}`, "}", `"]}`, `"}]}`}

// decoded returns the value of a call's arguments, the text where they are no JSON.
// Where the end is missing, what is there.
func decoded(c call) any {
	text := c.arguments
	for i, end := range ends {
		if i > 0 && !c.cut {
			break
		}
		if v, err := jsontext.Decode([]byte(text + end)); err == nil {
			return v
		}
		text = strings.TrimRight(text, `\`)
	}
	return c.arguments
}

// changed returns the arguments in which two calls of a tool differ, by names with a
// prefix.
func changed(prefix string, base, head call) (list []Argument) {
	walk("", decoded(base), decoded(head), func(name string, b, h any) {
		if len(list) == maxArguments {
			return
		}
		if name == "" {
			name = "arguments"
		}
		was, is := TruncateAroundDifference(shownValue(b), shownValue(h), maxValue)
		list = append(list, Argument{prefix + Named(name, maxName), was, is})
	})
	if len(list) == 0 { // only the sizes are known to differ
		list = append(list, Argument{prefix + "arguments", fmt.Sprintf("%d bytes", base.size), fmt.Sprintf("%d bytes", head.size)})
	}
	return list
}

// absent stands for a value that is not there.
type absent struct{}

// walk calls differ with each part in which two values differ.
func walk(name string, base, head any, differ func(name string, base, head any)) {
	switch b := base.(type) {
	case map[string]any:
		if h, ok := head.(map[string]any); ok {
			all := maps.Clone(b)
			maps.Copy(all, h)
			for _, key := range slices.Sorted(maps.Keys(all)) {
				walk(strings.TrimPrefix(name+"."+key, "."), member(b, key), member(h, key), differ)
			}
			return
		}
	case []any:
		if h, ok := head.([]any); ok && len(b) == len(h) {
			for i := range b {
				walk(name+"["+strconv.Itoa(i)+"]", b[i], h[i], differ)
			}
			return
		}
	default:
		if base == head {
			return
		}
	}
	differ(name, base, head)
}

func member(m map[string]any, key string) any {
	if v, ok := m[key]; ok {
		return v
	}
	return absent{}
}

// shownValue returns a value as people read it: nothing in it is acted upon, and
// what cannot be seen is written out.
func shownValue(v any) string {
	switch v := v.(type) {
	case absent:
		return ""
	case string:
		return strconv.Quote(v)
	}
	text := strconv.Quote(string(jsontext.MustMarshal(v)))
	return strings.ReplaceAll(text[1:len(text)-1], `\"`, `"`)
}

// shownArguments returns the arguments of a call as people read them.
func shownArguments(arguments string) string {
	v := decoded(call{arguments: arguments, cut: true})
	members, ok := v.(map[string]any)
	if !ok {
		return term.OneLine(shownValue(v), maxValue)
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		all = append(all, name+"="+term.OneLine(shownValue(members[name]), maxValue))
	}
	return term.OneLine(strings.Join(all, " "), maxValue)
}
