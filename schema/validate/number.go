package validate

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/schema"
)

// maxDigits bounds the digits of a number that is computed: 2^53 has 16, and 6 decimals
// may follow.
const maxDigits = 22

// huge reports whether a number is never computed: one of more than maxDigits digits or
// with an exponent, which can be of any size.
func huge(text json.Number) bool {
	digits := len(text) - strings.Count(string(text), "-") - strings.Count(string(text), ".")
	return digits > maxDigits || strings.ContainsAny(string(text), "eE")
}

// whole returns the whole number that v stands for when it lies within 2^53,
// and whether it is written with digits alone.
func whole(v any) (n int64, plain, ok bool) {
	text, isNumber := v.(json.Number)
	if !isNumber || huge(text) {
		return 0, false, false
	}
	digits, decimals, hasPoint := strings.Cut(string(text), ".")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n > schema.MaxSafeInteger || n < -schema.MaxSafeInteger || strings.Trim(decimals, "0") != "" {
		return 0, false, false
	}
	return n, !hasPoint && text != "-0", true
}

// decimal reports whether a number is written as the contract asks of one that
// need not be an integer: within 2^53, with few decimals, without an exponent,
// and with a minus sign only where it is below zero.
func decimal(text json.Number) bool {
	digits, decimals, _ := strings.Cut(strings.TrimPrefix(string(text), "-"), ".")
	n, err := strconv.ParseInt(digits, 10, 64)
	inRange := err == nil && (n < schema.MaxSafeInteger || n == schema.MaxSafeInteger && strings.Trim(decimals, "0") == "")
	return inRange && !huge(text) && len(decimals) <= schema.MaxDecimals && (text[0] != '-' || strings.Trim(string(text), "-0.") != "")
}
