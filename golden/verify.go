package golden

import "fmt"

// Failure is a vector that a validator judged wrongly.
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
// vector, and returns the vectors that it judged wrongly. An error of the
// validator ends the test and is returned.
func Verify(accepts func(stream []byte, strict bool) (bool, error)) ([]Failure, error) {
	var failures []Failure
	for _, v := range Vectors() {
		accepted, err := accepts(v.Stream, v.Strict)
		if err != nil {
			return nil, fmt.Errorf("vector %s: %w", v.Name, err)
		}
		if accepted != v.Valid {
			failures = append(failures, Failure{v, accepted})
		}
	}
	return failures, nil
}
