package schema

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a converter found in another stream is made to fit, and nothing of the
// original is changed.
func TestBound_SourceAndServers(t *testing.T) {
	long := strings.Repeat("é", 200)
	cut, status := strings.Repeat("é", 128), strings.Repeat("s", 200)
	source := &StreamSource{Format: long, Mapping: "m\xff", Time: "source"}
	p := &RunStarted{Source: source, ParentRunID: Some(long), SandboxStatus: &SandboxStatus{LandlockABI: p(int64(-1)), User: p(long)}}
	for range 20 {
		p.MCPServers = append(p.MCPServers, MCPServer{"s", 1, status})
	}
	Bound(p)
	want := &RunStarted{
		Source: &StreamSource{cut, "m\ufffd", "source"}, ParentRunID: Some(cut), SandboxStatus: &SandboxStatus{User: &cut, Missing: []string{}},
		Cuts: Cuts{[]TruncatedField{{"source", 400}, {"parent_run_id", 400}, {"mcp_servers", 20 * 201}, {"sandbox_status", 400}}},
	}
	for range 10 { // as many as have 2048 bytes
		want.MCPServers = append(want.MCPServers, MCPServer{"s", 1, status})
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("Bound (-want +got):\n%s", diff)
	}
	if source.Format != long {
		t.Errorf("Bound changed the source that it was given to %v", source)
	}
}

func TestBound_LongServersAndMany(t *testing.T) {
	p := &RunStarted{MCPServers: []MCPServer{{strings.Repeat("n", 300), 1, ""}}}
	Bound(p)
	if got := p.MCPServers; len(got) != 1 || len(got[0].Name) != MaxStringBytes || len(p.TruncatedFields) != 1 {
		t.Errorf("Bound of a long name = %v, cut %v, want 256 bytes of it", got, p.TruncatedFields)
	}
	p = &RunStarted{MCPServers: make([]MCPServer, 65)}
	Bound(p)
	if len(p.MCPServers) != MaxListItems || len(p.TruncatedFields) != 1 {
		t.Errorf("Bound of 65 servers leaves %d, cut %v, want 64", len(p.MCPServers), p.TruncatedFields)
	}
}

func TestBound_CountsByName(t *testing.T) {
	named := func(n, size int) map[string]int64 {
		all := map[string]int64{}
		for i := range n {
			all[fmt.Sprintf("%0*d", size, i)] = 2
		}
		return all
	}
	with := func(all map[string]int64, name string, n int64) map[string]int64 { all[name] = n; return all }
	for name, tt := range map[string]struct{ in, want map[string]int64 }{
		"none":        {map[string]int64{}, map[string]int64{}},
		"64":          {named(64, 2), named(64, 2)},
		"63 and rest": {with(named(63, 2), "*", 7), with(named(63, 2), "*", 7)},
		"66":          {named(66, 2), with(named(63, 2), "*", 6)},
		"64 and rest": {with(named(64, 2), "*", 7), with(named(63, 2), "*", 9)},
		"2048 bytes":  {named(9, 227), with(named(9, 227), "*", 0)},
		"long name":   {with(named(1, 2), strings.Repeat("n", 257), 5), with(named(1, 2), "*", 5)},
		"no UTF-8":    {with(named(1, 2), "\xff", 5), with(named(1, 2), "*", 5)},
		"many bytes":  {named(9, 256), with(named(7, 256), "*", 4)},
	} {
		if tt.want["*"] == 0 {
			delete(tt.want, "*")
		}
		p := &RunFinished{ExitReason: "ok", OK: true, Source: &TerminalSource{"observed", tt.in}}
		Bound(p)
		if diff := cmp.Diff(tt.want, p.Source.Unmapped); diff != "" {
			t.Errorf("Bound of %s (-want +got):\n%s", name, diff)
		}
	}
	p := &RunFinished{Source: &TerminalSource{}}
	if Bound(p); p.Source.Unmapped != nil {
		t.Errorf("Bound without counts = %v, want nil", p.Source.Unmapped)
	}
}

