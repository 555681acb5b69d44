package cassette

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/jsontext"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/text/redact"
)

// breaking is a body that gives its text and then err; with nil it waits for
// the end of ctx.
type breaking struct {
	io.Reader
	ctx context.Context
	err error
}

func (b breaking) Read(p []byte) (int, error) {
	if n, _ := b.Reader.Read(p); n > 0 {
		return n, nil
	}
	if b.err == nil {
		<-b.ctx.Done()
		return 0, b.ctx.Err()
	}
	return 0, b.err
}
func (b breaking) Close() error { return nil }

// heldUp is a transport whose answer is silent after its first event.
type heldUp struct{ silent bool }

func (h heldUp) RoundTrip(req *http.Request) (*http.Response, error) {
	if h.silent {
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	body := breaking{strings.NewReader("data: {}\n\n"), req.Context(), nil}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: body, Request: req}, nil
}

// refusing is a transport that sends nothing.
type refusing struct{}

func (refusing) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, &chat.Failure{Kind: chat.FailClient, Message: "refused"}
}

func TestRecorder_HowExchangesEnd(t *testing.T) {
	body := func(err error) func() io.ReadCloser {
		return func() io.ReadCloser { return breaking{strings.NewReader("data: {}\n\n"), t.Context(), err} }
	}
	tests := map[string]struct {
		next http.RoundTripper
		stop bool // the run ends while the client reads
		quit bool // the client closes early
		drop bool // the client gives the request up while it reads
		want []string
	}{
		"whole":            {next: &answers{[]int{200}, body(io.EOF)}, want: []string{"200 whole"}},
		"lost":             {next: &answers{[]int{200}, body(errors.New("reset"))}, want: []string{"200 cut"}},
		"cut":              {next: &answers{[]int{200}, body(io.ErrUnexpectedEOF)}, want: []string{"200 cut"}},
		"silent":           {next: heldUp{}, want: []string{"200 timeout"}},
		"no answer":        {next: heldUp{silent: true}, want: []string{"0 timeout"}},
		"enough":           {next: &answers{[]int{200}, body(io.EOF)}, quit: true, want: []string{"200 left"}},
		"given up":         {next: heldUp{}, drop: true, want: []string{"200 left"}},
		"unread refusal":   {next: &answers{[]int{503}, body(io.EOF)}, quit: true, want: []string{"503 whole"}},
		"run over, silent": {next: heldUp{silent: true}, stop: true},
		"run over, body":   {next: heldUp{}, stop: true},
		"nothing was sent": {next: refusing{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				run, stop := context.WithCancel(t.Context())
				defer stop()
				path := filepath.Join(dir, "c.jsonl")
				tape, err := NewRecorder(run, path, redact.New(nil))
				if err != nil {
					t.Fatal(err)
				}
				c := transport.Client(tt.next, transport.Options{Timeout: time.Minute, Record: tape.Tape})
				ctx, giveUp := context.WithCancel(run)
				defer giveUp()
				req := request(t, "{}").WithContext(ctx)
				req.Header.Set("Authorization", "Bearer "+testKey)
				if tt.stop {
					time.AfterFunc(time.Second, stop)
				}
				if tt.drop {
					time.AfterFunc(time.Second, giveUp)
				}
				resp, err := c.Do(req)
				if err == nil && !tt.quit {
					_, _ = io.ReadAll(resp.Body)
				}
				if err == nil {
					_ = resp.Body.Close()
				}
				// What is recorded is looked at with an exchange after it.
				if _, _, err := exchangeOnce(t, transport.Client(&answers{status: []int{200}}, transport.Options{Record: tape.Tape}), "http://model.invalid/v1", "{}"); err != nil {
					t.Fatal(err)
				}
				text, err := os.ReadFile(path + PartialSuffix)
				if tape.Err() != nil || err != nil && !tt.stop {
					t.Fatal(err, tape.Err())
				}
				var got []string
				if err == nil {
					cassette, err := Load("c", text, nil)
					if err != nil {
						t.Fatal(err)
					}
					for _, x := range cassette.exchanges[:len(cassette.exchanges)-1] {
						got = append(got, fmt.Sprint(x.status, " ", x.end))
					}
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("exchanges before the last (-want +got):\n%s", diff)
				}
				_, _ = tape.Close(false)
			})
		})
	}
}

// A client that needs no more than a part leaves the rest, in whatever order it
// gives up the request and the body.
func TestRecorder_BodyLeftByAnOpenRequest(t *testing.T) {
	tape, path := recorder(t)
	resp, err := taped{&answers{status: []int{200}}, tape}.RoundTrip(request(t, "{}"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(resp.Body.Close(), resp.Body.Close()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), `{"end":"left"}`) != 1 {
		t.Errorf("the cassette is %s, %v, want one exchange that was left", text, err)
	}
}

// What is as deep as JSON may be is one level too deep for a line of the file.
func TestRecorder_DeepAnswers(t *testing.T) {
	for name, body := range map[string]string{
		"list":   strings.Repeat("[", jsontext.MaxDepth) + strings.Repeat("]", jsontext.MaxDepth),
		"object": strings.Repeat(`{"a":`, jsontext.MaxDepth-1) + "{}" + strings.Repeat("}", jsontext.MaxDepth-1),
		"event":  "data: {\"a\":" + strings.Repeat("[", jsontext.MaxDepth-1) + strings.Repeat("]", jsontext.MaxDepth-1) + "}\n\n",
	} {
		for _, status := range []int{200, 400} {
			r, _ := recorder(t)
			says := func() io.ReadCloser { return io.NopCloser(strings.NewReader(body)) }
			resp, err := r.Tape(&answers{status: []int{status}, body: says}).RoundTrip(request(t, "{}"))
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			if _, err := r.Close(true); err != nil {
				t.Fatal(err)
			}
			resp, err = loaded(t, r.path).RoundTrip(request(t, "{}"))
			if err != nil {
				t.Errorf("%s, %d: %v", name, status, err)
				continue
			}
			got, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if status == 200 && string(got) != body || err != nil {
				t.Errorf("%s, %d: a replay gives %.40q, %v, want %.40q", name, status, got, err, body)
			}
		}
	}
}
