package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/url"
	"strings"
	"testing"
)

const secret = `sk-test-A1b2"C3/d4+e5`

func TestString_CoversEveryForm(t *testing.T) {
	r := New([]string{secret})
	quoted, err := json.Marshal(secret)
	if err != nil {
		t.Fatal(err)
	}
	for name, form := range map[string]string{
		"plain":      secret,
		"hex":        hex.EncodeToString([]byte(secret)),
		"upper hex":  strings.ToUpper(hex.EncodeToString([]byte(secret))),
		"url query":  url.QueryEscape(secret),
		"url path":   url.PathEscape(secret),
		"json":       strings.Trim(string(quoted), `"`),
		"base64":     base64.StdEncoding.EncodeToString([]byte(secret)),
		"base64 raw": base64.RawURLEncoding.EncodeToString([]byte(secret)),
		"base64 +1":  base64.StdEncoding.EncodeToString([]byte("x" + secret + "yz")),
		"base64 +2":  base64.StdEncoding.EncodeToString([]byte("xy" + secret + "z")),
		"base64 +3":  base64.StdEncoding.EncodeToString([]byte("xyz" + secret + ":")),
	} {
		got := r.String("a " + form + " b")
		if !strings.Contains(got, Mask) || strings.Contains(got, form[4:len(form)-4]) {
			t.Errorf("%s: String(%q) = %q, want it masked", name, form, got)
		}
	}
	for _, plain := range []string{"", "sk-test", "nothing here", "the key is under the mat"} {
		if got := r.String(plain); got != plain {
			t.Errorf("String(%q) = %q, want it unchanged", plain, got)
		}
	}
}

// Other writers escape other signs than the library of Go does.
func TestString_SpellingsOfOtherWriters(t *testing.T) {
	const secret = `sk-test/0+1"2<3'4ü5 6789`
	r := New([]string{secret})
	for name, form := range map[string]string{
		"query in lower case": "sk-test%2f0%2b1%222%3c3%274%c3%bc5+6789", "JavaScript": "sk-test%2F0%2B1%222%3C3'4%C3%BC5%206789",
		"Python": "sk-test/0%2B1%222%3C3%274%C3%BC5%206789", "JSON in ASCII": `sk-test/0+1\"2<3'4\u00fc5 6789`, "PHP": `sk-test\/0+1\"2<3'4\u00fc5 6789`,
		"XML of Go": "sk-test/0+1&#34;2&lt;3&#39;4ü5 6789", "XML": "sk-test/0+1&quot;2&lt;3&#39;4ü5 6789",
	} {
		if got := r.String("a " + form + " b"); got != "a "+Mask+" b" {
			t.Errorf("%s: String(%s) = %s, want it masked", name, form, got)
		}
	}
}

func TestString_EveryCharacterEscaped(t *testing.T) {
	r := New([]string{"sk-test-Kü😀"})
	for _, form := range []string{
		`\u0073\u006b\u002d\u0074\u0065\u0073\u0074\u002d\u004b\u00fc\ud83d\ude00`, `\u0073\u006B\u002D\u0074\u0065\u0073\u0074\u002D\u004B\u00FC\uD83D\uDE00`,
		"%73%6b%2d%74%65%73%74%2d%4b%c3%bc%f0%9f%98%80", "%73%6B%2D%74%65%73%74%2D%4B%C3%BC%F0%9F%98%80",
	} {
		if got := r.String("a " + form + " b"); got != "a "+Mask+" b" {
			t.Errorf("String(%s) = %s, want it masked", form, got)
		}
	}
}

// What a terminal does not show does not hide a secret; a text without one
// keeps it.
func TestKnown_SecretBehindControls(t *testing.T) {
	r := New([]string{"sk-test-abcdefgh"})
	for in, want := range map[string]string{
		"\x1b[1ma\x1b[0m":                     "\x1b[1ma\x1b[0m",
		"x\tsk-te\x1b[1mst-abcdefgh\n":        "x\t[redacted]\n",
		"sk-te\x00st-abc\u202edefgh":          "[redacted]",
		"sk-te\x1b]8;;u\x1b\\st-abcdefgh":     "[redacted]",
		"sk-te\u200bst-abc\ufeff\u00addefgh":  "[redacted]",
		"s\bk-test-abcdefgh sk-test-abcdefgh": "[redacted] [redacted]",
		"\x1b[1msk-test-abcdefgh\x1b[0m":      "\x1b[1m[redacted]\x1b[0m",
		"ü\xff\u202esk-test-ab\u200fcdefgh":   "ü\xff\u202e[redacted]",
		"sk-test-abc\n\ndefg":                 "sk-test-abc\n\ndefg",
	} {
		if got, n := r.Known(in); got != want || n != strings.Count(want, Mask) {
			t.Errorf("Known(%q) = %q, %d, want %q", in, got, n, want)
		}
	}
	if got, n := r.JSONLine([]byte(`{"a":"sk-te\u001b[1mst-abcdefgh"}`)); string(got) != `{"a":"[redacted]"}` || n != 1 {
		t.Errorf("JSONLine = %s, %d, want the secret masked", got, n)
	}
}