func TestBound_Usage(t *testing.T) {
	for in, want := range map[USD]Optional[USD]{-1: {}, 0.5: Some(USD(0.5)), 1 << 54: {}} {
		p := &RunFinished{ExitReason: "ok", OK: true, Usage: Some(Usage{CostUSD: Some(in), ReasoningTokens: Some(int64(-1))})}
		Bound(p)
		if got, _ := p.Usage.Get(); !cmp.Equal(got, Usage{CostUSD: want}) {
			t.Errorf("Bound of %v = %+v, want a cost of %+v alone", in, got, want)
		}
	}
}

func TestBound_FailingReasonsAreNotOK(t *testing.T) {
	for _, reason := range []string{ExitPreRunError, ExitTimeout, ExitKilled, ExitNoTerminal, ExitStreamInvalid} {
		p := &RunFinished{ExitReason: reason, OK: true}
		if Bound(p); p.OK || !Failing(reason) {
			t.Errorf("Bound of ok beside %s leaves it, want false", reason)
		}
	}
	if Failing(ExitOK) || Failing("goal_reached") {
		t.Error("Failing of ok, or of a reason that is not the contract's, is true")
	}
}

// The longest line of each type, all texts made of what takes the most room, is
// shorter than a writer's line may be.
func TestBound_WorstLineOfEachType(t *testing.T) {
	var worst int
	for _, typ := range Types() {
		payload := NewPayload(typ)
		fillWorst(reflect.ValueOf(payload).Elem(), 5000)
		if f, ok := payload.(*RunFinished); ok { // no run has these beside such texts
			f.Source, f.Tampered, f.GitConfig = nil, nil, nil
		}
		Bound(payload)
		line, err := Encode(Event{
			SchemaVersion: Version, Sequence: MaxSafeInteger, TS: "2026-03-03T20:11:12.000000000Z",
			RunID: strings.Repeat("\x01", 64), Step: MaxSafeInteger, Type: typ, Data: payload,
		})
		if err != nil || len(line) >= MaxLineBytes {
			t.Errorf("worst line of %s has %d bytes, %v, want below %d", typ, len(line), err, MaxLineBytes)
		}
		worst = max(worst, len(line))
	}
	if worst < 57_000 {
		t.Errorf("worst line has %d bytes, want those of a call with all its texts", worst)
	}
}

// fillWorst sets a value to what takes the most room in a line, texts to so many
// bytes.
func fillWorst(v reflect.Value, size int) {
	switch m := v.Addr().Interface().(type) {
	case *Optional[string]:
		*m = Some(strings.Repeat("\x01", size))
	case *Optional[int64]:
		*m = Some(int64(MaxSafeInteger))
	case *Optional[USD]:
		*m = Some(USD(MaxSafeInteger))
	case *Optional[Usage]:
		var u Usage
		fillWorst(reflect.ValueOf(&u).Elem(), size)
		*m = Some(u)
	case *string:
		*m = strings.Repeat("\x01", size)
	case *int64:
		*m = MaxSafeInteger
	case *[]MCPServer:
		*m = make([]MCPServer, MaxListItems)
		for i := range *m {
			fillWorst(v.Index(i), MaxListBytes/MaxListItems/2)
		}
	case *[]string, *[]Artifact:
		v.Set(reflect.MakeSlice(v.Type(), MaxListItems, MaxListItems))
		for i := range MaxListItems {
			fillWorst(v.Index(i), MaxListBytes/MaxListItems)
		}
	default:
		switch v.Kind() {
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
			fillWorst(v.Elem(), size)
		case reflect.Struct:
			for i := range v.NumField() {
				fillWorst(v.Field(i), size)
			}
		}
	}
}

func TestBound_TextsAreValidAndMessagesOneLine(t *testing.T) {
	p := &ProviderError{MessageShort: p(" a\nb "), Kind: p("\xff")}
	if Bound(p); *p.MessageShort != "a b" || *p.Kind != "\ufffd" {
		t.Errorf("Bound leaves %q and %q, want one line and valid UTF-8", *p.MessageShort, *p.Kind)
	}
}
