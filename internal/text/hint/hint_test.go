package hint_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/openagent-ci/openagent/internal/text/hint"
)

func TestOf(t *testing.T) {
	inner := hint.With(fs.ErrNotExist, "make it")
	for _, c := range []struct {
		err        error
		text, want string
	}{
		{nil, "", ""},
		{fs.ErrNotExist, "file does not exist", ""},
		{inner, "file does not exist", "make it"},
		{fmt.Errorf("open x: %w", inner), "open x: file does not exist", "make it"},
		{hint.With(inner, "name another"), "file does not exist", "name another"},
		{errors.Join(errors.New("a"), inner), "a\nfile does not exist", "make it"},
	} {
		if got := hint.Of(c.err); got != c.want {
			t.Errorf("Of(%v) = %q, want %q", c.err, got, c.want)
		}
		if c.err != nil && c.err.Error() != c.text {
			t.Errorf("Error() = %q, want %q", c.err.Error(), c.text)
		}
	}
	if !errors.Is(hint.With(inner, "x"), fs.ErrNotExist) {
		t.Error("a hint hides the error below it")
	}
}
