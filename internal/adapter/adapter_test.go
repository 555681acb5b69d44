package adapter_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/internal/testkit/testenv"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

var update = flag.Bool("update", false, "write the golden streams anew")

func TestMain(m *testing.M) {
	testenv.Clean()
	os.Exit(m.Run())
}

// converted is what became of a source.
type converted struct {
	lines  []byte
	events []schema.Event
	facts  []emit.Fact
	emit.Result
}

// terminal returns the payload of the last line.
func (c converted) terminal() *schema.RunFinished {
	if len(c.events) == 0 {
		return nil
	}
	f, _ := c.events[len(c.events)-1].Data.(*schema.RunFinished)
	return f
}

// arrival is when the first line of a source arrives in tests, the next ones a
// millisecond after each other.
var arrival = time.Date(2026, 11, 20, 20, 0, 0, 0, time.UTC)

// convert converts a source and fails unless what comes out is a strictly valid
// stream.
func convert(t testing.TB, agent, source string, end emit.End) converted {
	t.Helper()
	return convertWith(t, agent, source, end, emit.Options{})
}

func convertWith(t testing.TB, agent, source string, end emit.End, o emit.Options) converted {
	t.Helper()
	a, err := adapter.ByName(agent)
	if err != nil {
		t.Fatal(err)
	}
	now := arrival.Add(-time.Millisecond)
	var c converted
	o.RunID, o.Saved = "run-1", true
	o.Now = func() time.Time { now = now.Add(time.Millisecond); return now }
	o.Emit = func(_ schema.Event, line []byte) { c.lines = append(c.lines, line...) }
	o.Note = func(f emit.Fact) { c.facts = append(c.facts, f) }
	conv := a.New(o)
	for line := range strings.Lines(source) {
		conv.Line([]byte(line))
	}
	c.Result = conv.Close(end)
	stream := validate.NewStream(validate.Options{Strict: true})
	for line := range bytes.Lines(c.lines) {
		report(t, stream.Line(line), source, c.lines)
		e, err := schema.Decode(line)
		if err != nil {
			t.Fatal(err)
		}
		c.events = append(c.events, e)
	}
	report(t, stream.Close(), source, c.lines)
	return c
}

func report(t testing.TB, found []validate.Finding, source string, lines []byte) {
	t.Helper()
	for _, f := range found {
		t.Errorf("converted stream: line %d: %s: %s", f.Line, f.Rule, f.Message)
	}
	if len(found) > 0 {
		t.Fatalf("source:\n%.3000s\nconverted:\n%.6000s", source, lines)
	}
}

func exited(status int) emit.End { return emit.End{ExitStatus: &status} }

func signalled(n int) emit.End { return emit.End{Signal: n} }

// sample is a genuine stream and how its agent ended.
type sample struct {
	agent, name, text string
	end               emit.End
}

// ends has how the processes behind the samples ended, where not with status 0.
var ends = map[string]emit.End{
	"claude/http-400": exited(1),
	"claude/http-401": {ExitStatus: new(143), TimedOut: true},
	"claude/no-key":   exited(1),
	"claude/sigkill":  signalled(9),
	"claude/sigterm":  exited(143),

	"codex/cut-always":     exited(1),
	"codex/http-400":       exited(1),
	"codex/http-401":       exited(1),
	"codex/http-429-twice": exited(1),
	"codex/http-500":       exited(1),
	"codex/no-key":         exited(1),
	"codex/server-down":    {TimedOut: true, Signal: 15},
	"codex/sigint":         exited(1),
	"codex/sigterm":        signalled(15),

	"copilot/http-400":    exited(1),
	"copilot/http-401":    exited(1),
	"copilot/server-down": exited(1),
	"copilot/sigterm":     signalled(15),

	"gemini/cut-once":      exited(1),
	"gemini/http-400":      exited(400 % 256),
	"gemini/http-400-late": exited(400 % 256),
	"gemini/http-401":      exited(401 % 256),
	"gemini/http-500":      exited(500 % 256),
	"gemini/server-down":   {TimedOut: true, Signal: 9},

	"opencode/cut-always":    exited(1),
	"opencode/http-400-late": exited(1),
	"opencode/http-401":      exited(1),
	"opencode/http-500":      exited(1),
	"opencode/sigterm":       signalled(15),

	"qwen/cut-always":    exited(1),
	"qwen/http-400-late": exited(1),
	"qwen/http-401":      exited(1),
	"qwen/no-key":        exited(1),
	"qwen/server-down":   exited(1),
	"qwen/sigint":        signalled(2),
	"qwen/sigterm":       signalled(15),
	"qwen/sigterm-group": signalled(15),
}

