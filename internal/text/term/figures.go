package term

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Counted returns a number and what it counts: "1 step", "2 steps".
func Counted[N int | int64](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Spoken returns a duration as people say it.
func Spoken(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Truncate(100*time.Millisecond).Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
}

// Dollars is an amount of US dollars as people read it, with at most four decimals.
func Dollars(usd float64) string {
	text := strconv.FormatFloat(usd, 'f', 4, 64)
	if usd > 0 && text == "0.0000" {
		return "<$0.0001"
	}
	return "$" + strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
