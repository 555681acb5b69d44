package golden_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/schema/validate"
)

func accepts(stream []byte, strict bool) (bool, error) {
	return !slices.ContainsFunc(check(stream, strict), func(f validate.Finding) bool {
		return f.Severity == validate.SeverityError
	}), nil
}

func TestVerify_OurValidator(t *testing.T) {
	if failures, err := golden.Verify(accepts); err != nil || len(failures) > 0 {
		t.Errorf("Verify = %v, %v, want no failure", failures, err)
	}
}

func TestVerify_NamesWhatWasCheckedWrongly(t *testing.T) {
	all, err := golden.Verify(func([]byte, bool) (bool, error) { return true, nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if f.Vector.Valid || !strings.Contains(f.String(), "accepted, want it refused") {
			t.Errorf("Verify of what accepts all = %s, want an invalid stream that was accepted", f)
		}
	}
	none, err := golden.Verify(func([]byte, bool) (bool, error) { return false, nil })
	if err != nil || len(all)+len(none) != len(golden.Vectors()) {
		t.Errorf("Verify: %d and %d failures, %v, want all %d vectors once", len(all), len(none), err, len(golden.Vectors()))
	}
	if !strings.Contains(none[0].String(), "refused, want it accepted") {
		t.Errorf("Verify of what refuses all = %s, want that it was refused", none[0])
	}
}

func TestVerify_ErrorEndsIt(t *testing.T) {
	broken := errors.New("no such program")
	if _, err := golden.Verify(func([]byte, bool) (bool, error) { return false, broken }); !errors.Is(err, broken) {
		t.Errorf("Verify = %v, want %v", err, broken)
	}
}