func samples(t testing.TB) (list []sample) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "*", "*.jsonl"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no samples", err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, ".golden.jsonl") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s := sample{agent: filepath.Base(filepath.Dir(path)), name: strings.TrimSuffix(filepath.Base(path), ".jsonl"), text: string(text)}
		var ok bool
		if s.end, ok = ends[s.agent+"/"+s.name]; !ok {
			s.end = exited(0)
		}
		list = append(list, s)
	}
	return list
}

// Each sample becomes the stream that stands beside it.
func TestSamples(t *testing.T) {
	for _, s := range samples(t) {
		t.Run(s.agent+"/"+s.name, func(t *testing.T) {
			got := convert(t, s.agent, s.text, s.end)
			text := fmt.Sprintf("%s%v observed=%t facts=%v\n", got.lines, got.Class, got.Observed, got.facts)
			path := filepath.Join("testdata", s.agent, s.name+".golden.jsonl")
			if *update {
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), text); diff != "" {
				t.Errorf("converted stream (-want +got):\n%s", diff)
			}
		})
	}
}

// Whatever is missing of a source, doubled or in its place: one strictly valid
// stream, and a success only where the source's own terminal was read whole.
func TestSamples_Damaged(t *testing.T) {
	for _, s := range samples(t) {
		t.Run(s.agent+"/"+s.name, func(t *testing.T) {
			t.Parallel()
			whole := convert(t, s.agent, s.text, exited(0))
			terminal := lastLineThatMatters(t, s, whole)
			step := 97
			switch {
			case os.Getenv("OPENAGENT_TEST_LONG") != "":
				step = 1
			case len(s.text) <= 1<<12 && !testing.Short():
				step = 7
			}
			for n := 0; n < len(s.text); n += step {
				got := convert(t, s.agent, s.text[:n], exited(0))
				if ok := got.terminal().OK; ok && n < terminal {
					t.Fatalf("success of the first %d bytes, want the source's terminal read to byte %d", n, terminal)
				}
			}
			lines := strings.SplitAfter(strings.TrimSuffix(s.text, "\n"), "\n")
			for i := range lines {
				for _, with := range []string{"", lines[i] + lines[i], "{}\n", `{"type":"never.seen"}` + "\n", "prose\n"} {
					source := strings.Join(lines[:i], "") + with + strings.Join(lines[i+1:], "")
					got := convert(t, s.agent, source, exited(0))
					if got.terminal().OK && !strings.Contains(source, s.text[lastLine(s.text, terminal):terminal]) {
						t.Fatalf("success without the source's terminal, line %d replaced by %q", i+1, with)
					}
					if with == "prose\n" && got.Class == emit.Success {
						t.Fatalf("success of a source with prose in line %d", i+1)
					}
				}
			}
		})
	}
}

// lastLineThatMatters returns how many bytes of a sample have to be read for its
// success, all of them when it has none.
func lastLineThatMatters(t *testing.T, s sample, whole converted) int {
	if !whole.terminal().OK {
		return len(s.text)
	}
	n := len(strings.TrimSuffix(s.text, "\n"))
	for {
		before := strings.LastIndexByte(s.text[:n], '\n')
		if before < 0 || !convert(t, s.agent, s.text[:before], exited(0)).terminal().OK {
			return n
		}
		n = before
	}
}

// lastLine returns where the line that ends at end begins.
func lastLine(text string, end int) int { return strings.LastIndexByte(text[:end], '\n') + 1 }

// The first line of a stream says whose it is, unless its agent masked it, or
// failed before it came to that.
func TestDetect(t *testing.T) {
	silent := map[string]bool{"copilot/n1-one-char-key": true, "qwen/no-key": true}
	for _, s := range samples(t) {
		want := s.agent
		if silent[s.agent+"/"+s.name] {
			want = ""
		}
		first, _, _ := strings.Cut(s.text, "\n")
		if got, readable := adapter.Detect([]byte(first)); got != want || !readable {
			t.Errorf("Detect of the first line of %s/%s: got %q, %t, want %q", s.agent, s.name, got, readable, want)
		}
	}
}

