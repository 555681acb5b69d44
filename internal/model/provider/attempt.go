package provider

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/tidwall/gjson"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/clip"
)

// Waits between attempts: they double from the first to the longest, unless
// the provider asks for another one, which is honoured up to its own bound.
const (
	firstBackoff  = 500 * time.Millisecond
	maxBackoff    = 16 * time.Second
	maxRetryAfter = time.Minute
)

// outcome is what one attempt brought: a reply, or a failure and the part of
// the reply that came before it.
type outcome struct {
	reply   chat.Reply
	failure *chat.Failure
	// said is what the endpoint says of the failure, nil for nothing.
	said *reported
	// retryAfter is the wait the provider asked for, however long; negative for none.
	retryAfter time.Duration
}

// backoff returns the wait after attempt n, from 1. Jitter makes it up to a
// quarter shorter or longer, drawn from seed, so that the same run waits as
// long each time.
func (c *Client) backoff(seed string, n int) time.Duration {
	wait := min(firstBackoff<<min(n-1, 10), maxBackoff)
	if !c.config.Jitter {
		return wait
	}
	drawn := sha256.Sum256(fmt.Appendf(nil, "%s/%d", seed, n))
	part := 0.75 + 0.5*float64(binary.BigEndian.Uint32(drawn[:]))/(1<<32)
	return time.Duration(part * float64(wait)).Truncate(time.Millisecond)
}

// attempt sends body once and reads the answer.
//
// The library splits the response into events. They are decoded here, as its
// stream accepts any body as a success and stops at an error member that is null.
func (c *Client) attempt(ctx context.Context, body []byte, req chat.Request) outcome {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sent, err := c.request(ctx, body)
	if err != nil {
		return outcome{failure: &chat.Failure{Kind: chat.FailClient, Message: "the request could not be made: check the base URL"}, retryAfter: -1}
	}
	resp, err := c.config.HTTP.Do(sent)
	if err != nil {
		return outcome{failure: connectionFailure(err), retryAfter: -1}
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return refused(resp, errorBody(resp, cancel))
	}
	a := newAnswer(c.api, req.OnDelta)
	failure := a.read(resp)
	drain(resp.Body, cancel, 4<<10, 100*time.Millisecond)
	if failure == nil {
		failure = a.check(afterTool(req.Messages))
	}
	return outcome{reply: a.reply(), failure: failure, said: a.said, retryAfter: -1}
}

// request returns the HTTP request with a body and what the configuration adds.
func (c *Client) request(ctx context.Context, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(c.config.BaseURL, "/")+c.api.path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{"Accept": "text/event-stream", "Content-Type": "application/json", "User-Agent": "openagent"} {
		req.Header.Set(name, value)
	}
	if c.config.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.config.Key)
	}
	for _, h := range c.config.Header {
		req.Header.Set(h.Name, h.Value)
	}
	query := req.URL.Query()
	for _, q := range c.config.Query {
		query.Set(q.Name, q.Value)
	}
	req.URL.RawQuery = query.Encode()
	return req, nil
}

// refused returns the outcome of an attempt that was answered by an error. Some
// endpoints say that another attempt is in vain.
func refused(resp *http.Response, body []byte) outcome {
	said := readRefusal(body)
	f := said.ofStatus(resp.StatusCode)
	if strings.EqualFold(resp.Header.Get("X-Should-Retry"), "false") {
		f.Retryable = false
	}
	return outcome{failure: f, said: said, retryAfter: retryAfter(resp.Header, time.Now())}
}

// maxRefusal is how much is read of what an endpoint writes beside an error
// status, or instead of an answer.
const maxRefusal = 64 << 10

// errorBody takes in what an endpoint writes beside an error status, as far as
// it comes soon: its end may never come.
func errorBody(resp *http.Response, cancel context.CancelFunc) []byte {
	if resp.StatusCode < http.StatusBadRequest {
		return nil
	}
	timer := time.AfterFunc(500*time.Millisecond, cancel)
	defer timer.Stop()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	return body
}

