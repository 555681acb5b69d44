package wire

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPieces_JoinToTheWhole(t *testing.T) {
	for _, s := range []string{"", "a", strings.Repeat("ä", 100), strings.Repeat("x", 10000), "\xff\xff\x80" + strings.Repeat("\x80", 50)} {
		got := pieces(s, textPieces, textPiece)
		if strings.Join(got, "") != s || len(got) > textPieces {
			t.Errorf("pieces(%.20q) = %d parts, want at most %d that make up the text", s, len(got), textPieces)
		}
	}
}

func TestPieces_CutsBetweenCodePoints(t *testing.T) {
	for _, tt := range []struct {
		text        string
		count, size int
		want        []string
	}{
		{"", 4, 8, nil}, {"12345678", 4, 8, []string{"12345678"}}, {"123456789", 4, 8, []string{"12345678", "9"}},
		{strings.Repeat("x", 33), 4, 8, []string{"xxxxxxxxx", "xxxxxxxxx", "xxxxxxxxx", "xxxxxx"}},
		{"1234567é9", 4, 8, []string{"1234567é", "9"}}, {"éé", 1, 1, []string{"éé"}},
	} {
		if diff := cmp.Diff(tt.want, pieces(tt.text, tt.count, tt.size)); diff != "" {
			t.Errorf("pieces(%q, %d, %d) (-want +got):\n%s", tt.text, tt.count, tt.size, diff)
		}
	}
}

func TestFind(t *testing.T) {
	for path, want := range map[string]struct {
		wire, base string
		ask        Ask
	}{
		"/v1/chat/completions":          {"chat", "/v1", Answer},
		"/a/b/chat/completions/":        {"chat", "/a/b", Answer},
		"/v1/responses":                 {"responses", "/v1", Answer},
		"/v1/models":                    {"chat", "/v1", Models},
		"/v1/models/a/b":                {"chat", "/v1", Model},
		"/v1/messages":                  {"anthropic", "", Answer},
		"/a/v1/messages/":               {"anthropic", "/a", Answer},
		"/v1/models/m/chat/completions": {"chat", "/v1/models/m", Answer},
		"/v1/messages/x":                {"", "", Nothing},

		"/v1/messages/count_tokens": {"anthropic", "", Tokens},
		"/v1/responses/x":           {"", "", Nothing},
		"/":                         {"", "", Nothing},
	} {
		w, ask, base := Find(path, nil)
		name := ""
		if w != nil {
			name = w.Name
		}
		if name != want.wire || ask != want.ask || base != want.base {
			t.Errorf("Find(%q) = %q, %d, %q, want %v", path, name, ask, base, want)
		}
	}
}

func TestParse_Tools(t *testing.T) {
	for name, body := range map[string]string{
		"chat":      `{"model":"m","stream":true,"messages":[{"role":"user"}],"tools":[{"type":"function","function":{"name":"a","parameters":{"x":1}}},{"type":"custom","custom":{"name":"b"}}]}`,
		"anthropic": `{"model":"m","stream":true,"messages":[{"role":"user"}],"tools":[{"name":"a","input_schema":{"x":1}},{"type":"bash_20250124","name":"b"},{"type":"mcp_toolset"}]}`,
		"responses": `{"model":"m","stream":true,"input":"hi","tools":[{"type":"function","name":"a","parameters":{"x":1}},{"type":"custom","name":"b"},{"type":"web_search"}]}`,
	} {
		r, err := ByName(name).Parse(nil, []byte(body))
		if diff := cmp.Diff([]Tool{{"a", []byte(`{"x":1}`)}, {Name: "b"}}, r.Tools); diff != "" || err != nil || r.Model != "m" || !r.Stream {
			t.Errorf("%s: Parse() = model %q, stream %t, %v; tools (-want +got):\n%s", name, r.Model, r.Stream, err, diff)
		}
	}
}
