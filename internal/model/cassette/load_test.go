package cassette

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/text/redact"
)

func TestLoad_Errors(t *testing.T) {
	const (
		head  = "{\"schema\":\"openagent.cassette.v1\"}\n"
		first = "{\"request\":1,\"method\":\"POST\",\"path\":\"/v1\"}\n"
		ok    = "{\"status\":200}\n"
		end   = "{\"end\":\"whole\"}\n"
	)
	for text, want := range map[string]string{
		"":                   "c.jsonl: the cassette holds no exchange",
		head:                 "c.jsonl: the cassette holds no exchange",
		"- text: a script\n": `c.jsonl:1: no cassette, which begins with {"schema":"openagent.cassette.v1"}; --cassette-mode record makes one`,
		"{\"schema\":\"openagent.cassette.v3\"}\n":                                          `c.jsonl:1: schema is "openagent.cassette.v3", want "openagent.cassette.v1" or "openagent.cassette.v2": no cassette, or one for another version of this program`,
		"{\"schema\":\"openagent.cassette.v2\"}\n":                                          `c.jsonl:1: want the name of an agent with "openagent.cassette.v2" and with no other schema`,
		"{\"schema\":\"openagent.cassette.v1\",\"agent\":{\"name\":\"a\"}}\n":               `c.jsonl:1: want the name of an agent with "openagent.cassette.v2" and with no other schema`,
		"{\"schema\":\"openagent.cassette.v2\",\"agent\":{\"name\":\"a\",\"key\":\"b\"}}\n": `c.jsonl:1: json: unknown field "key"`,
		"{\"schema_version\":\"openagent.run_event.v1\"}\n":                                 `c.jsonl:1: schema is "", want`,
		"{\"schema\":\"openagent.cassette.v1\",\"x\":1}\n":                                  `c.jsonl:1: json: unknown field "x"`,
		head + "[]\n":              "c.jsonl:2: no JSON object: ",
		head + "{\"else\":1}\n":    "c.jsonl:2: want a line with request, part, status, ",
		head + "{\"request\":1}\n": "c.jsonl:2: want a method and a path that begins with a slash",
		head + strings.Replace(first, "/v1", "http://h", 1):     "c.jsonl:2: want a method and a path that begins with a slash",
		head + strings.Replace(first, "1", "2", 1):              "c.jsonl:2: request is 2, want 1",
		head + strings.Replace(first, "}", ",\"status\":2}", 1): `c.jsonl:2: json: unknown field "status"`,
		head + first + ok + end + first:                         "c.jsonl:5: request is 1, want 2",
		head + first + first:                                    "c.jsonl:3: a request inside an exchange: the end of the one that begins on line 2 is missing",
		head + "{\"part\":\"a\",\"value\":1}\n":                 "c.jsonl:2: a part of a request outside one",
		head + first + ok + "{\"part\":\"a\",\"value\":1}\n":    "c.jsonl:4: a part of a request outside one",
		head + first + "{\"part\":\"a\"}\n":                     "c.jsonl:3: want a value, or gone for a part of the request before",
		head + first + "{\"part\":\"a\",\"gone\":true}\n":       "c.jsonl:3: want a value, or gone for a part of the request before",
		head + ok:                               "c.jsonl:2: a status outside an exchange, or a second one",
		head + first + ok + ok:                  "c.jsonl:4: a status outside an exchange, or a second one",
		head + first + "{\"status\":99}\n":      "c.jsonl:3: status is 99, want 200 to 999",
		head + first + "{\"status\":\"200\"}\n": "c.jsonl:3: json: cannot unmarshal",
		head + first + "{\"status\":200,\"headers\":{\"Date\":\"x\"}}\n": `c.jsonl:3: header "Date"; known: Content-Type, Location, Retry-After`,
		head + first + "{\"text\":\"x\"}\n":                              "c.jsonl:3: a piece of an answer before its status",
		head + first + ok + "{\"text\":\"x\",\"json\":{}}\n":             "c.jsonl:4: want one of data (with or without event), json, text and base64",
		head + first + ok + "{\"text\":\"x\",\"event\":\"e\"}\n":         "c.jsonl:4: want one of data (with or without event), json, text and base64",
		head + first + ok + "{\"text\":\"\"}\n":                          "c.jsonl:4: want one of data (with or without event), json, text and base64",
		head + end:                                                       "c.jsonl:2: an end outside an exchange",
		head + first + end:                                               `c.jsonl:3: end is "whole" without a status, want cut or timeout`,
		head + first + ok + "{\"end\":\"soon\"}\n":                       `c.jsonl:4: end is "soon", want whole, left, cut or timeout`,
		head + first + ok + end + "{\"request\":2} {}\n":                 "c.jsonl:5: no JSON object: ",
		head + first + ok + end + "{\"requ":                              "c.jsonl:5: the file ends inside this line, inside an exchange: record it anew, or delete its lines from 5 on",
		head + first + ok + "{\"te":                                      "c.jsonl:4: the file ends inside this line, inside an exchange: record it anew, or delete its lines from 2 on",
		head + first + ok:                                                "c.jsonl:3: the file ends after this line, inside an exchange: record it anew, or delete its lines from 2 on",
	} {
		c, err := Load("c.jsonl", []byte(text), nil)
		if err == nil || !strings.HasPrefix(err.Error(), want) || c != nil {
			t.Errorf("Load of\n%s= %v, want %s", text, err, want)
		}
	}
}