// withoutBOM leaves out the byte order mark that may begin an answer. With it
// the first event would have a field of an unknown name, and be lost.
func withoutBOM(body io.Reader) *bufio.Reader {
	const mark = "\ufeff"
	b := bufio.NewReader(body)
	if head, err := b.Peek(len(mark)); err == nil && string(head) == mark {
		_, _ = b.Discard(len(mark))
	}
	return b
}

// firstByte returns the first byte of a body that is no blank, which stays in the
// body; 0 for none.
func firstByte(body *bufio.Reader) byte {
	for {
		c, err := body.ReadByte()
		if err != nil {
			return 0
		}
		if !strings.ContainsRune(" \t\r\n", rune(c)) {
			_ = body.UnreadByte() // it was just read
			return c
		}
	}
}

// drain reads what little may be left of a body, so that the connection can
// serve the next request; an endpoint that keeps it open is left.
func drain(body io.Reader, cancel context.CancelFunc, size int64, wait time.Duration) {
	timer := time.AfterFunc(wait, cancel)
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, body, size)
}

// afterTool reports whether a request hands a tool's result to the model. A
// model that has nothing to add then is done; otherwise silence is no reply.
func afterTool(messages []*chat.Message) bool {
	if len(messages) == 0 {
		return false
	}
	last := messages[len(messages)-1]
	return last.Role == chat.RoleTool || last.ToolResult
}

// read takes the answer in, up to its end or its first failure.
func (a *answer) read(resp *http.Response) *chat.Failure {
	defer func() {
		a.addText(a.joiner.end())
		a.endLegacy()
	}()
	body, head := withoutBOM(resp.Body), &clip.Head{Max: maxRefusal}
	first := firstByte(body) // content types are often wrong
	resp.Body = struct {
		io.Reader
		io.Closer
	}{&lineFeeds{from: io.TeeReader(body, head)}, resp.Body}
	if first == '{' || first == '[' {
		return a.readWhole(resp)
	}
	events := ssestream.NewDecoder(resp)
	for events.Next() {
		done, failure := a.event(events.Event().Data)
		if done || failure != nil {
			return failure
		}
	}
	// What is lost after the finish reason is not part of the reply.
	if err := events.Err(); err != nil && a.finish == "" {
		return lost(err)
	}
	media := mediaType(resp)
	if a.events > 0 || first == 0 || media == "text/event-stream" && first != '<' {
		return nil
	}
	a.said = &reported{message: described(media, head.String())}
	return &chat.Failure{Kind: chat.FailIncomplete, Message: "the answer is no " + a.api.reply + " stream; check the base URL and the proxy"}
}

// readWhole takes in the answer of an endpoint that does not stream.
func (a *answer) readWhole(resp *http.Response) *chat.Failure {
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return lost(err)
	}
	_, failure := a.event(b)
	if failure == nil && !gjson.GetBytes(b, "choices").Exists() && !gjson.GetBytes(b, "output").Exists() {
		a.said = &reported{message: described(mediaType(resp), string(b))} // for check
	}
	return failure
}

func mediaType(resp *http.Response) string {
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return cmp.Or(media, "no content type")
}

// lost classes the error that ended the reading of an answer.
func lost(err error) *chat.Failure {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return incomplete("the answer was cut off")
	}
	return connectionFailure(err)
}

// retryAfter reads how long a wait is asked for: in milliseconds, in seconds,
// or up to a date, which is compared with now. It is negative when there is none.
func retryAfter(h http.Header, now time.Time) time.Duration {
	for _, in := range []struct {
		header string
		unit   time.Duration
	}{{"Retry-After-Ms", time.Millisecond}, {"Retry-After", time.Second}} {
		if n, err := strconv.ParseFloat(h.Get(in.header), 64); err == nil && n >= 0 && n*float64(in.unit) < math.MaxInt64 {
			return time.Duration(n * float64(in.unit))
		}
	}
	if at, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		return max(at.Sub(now), 0).Round(time.Second)
	}
	return -1
}
