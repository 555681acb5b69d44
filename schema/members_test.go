package schema

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// objects has an empty one of each object whose members are listed.
func objects() (list []any) {
	for _, typ := range Types() {
		list = append(list, NewPayload(typ))
	}
	return append(list, new(Usage), new(Agent), new(StreamSource), new(TerminalSource), new(SandboxStatus))
}

// The members that are listed by hand are those of the structs.
func TestMembers_AreThoseOfTheStructs(t *testing.T) {
	for _, of := range objects() {
		var got, want []string
		for name, member := range Members(of) {
			got = append(got, name)
			field := reflect.ValueOf(of).Elem().Field(len(got) - 1)
			if field.Addr().Interface() != member {
				t.Errorf("member %s of %T is another field than the one in its place", name, of)
			}
		}
		for field := range reflect.TypeOf(of).Elem().Fields() {
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" {
				want = append(want, name)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Members of %T (-want +got):\n%s", of, diff)
		}
	}
}

// Encode writes what encoding/json would, with inert after it, whatever the
// members hold.
func TestEncode_AgreesWithEncodingJSON(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		for _, typ := range Types() {
			payload := NewPayload(typ)
			fill(random, reflect.ValueOf(payload).Elem())
			e := Event{text(random), random.Int64(), text(random), text(random), -random.Int64N(9), typ, payload}
			if random.IntN(9) == 0 {
				e.Data = reflect.ValueOf(payload).Elem().Interface() // a struct and no pointer
			}
			got, err := Append([]byte("before"), e)
			if err != nil {
				t.Fatal(err)
			}
			var want bytes.Buffer
			if err := jsontext.Write(&want, e); err != nil {
				t.Fatal(err)
			}
			if line := inert(want.String()); string(got) != "before"+line {
				t.Fatalf("Append(%+v):\n got %s\nwant %s", payload, got, line)
			}
		}
	}
}

// active is what a terminal or a job's log acts upon.
var active = regexp.MustCompile("[\u007f\u0080-\u009f]|##\\[")

// inert escapes what is active in JSON.
func inert(line string) string {
	return active.ReplaceAllStringFunc(line, func(s string) string {
		r, size := utf8.DecodeRuneInString(s)
		return fmt.Sprintf(`\u%04x`, r) + s[size:]
	})
}

// fill gives a value something that is of its type, or leaves it empty.
func fill(random *rand.Rand, v reflect.Value) {
	choice := random.IntN(4)
	switch at := v.Addr().Interface().(type) {
	case *Optional[USD]:
		*at = []Optional[USD]{{}, Null[USD](), Some(USD(0)), Some(USD(random.Float64() * 100))}[choice]
		return
	case *Optional[string]:
		*at = []Optional[string]{{}, Null[string](), Some(""), Some(text(random))}[choice]
		return
	case *Optional[int64]:
		*at = []Optional[int64]{{}, Null[int64](), Some(int64(0)), Some(random.Int64() - 1<<62)}[choice]
		return
	case *Optional[Usage]:
		var u Usage
		fill(random, reflect.ValueOf(&u).Elem())
		*at = []Optional[Usage]{{}, Null[Usage](), Some(Usage{}), Some(u)}[choice]
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text(random))
	case reflect.Int64:
		v.SetInt(random.Int64() - 1<<62)
	case reflect.Bool:
		v.SetBool(choice > 1)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(random, v.Field(i))
		}
	case reflect.Pointer:
		if choice > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(random, v.Elem())
		}
	case reflect.Slice:
		if choice > 0 {
			v.Set(reflect.MakeSlice(v.Type(), choice-1, choice-1))
			for i := range v.Len() {
				fill(random, v.Index(i))
			}
		}
	case reflect.Map:
		if choice > 0 {
			v.Set(reflect.ValueOf(map[string]int64{"b": 1, text(random): 2}))
		}
	}
}

// text is one that is hard to write.
func text(random *rand.Rand) string {
	parts := []string{"", "plain", `"\/`, "<&>", "\x00\x1f\n\r\t\b\f", "\x7f", "\u0080\u009f\u00a0", "é€😀", "\u2027\u2028\u2029\u202a", "\ufffd", "\xff", "\xe2\x82", "\xc2", "#", "##", "##[", "###[x"}
	s := ""
	for range random.IntN(6) {
		s += parts[random.IntN(len(parts))]
	}
	return s
}

func FuzzAppendText(f *testing.F) {
	f.Add("a\x7f\u0085##[\xff\u2028\n")
	f.Fuzz(func(t *testing.T, s string) {
		want := inert(string(jsontext.MustMarshal(s)))
		if got := appendText(nil, s); string(got) != want {
			t.Errorf("appendText(%q) = %s, want %s", s, got, want)
		}
	})
}

// A text that text returns at once is within the limit of every member.
func TestBound_ShortTextsStay(t *testing.T) {
	short := []string{"", strings.Repeat("x", MaxSummaryChars), strings.Repeat("é", MaxSummaryChars/2), " \n "}
	for name, l := range limits {
		for _, s := range short {
			if head, cut := l.cut(s, l.max); name != "message_short" && (head != s || cut) {
				t.Errorf("limit of %s cuts %q to %q", name, s, head)
			}
		}
	}
	if i := slices.IndexFunc(short, func(s string) bool { return len(s) > MaxStringBytes }); i >= 0 {
		t.Errorf("a text of %d bytes is above the ordinary limit", len(short[i]))
	}
	p := &ProviderError{MessageShort: p(" a\nb "), Kind: p("\xff")}
	if Bound(p); *p.MessageShort != "a b" || *p.Kind != "\ufffd" {
		t.Errorf("Bound leaves %q and %q, want one line and valid UTF-8", *p.MessageShort, *p.Kind)
	}
}

func TestBound_Lists(t *testing.T) {
	same := func(n int, item string) []string { return slices.Repeat([]string{item}, n) }
	for name, tt := range map[string]struct {
		in, want []string
		size     int64 // before the cut, 0 for none
	}{
		"none":          {nil, nil, 0},
		"empty":         {[]string{}, []string{}, 0},
		"64":            {same(64, "x"), same(64, "x"), 0},
		"65":            {same(65, "x"), same(64, "x"), 65},
		"2048 bytes":    {same(8, strings.Repeat("x", 256)), same(8, strings.Repeat("x", 256)), 0},
		"2049 bytes":    {append(same(8, strings.Repeat("x", 256)), "x"), same(8, strings.Repeat("x", 256)), 2049},
		"a long one":    {[]string{strings.Repeat("x", 257), "y"}, []string{strings.Repeat("x", 256), "y"}, 258},
		"one not UTF-8": {[]string{"\xff"}, []string{"\ufffd"}, 0},
	} {
		p := &StepStarted{AllowedTools: tt.in}
		Bound(p)
		if diff := cmp.Diff(tt.want, p.AllowedTools); diff != "" {
			t.Errorf("Bound of %s (-want +got):\n%s", name, diff)
		}
		if cuts := p.TruncatedFields; tt.size == 0 && cuts != nil || tt.size > 0 && !slices.Equal(cuts, []TruncatedField{{"allowed_tools", tt.size}}) {
			t.Errorf("Bound of %s names %v as cut, want %d bytes", name, cuts, tt.size)
		}
	}
}
