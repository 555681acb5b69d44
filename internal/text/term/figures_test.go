package term

import "testing"

func TestDollars_FourDecimalsAtMost(t *testing.T) {
	for usd, want := range map[float64]string{0: "$0", 0.5: "$0.5", 0.05000049: "$0.05", 0.00004: "<$0.0001", 1234567: "$1234567"} {
		if got := Dollars(usd); got != want {
			t.Errorf("Dollars(%v) = %q, want %q", usd, got, want)
		}
	}
}
