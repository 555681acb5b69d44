package validate

import (
	"encoding/json"
	"testing"
)

func TestDecimal(t *testing.T) {
	for text, want := range map[string]bool{
		"0": true, "0.0": true, "12": true, "0.123456": true, "0.1000000": false, "0.1234567": false, "-0": false, "-0.0": false,
		"-0.5": true, "9007199254740992": true, "9007199254740994": false, "-9007199254740994": false, "9007199254740993.5": false,
		"9007199254740992.0": true, "9007199254740992.5": false, "9007199254740993": false, "9007199254740991.5": true, "-9007199254740991.5": true, "-9007199254740993": false, "1e0": false,
	} {
		if got := decimal(json.Number(text)); got != want {
			t.Errorf("decimal(%s) = %t, want %t", text, got, want)
		}
	}
}

func TestHuge(t *testing.T) {
	for text, want := range map[string]bool{
		"1": false, "-0.5": false, "1234567890123456789012": false, "12345678901234567890123": true,
		"9007199254740992.000000": false, "1.2345678901234567890123": true, "1e0": true, "1E9999999999": true,
	} {
		if got := huge(json.Number(text)); got != want {
			t.Errorf("huge(%s) = %t, want %t", text, got, want)
		}
	}
}

func TestWhole(t *testing.T) {
	for _, tt := range []struct {
		text      string
		n         int64
		plain, ok bool
	}{
		{"0", 0, true, true}, {"-0", 0, false, true}, {"-7", -7, true, true}, {"7.0", 7, false, true},
		{"7.5", 0, false, false}, {"9007199254740992", 1 << 53, true, true}, {"99999999999999999999", 0, false, false},
		{"9007199254740992.0", 1 << 53, false, true}, {"9007199254740993.0", 0, false, false}, {"-9007199254740993.0", 0, false, false}, {"9007199254740992.5", 0, false, false}, {"1.0000000000000000001", 0, false, false},
	} {
		n, plain, ok := whole(json.Number(tt.text))
		if n != tt.n || plain != tt.plain || ok != tt.ok {
			t.Errorf("whole(%s) = %d, %t, %t, want %d, %t, %t", tt.text, n, plain, ok, tt.n, tt.plain, tt.ok)
		}
	}
	if _, _, ok := whole(json.Number("9007199254740993")); ok {
		t.Error("whole(2^53 + 1) is ok, want it out of range")
	}
}