// Wherever a kill tears a file, it is refused, or is the whole of a shorter
// recording, whose last line may lack its end, as some editors leave it.
func TestLoad_TornAnywhere(t *testing.T) {
	text, _ := goldenCassette(t)
	for cut := range len(text) + 1 {
		c, err := Load("c", []byte(text[:cut]), nil)
		line := strings.TrimSuffix(text[:cut], "\n")
		atEnd := strings.HasSuffix(line, "\"whole\"}") || strings.HasSuffix(line, "\"cut\"}")
		if (err == nil) != atEnd {
			t.Errorf("a file of %d bytes, ending in %q: %v, want it refused: %v", cut, text[max(0, cut-20):cut], err, !atEnd)
		}
		if err == nil {
			if whole := strings.Count(line, "\n{\"end\":"); len(c.exchanges) != whole {
				t.Errorf("a file of %d bytes holds %d exchanges, want %d", cut, len(c.exchanges), whole)
			}
		}
	}
}

// encodeAll writes a loaded cassette again.
func encodeAll(c *Cassette) []byte {
	out := appendLine(nil, headerLine{Schema: schemaName})
	var last []part
	for i := range c.exchanges {
		out = append(out, c.exchanges[i].encode(i+1, last)...)
		last = c.exchanges[i].body
	}
	return out
}

func TestLoad_WrittenAgainIsTheSame(t *testing.T) {
	text, c := goldenCassette(t)
	if diff := cmp.Diff(strings.Split(text, "\n"), strings.Split(string(encodeAll(c)), "\n")); diff != "" {
		t.Errorf("the cassette written again (-want +got):\n%s", diff)
	}
}

// A line edited by hand may space its JSON otherwise.
func TestLoad_PartsAreMadeCanonical(t *testing.T) {
	edited := strings.Replace(twoRequests, `{"content":"list","role":"user"}`, `{ "role": "user", "content": "\u006cist" }`, 1)
	c, err := Load("c", []byte(edited), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.exchanges[0].body, two(t).exchanges[0].body) {
		t.Errorf("parts are %v, want %v", c.exchanges[0].body, two(t).exchanges[0].body)
	}
}

