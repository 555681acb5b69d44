package observe

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openagent-ci/openagent/schema"
)

// contractLine returns a line of the contract.
func contractLine(typ, data string) string {
	return fmt.Sprintf(`{"schema_version":%q,"sequence":1,"ts":"2026-03-03T20:11:12Z","run_id":"r","step":1,"type":%q,"data":%s}`, schema.Version, typ, data)
}

// observed returns an observer that has read the lines of one stream.
func observed(t testing.TB, source Source, lines ...string) *Observer {
	t.Helper()
	o := &Observer{}
	o.add(t, source, lines...)
	return o
}

// add reads the lines of a further stream.
func (o *Observer) add(t testing.TB, source Source, lines ...string) {
	t.Helper()
	if source.File == "" {
		source.File = "f"
	}
	if err := o.Read(t.Context(), strings.NewReader(strings.Join(lines, "\n")+"\n"), source); err != nil {
		t.Fatal(err)
	}
}

// only returns what was seen of a type of lines, without what is not exported.
func only(t *testing.T, r Result, name string) []Key {
	t.Helper()
	for _, s := range r.Streams {
		for _, typ := range s.Types {
			if typ.Name == name {
				for i, k := range typ.Keys {
					typ.Keys[i] = Key{Path: k.Path, Standing: k.Standing, Count: k.Count, Of: k.Of, Kinds: k.Kinds, Sizes: k.Sizes, Least: k.Least, Most: k.Most, Values: k.Values, Open: k.Open}
				}
				return typ.Keys
			}
		}
	}
	t.Fatalf("no type %s in %+v", name, r.Streams)
	return nil
}

func TestObserver_Contract(t *testing.T) {
	r := observed(t, Source{},
		contractLine("tool_retry", `{"tool_call_id":"c1","tool":null,"attempt":-2,"max_retries":7,"failure_class":"timeout","action":"repair","x_own":[{"a":1},{"a":0.5}]}`),
		contractLine("tool_retry", `{"tool_call_id":"a\u00e9","tool":null,"attempt":3,"max_retries":7,"failure_class":"a text","action":"stop","extra":{"deep":true}}`),
	).Result(nil)
	want := []Key{
		{Path: "action", Standing: Declared, Count: 2, Of: 2, Kinds: map[string]int{"string": 2}, Sizes: []Size{{Unit: "bytes", Most: 6, Bound: 256}}, Values: map[string]int{"repair": 1, "stop": 1}},
		{Path: "attempt", Standing: Declared, Count: 2, Of: 2, Kinds: map[string]int{"integer": 2}, Least: new(int64(-2)), Most: new(int64(3))},
		{Path: "extra", Standing: Unknown, Count: 1, Of: 2, Kinds: map[string]int{"object": 1}},
		{Path: "extra.deep", Standing: Unknown, Count: 1, Of: 1, Kinds: map[string]int{"boolean": 1}},
		{Path: "failure_class", Standing: Declared, Count: 2, Of: 2, Kinds: map[string]int{"string": 2}, Sizes: []Size{{Unit: "bytes", Most: 7, Bound: 256}}, Open: true},
		{Path: "max_retries", Standing: Declared, Count: 2, Of: 2, Kinds: map[string]int{"integer": 2}, Least: new(int64(7)), Most: new(int64(7))},
		{Path: "tool", Standing: Declared, Count: 2, Of: 2, Kinds: map[string]int{"null": 2}},
		{Path: "tool_call_id", Standing: Declared, Count: 2, Of: 2, Kinds: map[string]int{"string": 2}, Sizes: []Size{{Unit: "bytes", Most: 3, Bound: 256}}},
		{Path: "x_own", Standing: Free, Count: 1, Of: 2, Kinds: map[string]int{"array": 1}, Sizes: []Size{{Unit: "items", Most: 2}}},
		{Path: "x_own[]", Standing: Free, Count: 2, Of: 2, Kinds: map[string]int{"object": 2}},
		{Path: "x_own[].a", Standing: Free, Count: 2, Of: 2, Kinds: map[string]int{"integer": 1, "number": 1}, Least: new(int64(1)), Most: new(int64(1))},
	}
	if diff := cmp.Diff(want, only(t, r, "tool_retry"), cmpopts.IgnoreUnexported(Key{}, Size{})); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	s := r.Streams[0]
	if got, want := fmt.Sprintln(s.Agent, s.Version, s.Format, s.Files, s.Lines, s.Types[0].Name, len(s.Types[0].Keys)), "unknown unknown "+schema.Version+" 1 2 envelope 7\n"; got != want {
		t.Errorf("stream is %s, want %s", got, want)
	}
}

// A key that stands in an object twice is counted once, with its first value.
func TestObserver_RepeatedKey(t *testing.T) {
	r := observed(t, Source{Native: true}, `{"type":"t","a":1,"a":"x","type":"u"}`).Result(nil)
	want := []Key{
		{Path: "a", Count: 1, Of: 1, Kinds: map[string]int{"integer": 1}, Least: new(int64(1)), Most: new(int64(1))},
		{Path: "type", Count: 1, Of: 1, Kinds: map[string]int{"string": 1}, Sizes: []Size{{Unit: "bytes", Most: 1}}, Values: map[string]int{"t": 1}},
	}
	if diff := cmp.Diff(want, only(t, r, "t"), cmpopts.IgnoreUnexported(Key{}, Size{})); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
}

