package flags

import (
	"errors"
	"strconv"
)

// Temperature is a flag value of a model's temperature, 0 to 2, or none.
type Temperature string

func (t *Temperature) Type() string   { return "number" }
func (t *Temperature) String() string { return string(*t) }

func (t *Temperature) Set(text string) error {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f >= 0 && f <= 2) { // NaN is neither
		return errors.New("want a number from 0 to 2")
	}
	*t = Temperature(strconv.FormatFloat(max(f, 0), 'g', -1, 64)) // without the sign of -0
	return nil
}
