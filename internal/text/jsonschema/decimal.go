package jsonschema

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"
)

// decimal is a number exactly as it is written, of any size: 0.DIGITS times ten to
// the power of point. The digits have no zero at either end; of zero there are none.
type decimal struct {
	negative bool
	digits   string
	point    int64
}

// maxExponent is what a greater exponent counts as.
const maxExponent = 1 << 40

// parseDecimal returns the value of a JSON number.
func parseDecimal(s string) decimal {
	s, negative := strings.CutPrefix(s, "-")
	mantissa, exponent := s, int64(0)
	if at := strings.IndexAny(s, "eE"); at >= 0 {
		n, err := strconv.ParseInt(s[at+1:], 10, 64)
		if err != nil { // out of range: n is the limit on that side
			n = max(n, -maxExponent)
		}
		mantissa, exponent = s[:at], min(max(n, -maxExponent), maxExponent)
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	bare := strings.TrimLeft(digits, "0")
	d := decimal{negative: negative, point: int64(len(whole)-(len(digits)-len(bare))) + exponent, digits: strings.TrimRight(bare, "0")}
	if d.digits == "" {
		return decimal{}
	}
	return d
}

// key returns a text that is the same for equal numbers alone.
func (d decimal) key() string {
	sign := "+"
	if d.negative {
		sign = "-"
	}
	return sign + d.digits + "e" + strconv.FormatInt(d.point, 10)
}

func (d decimal) integer() bool { return d.point >= int64(len(d.digits)) }

// count returns the whole number that d is, at most 2^31, and whether it is one
// that is not negative.
func (d decimal) count() (int, bool) {
	if d.negative || !d.integer() {
		return 0, false
	}
	if d.point > 9 {
		return 1 << 31, true
	}
	n, _ := strconv.Atoi(d.digits + strings.Repeat("0", int(d.point)-len(d.digits)))
	return n, true
}

// compare returns -1, 0 or 1.
func (d decimal) compare(e decimal) int {
	if d.sign() != e.sign() || d.sign() == 0 {
		return cmp.Compare(d.sign(), e.sign())
	}
	return d.sign() * cmp.Or(cmp.Compare(d.point, e.point), strings.Compare(d.digits, e.digits))
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// maxDivided bounds the digits of what is divided: the time grows with their square.
const maxDivided = 2000

// multipleOf reports whether d is a whole multiple of e, and whether that could
// be computed.
func (d decimal) multipleOf(e decimal) (multiple, ok bool) {
	if len(d.digits) > maxDivided || len(e.digits) > maxDivided {
		return false, false
	}
	if d.digits == "" {
		return true, true
	}
	// d and e as digits before the point: D·10^a and E·10^b.
	shift := d.point - int64(len(d.digits)) - (e.point - int64(len(e.digits)))
	dividend, _ := new(big.Int).SetString(d.digits, 10)
	divisor, _ := new(big.Int).SetString(e.digits, 10)
	if shift < 0 {
		return false, true // D, which does not end in 0, would have to be a multiple of ten
	}
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(shift), divisor)
	return dividend.Mul(dividend, power).Mod(dividend, divisor).Sign() == 0, true
}
