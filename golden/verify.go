package golden

import "fmt"

// Failure is a vector that a validator got wrong.
type Failure struct {
	Vector Vector
	// Accepted reports whether the validator accepted the stream.
	Accepted bool
}

// String returns the failure as one sentence.
func (f Failure) String() string {
	said := "refused, want it accepted"
	if f.Accepted {
		said = "accepted, want it refused"
	}
	return fmt.Sprintf("%s: %s: %s", f.Vector.File, said, f.Vector.Why)
}

// Verify tests a validator that only accepts or refuses a stream with every
// vector, and returns the vectors that it got wrong. An error of the
// validator ends the test and is returned.
func Verify(accepts func(stream []byte, strict bool) (bool, error)) ([]Failure, error) {
	var failures []Failure
	for _, v := range Vectors() {
		f, err := v.Verify(accepts)
		if err != nil {
			return nil, err
		}
		if f != nil {
			failures = append(failures, *f)
		}
	}
	return failures, nil
}

// Verify is the function of that name for one vector; it returns nil when the
// validator got it right.
func (v Vector) Verify(accepts func(stream []byte, strict bool) (bool, error)) (*Failure, error) {
	accepted, err := accepts(v.Stream, v.Strict)
	switch {
	case err != nil:
		return nil, fmt.Errorf("vector %s: %w", v.Name, err)
	case accepted != v.Valid:
		return &Failure{v, accepted}, nil
	}
	return nil, nil
}
