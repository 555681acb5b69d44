package schema

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestOptional_AbsentNullAndValue(t *testing.T) {
	type holder struct {
		A Optional[string] `json:"a,omitzero"`
	}
	for _, tt := range []struct {
		value Optional[string]
		text  string
		got   string
		ok    bool
	}{
		{Optional[string]{}, `{}`, "", false},
		{Null[string](), `{"a":null}`, "", false},
		{Some(""), `{"a":""}`, "", true},
		{Some("x"), `{"a":"x"}`, "x", true},
	} {
		text, err := json.Marshal(holder{tt.value})
		if err != nil || string(text) != tt.text {
			t.Errorf("Marshal(%+v) = %s, %v, want %s", tt.value, text, err, tt.text)
		}
		var back holder
		if err := json.Unmarshal([]byte(tt.text), &back); err != nil {
			t.Fatal(err)
		}
		got, ok := back.A.Get()
		if got != tt.got || ok != tt.ok || back.A.IsZero() != tt.value.IsZero() {
			t.Errorf("Get of %s = %q, %t, want %q, %t", tt.text, got, ok, tt.got, tt.ok)
		}
	}
	var o Optional[int64]
	if err := json.Unmarshal([]byte(`"x"`), &o); err == nil {
		t.Error("Unmarshal of a text into a number: no error")
	}
}

// Whatever a text holds, its line is one line of JSON that a terminal and a
// job log leave alone, and reads back as the text made valid.
func FuzzEncode_IsInertAndReadsBack(f *testing.F) {
	for _, seed := range []string{"", "##[error]x", "###[", "\\##[", "\x7f\u009b\u2028", "<&>", "\xff\xc2", "\xc2", "\u0000\x1b\r\n", `"\`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		line, err := Encode(started(StepBlocked{Reason: &text, Code: Some(text)}))
		if err != nil {
			t.Fatal(err)
		}
		body := line[:len(line)-1]
		for len(body) > 0 {
			r, size := utf8.DecodeRune(body)
			if r == utf8.RuneError && size == 1 || r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 {
				t.Fatalf("Encode(%q) = %q, want no %U raw", text, line, r)
			}
			body = body[size:]
		}
		if bytes.Contains(line, []byte("##[")) || line[len(line)-1] != '\n' {
			t.Fatalf("Encode(%q) = %q, want no command marker and one LF", text, line)
		}
		var back struct{ Data struct{ Reason, Code string } }
		if err := json.Unmarshal(line, &back); err != nil {
			t.Fatal(err)
		}
		want := strings.ToValidUTF8(text, "\ufffd")
		if utf8.ValidString(text) && (back.Data.Reason != want || back.Data.Code != want) {
			t.Fatalf("Encode(%q) reads back as %q, want %q", text, back.Data, want)
		}
	})
}
