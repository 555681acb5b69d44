package session

import (
	"errors"
	"slices"
	"testing"

	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// Each cause of a failure before the run is one valid stream of one line.
func TestFail_IsAStreamOfOneLine(t *testing.T) {
	for _, code := range []string{codePrompt, codeKeyMissing, codeRunExists, codeCancelled, codeTimeout} {
		s, out := newRun(t, "", func(o *Options) { o.Redact = []string{"sk-test-0123456789"} })
		err := s.fail(before(code, errors.New("no good: sk-test-0123456789")).or("do otherwise"))
		if err != ErrFailed {
			t.Errorf("%s: fail = %v, want %v", code, err, ErrFailed)
		}
		stream := validate.NewStream(validate.Options{Strict: true})
		if found := slices.Concat(stream.Line(out.Bytes()), stream.Close()); len(found) > 0 {
			t.Errorf("%s: the line breaks %v\n%s", code, found, out)
		}
		e, err := schema.Decode(out.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		want := "pre_run_error"
		if code == codeCancelled || code == codeTimeout {
			want = code
		}
		got := e.Data.(*schema.RunFinished)
		if is, _ := got.ErrorCode.Get(); got.ExitReason != want || got.OK || is != code || *got.Error != "no good: "+redact.Mask {
			t.Errorf("%s: run_finished is %+v, want %s with the code and no secret", code, got, want)
		}
	}
	s, out := newRun(t, "", func(o *Options) { o.People, o.Redact = unseen, []string{"sk-test-0123456789"} })
	err := s.fail(before(codePrompt, errors.New("no good: sk-test-0123456789")).or("do otherwise"))
	if err == nil || err.Error() != "no good: "+redact.Mask || hint.Of(err) != "do otherwise" || out.Len() > 0 {
		t.Errorf("fail for people = %v, hint %q and %q on stdout, want an error with its hint", err, hint.Of(err), out)
	}
}