// streams lists what was seen as "agent version format lines/unread".
func streamsOf(r Result) (list []string) {
	for _, s := range r.Streams {
		list = append(list, fmt.Sprintf("%s %s %s %d/%d", s.Agent, s.Version, s.Format, s.Lines, s.Unread))
	}
	return list
}

// Each run is that of the agent that announces it, whatever the one before was; a
// line of another version is told apart.
func TestObserver_SeparatesStreams(t *testing.T) {
	start := func(agent string) string { return contractLine("run_started", agent) }
	o := observed(t, Source{Agent: "told", Version: "0"},
		start(`{"agent":{"name":"a","version":"1"}}`), "torn {", start(`{"agent":{"name":"a","version":"2"}}`),
		start(`{}`), start(`{"agent":{"name":"\u001b[31mred","version":7}}`), `{"no":"event"}`,
		strings.Replace(start(`{"agent":{"name":"a","version":"1"}}`), "event.v1", "event.v9", 1))
	o.add(t, Source{Agent: "claude", Native: true}, `{"type":"system","subtype":"init","claude_code_version":"2.1"}`, `{"type":"user"}`)
	want := []string{
		"* unknown " + schema.Version + " 1/0", "a 1 " + schema.Version + " 1/0", "a 1 openagent.run_event.v9 1/1", "a 2 " + schema.Version + " 1/1",
		"claude 2.1 native 2/0", "told 0 " + schema.Version + " 1/0",
	}
	if diff := cmp.Diff(want, streamsOf(o.Result(nil))); diff != "" {
		t.Errorf("streams (-want +got):\n%s", diff)
	}
}