// What a line has behind the bytes that are read of it may be anything, so even a
// whole object before that says nothing.
func TestConverter_LineTooLong(t *testing.T) {
	begin := `{"type":"thread.started","thread_id":"t"}` + "\n"
	end := `{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}`
	end += strings.Repeat(" ", emit.MaxLine-len(end))
	for _, tt := range []struct {
		name, line string
		want       []emit.Fact
	}{
		{"longest", end + "\n", nil},
		{"longest, without LF", end, nil},
		{"too long", end + " \n", []emit.Fact{{Line: 2, Kind: emit.Unreadable, Name: "too long"}}},
		{"too long, cut", end + " ", []emit.Fact{{Line: 2, Kind: emit.Unreadable, Name: "too long"}}},
		{"too long, before the end", end + " \n" + strings.TrimSpace(end), []emit.Fact{{Line: 2, Kind: emit.LeftOut}}},
	} {
		got := convert(t, "codex", begin+tt.line, emit.End{})
		if diff := cmp.Diff(tt.want, got.facts); diff != "" {
			t.Errorf("%s: facts (-want +got):\n%s", tt.name, diff)
		}
		if ok := len(tt.want) == 0 || tt.want[0].Kind == emit.LeftOut; got.terminal().OK != ok {
			t.Errorf("%s: ok is %v, want %v", tt.name, !ok, ok)
		}
	}
}

// What a shell or a wrapper does to a whole stream is read, or named.
func TestConverter_Encodings(t *testing.T) {
	stream := strings.Join([]string{
		`{"type":"thread.started","thread_id":"t"}`, `{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}`, "",
	}, "\n")
	var utf16 strings.Builder
	for _, c := range "\ufeff" + stream {
		utf16.Write([]byte{byte(c), byte(c >> 8)})
	}
	for name, tt := range map[string]struct {
		source, why string
	}{
		"blank lines":       {"\n \n" + strings.ReplaceAll(stream, "\n", "\n\n\t\n"), ""},
		"CR LF":             {strings.ReplaceAll(stream, "\n", "\r\n\r\n"), ""},
		"a byte order mark": {"\ufeff" + stream, ""},
		"UTF-16":            {utf16.String(), "UTF-16 instead of UTF-8"},
		"NUL":               {"\x00\x00\x00\x00\n" + stream, "no JSON object"},
	} {
		got := convert(t, "codex", tt.source, exited(0))
		why := ""
		if len(got.facts) > 0 {
			why = got.facts[0].Name
		}
		if why != tt.why || (got.Class == emit.Success) != (tt.why == "") {
			t.Errorf("%s: %s, facts %v, want %q", name, got.Class, got.facts, tt.why)
		}
	}
}

// One value at the end, which an agent prints without the options for a stream, is not
// taken for a run without calls.
func TestConverter_AtEnd(t *testing.T) {
	const result = `{"type":"result","subtype":"success","is_error":false,"result":"hi","session_id":"s","total_cost_usd":0.1}`
	const begin = `{"type":"system","subtype":"init","session_id":"s","claude_code_version":"2.1.332"}`
	for name, tt := range map[string]struct{ agent, source string }{
		"claude":          {"claude", result},
		"claude, verbose": {"claude", "[" + begin + "," + result + "]"},
		"a torn list":     {"claude", "[" + begin + "," + result[:40]},
		"over lines":      {"claude", "[\n" + begin + "\n]"},
		"gemini":          {"gemini", "{\n  \"session_id\": \"s\",\n  \"response\": \"hi\"\n}\n"},
	} {
		got := convert(t, tt.agent, tt.source, exited(0))
		if len(got.facts) != 1 || got.facts[0].Kind != emit.AtEnd || got.Class != emit.Violation {
			t.Errorf("%s: %s, facts %v, want the one fact AtEnd", name, got.Class, got.facts)
		}
		if found, _ := adapter.Detect([]byte(tt.source)); tt.agent == "claude" && name != "over lines" && found != "claude" {
			t.Errorf("Detect of %s = %q, want claude", name, found)
		}
	}
}

// Whatever an agent prints becomes one strictly valid stream, which is a success
// only when the source says so; what keeps it from being one then is among the facts.
func FuzzConverter(f *testing.F) {
	for _, s := range samples(f) {
		if len(s.text) < 1<<12 {
			f.Add(uint8(slices.Index(adapter.Names(), s.agent)), s.text)
		}
	}
	f.Add(uint8(slices.Index(adapter.Names(), "gemini")), geminiInit+"\n{\n"+geminiOK+"\n")
	f.Fuzz(func(t *testing.T, agent uint8, source string) {
		names := adapter.Names()
		got := convert(t, names[int(agent)%len(names)], source, exited(0))
		ok := got.terminal().OK
		doubted := got.Class == emit.Violation && len(got.facts) > 0
		if success := got.Class == emit.Success; success && !ok || ok && !(success || doubted) || ok && !got.Observed {
			t.Errorf("class %s, observed %t, terminal %+v, facts %v", got.Class, got.Observed, got.terminal(), got.facts)
		}
	})
}