func FuzzLoad(f *testing.F) {
	text, _ := goldenCassette(f)
	f.Add([]byte(text))
	f.Add([]byte(twoRequests))
	f.Add([]byte("{\"schema\":\"openagent.cassette.v1\"}\n{\"request\":1,\"method\":\"P\",\"path\":\"/\"}\n{\"part\":\"a/10\",\"value\":1e9}\n{\"end\":\"cut\"}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Load("c", data, redact.New([]string{testKey}))
		if err != nil {
			return
		}
		again, err := Load("c", encodeAll(c), nil)
		if err != nil {
			t.Fatalf("a loaded cassette, written again: %v\n%s", err, encodeAll(c))
		}
		for i := range c.exchanges {
			a, b := &c.exchanges[i], &again.exchanges[i]
			if !a.sameRequest(b) || a.status != b.status || a.end != b.end || len(a.answer) != len(b.answer) {
				t.Errorf("exchange %d written again is %+v, was %+v", i+1, b, a)
			}
			_, _ = c.Path()
			_ = c.Model()
			_ = c.show(i, c.used, differences(&c.exchanges[i], b))
		}
	})
}

// Whatever the bodies, what is recorded is found again by the same bodies.
func FuzzBodyParts(f *testing.F) {
	f.Add([]byte(`{"a":[1,2,3],"b/c":{"~":null},"":""}`), []byte(`{"a":[1],"b":2}`))
	f.Add([]byte(`{"a":[0,1,2,3,4,5,6,7,8,9,10,11]}`), []byte(`no`))
	f.Add([]byte(`{"a":{}}`), []byte("\xff"))
	f.Fuzz(func(t *testing.T, one, two []byte) {
		out := appendLine(nil, headerLine{Schema: schemaName})
		var last []part
		for i, body := range [][]byte{one, two, one} {
			x := exchange{method: "POST", path: "/", body: bodyParts(body, nil), end: endCut}
			out = append(out, x.encode(i+1, last)...)
			last = x.body
		}
		c, err := Load("c", out, nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for i, body := range [][]byte{one, two, one} {
			if got := bodyParts(body, nil); !slices.Equal(c.exchanges[i].body, got) {
				t.Errorf("request %d is %v, was recorded as %v", i+1, got, c.exchanges[i].body)
			}
		}
	})
}

// Whatever an answer is, its pieces give it back, but for the spelling of what
// a client does not read.
func FuzzSplit(f *testing.F) {
	f.Add([]byte(": x\n\nevent: a\r\ndata: {\"id\": 1}\r\n\r\ndata:[DONE]\n\n"), true)
	f.Add([]byte("data: {\"a\":\"\\ud800\"}\n\ndata: \xff"), false)
	f.Add([]byte("\n\n\ndata: {}\ndata: {}\n\n:"), true)
	f.Fuzz(func(t *testing.T, body []byte, events bool) {
		media := "text/html"
		if events {
			media = mediaEvents
		}
		var got []byte
		pieces := split(body, media)
		for i := range pieces {
			got = append(got, pieces[i].bytes()...)
		}
		if want := readEvents(body); !cmp.Equal(want, readEvents(got)) {
			t.Errorf("split(%q) gives back %q, whose events are %q, want %q", body, got, readEvents(got), want)
		}
		normalize(pieces, "")
		maskAnswer(redact.New([]string{testKey}), pieces)
	})
}

// readEvents reads an event stream as clients do, JSON without its white space.
func readEvents(body []byte) (events []string) {
	var name, data string
	for line := range bytes.Lines(body) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case len(line) == 0:
			if data != "" {
				events = append(events, fmt.Sprintf("%s|%s", name, compacted(data)))
			}
			name, data = "", ""
		case string(field) == "event":
			name = string(value)
		case string(field) == "data":
			data += string(value) + "\n"
		}
	}
	return events
}

func compacted(data string) string {
	if isObject([]byte(data)) {
		return string(compact([]byte(data)))
	}
	return data
}

// The example in the documentation is a cassette.
func TestLoad_ExampleOfTheDocs(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "testing.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n## Cassettes\n")
	_, rest, _ = strings.Cut(rest, "```json\n")
	example, _, ok := strings.Cut(rest, "```")
	c, err := Load("example", []byte(example), nil)
	if err != nil || !ok || len(c.exchanges) != 2 {
		t.Fatalf("the example of docs/testing.md: %v, want two exchanges", err)
	}
	if diff := cmp.Diff(example, string(encodeAll(c))); diff != "" {
		t.Errorf("the example, written again (-docs +written):\n%s", diff)
	}
}