func TestObserver_NativeTypes(t *testing.T) {
	r := observed(t, Source{Agent: "a", Version: "1", Native: true},
		`{"type":"item.completed","item":{"id":"1","type":"error"}}`, `{"type":"system","subtype":"init"}`, `{"type":"tool_use","part":{"type":"tool"}}`,
		`{"type":"x","item":[{"type":"no"}]}`, `{"untyped":1}`, `{"type":7}`, `{"type":"\u001b[2J"}`).Result(nil)
	var names []string
	for _, typ := range r.Streams[0].Types {
		names = append(names, typ.Name)
	}
	want := []string{"*", "item.completed/error", "system/init", "tool_use/tool", "x"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
}

// Names of models are data, the arguments of a call are a model's, and a name that
// could do something to a terminal is printed nowhere.
func TestObserver_KeysThatAreData(t *testing.T) {
	r := observed(t, Source{Native: true},
		`{"type":"t","models":{"m-1":{"in":1},"m-2":{"in":2}},"input":{"command":"x"},"\u001b[31m":1,"a b":2,"9":3,"`+strings.Repeat("k", 65)+`":4,"k-`+"é"+`":5,"":6}`).Result(nil)
	var paths []string
	for _, k := range r.Streams[0].Types[0].Keys {
		paths = append(paths, fmt.Sprintf("%s %d/%d", k.Path, k.Count, k.Of))
	}
	want := []string{"* 1/1", "input 1/1", "models 1/1", "models.* 1/1", "models.*.in 2/2", "type 1/1"}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
}

func TestRead_NoStream(t *testing.T) {
	recognize := func(line []byte) (string, bool, bool) { return "a", true, strings.Contains(string(line), "known") }
	for _, c := range []struct {
		text string
		want error
	}{
		{"", ErrNothing}, {"\n\n", ErrNothing}, {"prose\n[1]\n", ErrNothing}, {"{\"type\":\"torn", ErrNothing},
		{strings.Repeat("x", MaxLine+1), ErrNothing}, {strings.Repeat("[", 1000), ErrNothing},
		{"prose\n{\"other\":1}\n{\"known\":1}\n", ErrUnknown}, {"prose\n{\"known\":1}\n{\"other\":1}", nil},
	} {
		var o Observer
		err := o.Read(t.Context(), strings.NewReader(c.text), Source{Recognize: recognize})
		if !errors.Is(err, c.want) || (err == nil) != (len(o.Result(nil).Streams) == 1) {
			t.Errorf("Read(%.20q) = %v with streams %v, want %v", c.text, err, streamsOf(o.Result(nil)), c.want)
		}
	}
}

// A line of 4 MiB is read, a longer one is not, and what follows it is.
func TestRead_LongLines(t *testing.T) {
	fill := func(size int) string {
		head := `{"type":"t","text":"`
		return head + strings.Repeat("x", size-len(head)-2) + `"}`
	}
	blanks := fill(100) + strings.Repeat(" ", MaxLine)
	s := observed(t, Source{Native: true}, fill(MaxLine), fill(MaxLine+1), fill(3*MaxLine), blanks, blanks[:MaxLine+1], fill(100)).Result(nil).Streams[0]
	if s.Lines != 2 || s.Unread != 4 || s.Types[0].Bytes != MaxLine+1 {
		t.Errorf("%d lines, %d not read, longest %d; want 2, 4 and one of %d", s.Lines, s.Unread, s.Types[0].Bytes, MaxLine+1)
	}
}

// Below 16 levels nothing is gathered, and that is counted.
func TestObserver_Depth(t *testing.T) {
	for levels, want := range map[int]int{maxDepth - 1: 0, maxDepth: 1, 400: 1} {
		for _, brackets := range []string{`{"a": }`, `[ ]`} {
			open, end, _ := strings.Cut(brackets, " ")
			line := `{"type":"t","d":` + strings.Repeat(open, levels) + "1" + strings.Repeat(end, levels) + `}`
			r := observed(t, Source{Native: true}, line).Result(nil)
			got := 0
			if r.Omitted != nil {
				got = r.Omitted.Keys
			}
			if got != want || len(r.Streams[0].Types[0].Keys) != min(levels, maxDepth-1)+2 {
				t.Errorf("%d levels of %s: %d keys and %d omitted, want %d and %d", levels, brackets, len(r.Streams[0].Types[0].Keys), got, min(levels, maxDepth-1)+2, want)
			}
		}
	}
}

// Memory is bounded whatever a stream invents, what is beyond the bounds is counted,
// and keys of the contract have their place all the same.
func TestObserver_Bounds(t *testing.T) {
	var keys, deep strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&keys, `"k%d":{"a":%d},`, i, i)
	}
	fmt.Fprintf(&deep, "%s1%s", strings.Repeat(`{"d":`, 400), strings.Repeat("}", 400))
	o := observed(t, Source{},
		contractLine("run_finished", `{`+keys.String()+`"ok":true,"exit_reason":"ok","final_output":"","error":null}`),
		contractLine("run_finished", `{"x_deep":`+deep.String()+`,"ok":true,"exit_reason":"ok","final_output":"","error":null}`))
	for i := range 500 {
		var wide strings.Builder
		for j := range 100 {
			fmt.Fprintf(&wide, `"w%d":{"v%d":1},`, j, i)
		}
		o.add(t, Source{Agent: "types", Native: true}, fmt.Sprintf(`{%s"type":"wide%d"}`, &wide, i%2))
	}
	for i := range 300 {
		o.add(t, Source{Agent: fmt.Sprint("a", i)}, contractLine(fmt.Sprint("t", i), `{}`))
		o.add(t, Source{Agent: "types", Native: true}, fmt.Sprintf(`{"type":"t%d"}`, i))
	}
	r := o.Result(nil)
	all := 0
	for _, s := range r.Streams {
		for _, typ := range s.Types {
			all += len(typ.Keys)
		}
	}
	if r.Omitted == nil || r.Omitted.Keys == 0 || r.Omitted.Types == 0 || r.Omitted.Streams == 0 {
		t.Errorf("omitted is %+v, want some of each", r.Omitted)
	}
	if len(r.Streams) > maxSets+2 || all > maxNodes+3000 {
		t.Errorf("%d streams with %d keys, want at most %d and %d", len(r.Streams), all, maxSets+2, maxNodes+3000)
	}
	for _, d := range r.Drift {
		if d.Rule == ruleMissing || d.Rule == ruleKind {
			t.Errorf("drift that is none: %s", d)
		}
	}
	if got := len(slices.DeleteFunc(slices.Clone(r.Drift), func(d Drift) bool { return d.Agent != unknown })); got != maxOwn+1 {
		t.Errorf("%d keys are told to be unknown, want %d and the others", got, maxOwn)
	}
}

// The order of streams and of their lines changes nothing.
func TestResult_OrderOfLinesIsOfNoAccount(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "internal", "adapter", "testdata", "*", "*.jsonl"))
	if err != nil || len(files) < 100 {
		t.Fatalf("%d streams, %v", len(files), err)
	}
	read := func(o *Observer, file string, turned bool) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		if turned {
			slices.Reverse(lines)
		}
		source := Source{Agent: filepath.Base(filepath.Dir(file)), Version: "1", Native: true}
		err = o.Read(t.Context(), strings.NewReader(strings.Join(lines, "\n")+"\n"), source)
		if err != nil && !errors.Is(err, ErrNothing) {
			t.Fatal(err)
		}
	}
	var forth, back Observer
	for _, file := range files {
		read(&forth, file, false)
	}
	for _, file := range slices.Backward(files) {
		read(&back, file, true)
	}
	want, got := forth.Result(nil), back.Result(nil)
	if len(want.Streams) != 6 || want.Omitted != nil {
		t.Fatalf("%d streams, omitted %+v, want six and nothing", len(want.Streams), want.Omitted)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Key{}, Size{}, Type{})); diff != "" {
		t.Errorf("what was seen backwards (-want +got):\n%s", diff)
	}
}