func TestNew_LeavesShortValuesAlone(t *testing.T) {
	if got := New([]string{"short12"}).String("a short12 b"); got != "a short12 b" {
		t.Errorf("String = %q, want it unchanged: seven bytes are no secret", got)
	}
}

func TestNew_SecretOfSeveralLines(t *testing.T) {
	r := New([]string{"first-line-123\nsecond-line-45\n"})
	if got := r.String("x second-line-45 y"); got != "x "+Mask+" y" {
		t.Errorf("String = %q, want the line masked", got)
	}
}

func TestString_Patterns(t *testing.T) {
	var r Redactor
	for in, want := range map[string]string{
		"MY_TOKEN=abc123 x":                      "MY_TOKEN=[redacted] x",
		`DB_PASSWORD="two words" x`:              "DB_PASSWORD=[redacted] x",
		"export AWS_SECRET_ACCESS_KEY=a/b+c":     "export AWS_SECRET_ACCESS_KEY=[redacted]",
		"mysql --password hunter2 db":            "mysql --password [redacted] db",
		"mysql --password=hunter2 db":            "mysql --password=[redacted] db",
		"https://bob:pw@example.com/x":           "https://[redacted]@example.com/x",
		"Authorization: Bearer abcdef123456":     "Authorization: Bearer [redacted]",
		"authorization: basic YWJjOmRlZg==":      "authorization: basic [redacted]",
		"X-Api-Key: abc":                         "X-Api-Key: [redacted]",
		"x-API-KEY: abc, bEaReR abcdef123456":    "x-API-KEY: [redacted], bEaReR [redacted]",
		"ACCESS_token=abc":                       "ACCESS_token=[redacted]",
		`{"access_token":"abc"}`:                 `{"access_token":"[redacted]"}`,
		"?access_token=abc&x=1":                  "?access_token=[redacted]&x=1",
		"-----BEGIN RSA PRIVATE KEY-----\nMII\n": "[redacted]",
		"a\n-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQ\n-----END PGP PRIVATE KEY BLOCK-----\nb": "a\n[redacted]\nb",
		"a\n-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----\nb":                      "a\n[redacted]\nb",
		"https://example.com/a@b": "https://example.com/a@b",
		"max_tokens=5":            "max_tokens=5",
		"a basic idea":            "a basic idea",
	} {
		if got := r.String(in); got != want {
			t.Errorf("String(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestJSONLine_OnlyInsideStrings(t *testing.T) {
	r := New([]string{"sk-test-abcdefgh", "sequence"})
	in := `{"sequence":1,"a":"x sk-test-abcdefgh \u0073k-test-abcdefgh","b":["sequence"],"c" : "d"}` + "\n"
	want := `{"sequence":1,"a":"x [redacted] [redacted]","b":["[redacted]"],"c" : "d"}` + "\n"
	got, n := r.JSONLine([]byte(in))
	if string(got) != want || n != 3 {
		t.Errorf("JSONLine = %q, %d, want %q, 3", got, n, want)
	}
	clean := []byte(`{"a":"b"}`)
	if got, n := r.JSONLine(clean); n != 0 || &got[0] != &clean[0] {
		t.Errorf("JSONLine(%s) = %s, %d, want the same bytes", clean, got, n)
	}
	if got, n := r.JSONLine([]byte(`torn {"a":"sk-test-abcdefgh`)); n != 1 || strings.Contains(string(got), "abcdefgh") {
		t.Errorf("JSONLine(torn) = %q, %d, want the secret masked as plain text", got, n)
	}
}

func TestJSON_MasksPatternsInValues(t *testing.T) {
	got := string(New(nil).JSON([]byte(`{"A_KEY=x":"A_KEY=x","n":[1,{"c":"plain"}]}`)))
	if want := `{"A_KEY=x":"A_KEY=[redacted]","n":[1,{"c":"plain"}]}`; got != want {
		t.Errorf("JSON = %s, want %s", got, want)
	}
}

func TestWriter_FindsSecretsOverChunkEdges(t *testing.T) {
	r := New([]string{secret})
	text := "before " + secret + " after\n" + strings.Repeat("x", 100_000) + secret + strings.Repeat("y", 70_000) +
		"\n-----BEGIN PRIVATE KEY-----\nMIIE\nMIIF\n-----END PRIVATE KEY-----\nlast " + secret
	for _, chunk := range []int{1, 7, 64, 4096, 65_535, len(text)} {
		var out bytes.Buffer
		w := NewWriter(&out, r)
		for rest := []byte(text); len(rest) > 0; {
			n := min(chunk, len(rest))
			if _, err := w.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got := out.String()
		if strings.Contains(got, "A1b2") || strings.Contains(got, "MIIF") || strings.Count(got, Mask) != 4 {
			t.Errorf("chunks of %d: %d masks, want 4 and no secret", chunk, strings.Count(got, Mask))
		}
		if !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, "last "+Mask) || strings.Count(got, "y") != 70_000 {
			t.Errorf("chunks of %d: text around the secrets was changed", chunk)
		}
	}
}

func FuzzJSONLine(f *testing.F) {
	f.Add([]byte(`{"a":"sk-test-abcdefgh"}`))
	f.Add([]byte(`{"sk-test-abcdefgh":"\"sk-test-abcdefgh\\"}`))
	r := New([]string{"sk-test-abcdefgh"})
	f.Fuzz(func(t *testing.T, line []byte) {
		out, n := r.JSONLine(line)
		if json.Valid(line) != json.Valid(out) && json.Valid(line) {
			t.Errorf("JSONLine(%q) = %q, want valid JSON to stay valid", line, out)
		}
		if n == 0 && !bytes.Equal(out, line) {
			t.Errorf("JSONLine(%q) = %q with nothing replaced", line, out)
		}
	})
}

func TestString_SecretThatWasCutBefore(t *testing.T) {
	r := New([]string{"sk-test-0123456789", "short-8b"})
	for in, want := range map[string]string{
		"path sk-test-0123":                   "path " + Mask,
		`"sk-test-012..." is, "sk-test-..."`:  `"` + Mask + `..." is, "` + Mask + `..."`,
		"sk-test-0123 is another":             "sk-test-0123 is another",
		"sk-test":                             "sk-test",
		"sk-test-01 then sk-test-0123456789.": "sk-test-01 then " + Mask + ".",
		"sk-test-0sk-test-01":                 "sk-test-0" + Mask,
		"short-8":                             "short-8",
	} {
		if got := r.String(in); got != want {
			t.Errorf("String(%q) = %q, want %q", in, got, want)
		}
	}
	if got, n := r.Known("sk-test-0123"); n != 0 || got != "sk-test-0123" {
		t.Errorf("Known = %q, %d, want the text as it is", got, n)
	}
}

// Of a line without end the first part is written while the rest is still to
// come: no secret may lie in both.
func TestWriter_SecretAcrossTheCut(t *testing.T) {
	forms := []string{secret, hex.EncodeToString([]byte(secret)), base64.StdEncoding.EncodeToString([]byte(secret))}
	r := New([]string{secret})
	for _, form := range forms {
		for at := maxHeld; at < maxHeld+900; at += 5 {
			text := strings.Repeat("x", at) + form + strings.Repeat("y", maxHeld+900-at)
			var out bytes.Buffer
			w := NewWriter(&out, r)
			_, _ = io.WriteString(w, text)
			_, _ = io.WriteString(w, "z")
			_ = w.Close()
			if got := strings.Trim(out.String(), "xyz"); !strings.HasPrefix(got, Mask) || len(got) > len(Mask)+3 {
				t.Fatalf("%.8s... at %d: Writer wrote %q between x and y, want %s", form, at, got, Mask)
			}
		}
	}
}

// What a CR has ended can be seen before its line has an end, unless it may be a part of
// a secret.
func TestWriter_Drawn(t *testing.T) {
	const secret = "sk-test-0123456789"
	for in, want := range map[string]string{
		"":                           "",
		"50 %":                       "",
		"50 %\r":                     "50 %",
		"50 %\r60":                   "50 %",
		"50 %\r60 %\r\r\r":           "60 %",
		"line\n50 %\r":               "50 %",
		"50 %\rline\n":               "",
		"line\r\n50":                 "",
		"a " + secret + "\r":         "a [redacted]",
		"a " + secret[:12] + "\r":    "",
		"a " + secret[:12] + "\r\rb": "",
		"-----BEGIN RSA PRIVATE KEY-----\rMIIEpAIBAAKCAQEA\r":    "",
		"-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\rX\r": "",
	} {
		w := NewWriter(io.Discard, New([]string{secret}))
		if _, err := io.WriteString(w, in); err != nil {
			t.Fatal(err)
		}
		if got := w.Drawn(); got != want {
			t.Errorf("Drawn after %q = %q, want %q", in, got, want)
		}
	}
}
