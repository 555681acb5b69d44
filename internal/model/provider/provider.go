// Package provider asks an OpenAI-compatible endpoint for replies: it encodes
// requests, checks the answers and retries.
package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// DefaultBaseURL is the endpoint used when a Config names none.
const DefaultBaseURL = "https://api.openai.com/v1"

// What a Config that says nothing else allows.
const (
	DefaultAttempts = 6
	DefaultRetryFor = time.Minute
)

// Config says which model to ask, and how.
type Config struct {
	// API is the way to ask, Chat Completions when empty.
	API API
	// BaseURL is the endpoint's address up to and without the path of an API.
	BaseURL string
	Model   string
	// Key is sent as a bearer token; empty for none. It is in no message.
	Key string
	// Header and Query go with each request, Edits change its body.
	Header, Query []Pair
	Edits         []Edit
	Parameters    Parameters
	// HTTP carries the requests; nil for http.DefaultClient. It owns timeouts,
	// the cap on bodies and the rule on redirects.
	HTTP *http.Client
	// Attempts bounds the attempts at one request, 0 for DefaultAttempts;
	// RetryFor the waits between them all together, 0 for DefaultRetryFor.
	Attempts int
	RetryFor time.Duration
	// Jitter makes the waits differ from one run to another, so that many that
	// failed together do not come again together.
	Jitter bool
	// Redactor takes known secrets out of what is sent, and secrets of all kinds
	// out of what an endpoint says of a failure; nil takes the key alone out of
	// that.
	Redactor *redact.Redactor
	// KeySource names where the key comes from, for people; empty where none is
	// needed.
	KeySource string
	// Log gets warnings; nil for none.
	Log *slog.Logger
}

// Client asks one model. It is safe for concurrent use.
type Client struct {
	config Config
	api    *dialect
}

// New returns a client for c. It reads no environment variables.
func New(c Config) *Client {
	c.BaseURL, c.HTTP = cmp.Or(c.BaseURL, DefaultBaseURL), cmp.Or(c.HTTP, http.DefaultClient)
	if c.Attempts <= 0 {
		c.Attempts = DefaultAttempts
	}
	if c.RetryFor <= 0 {
		c.RetryFor = DefaultRetryFor
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Client{config: c, api: c.API.dialect()}
}

// CheckBaseURL returns what is wrong with the address of an endpoint, or nil.
func CheckBaseURL(base string) error {
	u, err := url.Parse(base)
	path := strings.TrimRight(base, "/")
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("want an address such as " + DefaultBaseURL)
	case strings.HasSuffix(u.Host, ":"):
		return errors.New("want a port after the colon, or no colon")
	case u.User != nil:
		return errors.New("want an address without user or password: the key goes in on its own")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("want an address without a part after ? or #: a parameter goes in by --query")
	case !validPort(u.Port()):
		return errors.New("want a port from 1 to 65535")
	case strings.HasSuffix(path, "/chat/completions"), strings.HasSuffix(path, "/responses"):
		return errors.New("want the address without the path of an API: it is added, as --api says")
	}
	return nil
}

// validPort accepts a port that can be connected to, or none.
func validPort(port string) bool {
	n, err := strconv.Atoi(port)
	return port == "" || err == nil && n > 0 && n < 1<<16
}

// Complete asks for one reply and retries failures that may pass. The error is
// a *chat.Failure, or ctx's own when ctx ended; beside either the reply holds
// what had arrived. Text given to OnDelta before a call of OnRetry belongs to a failed
// attempt: the next attempt begins its text anew.
func (c *Client) Complete(ctx context.Context, req chat.Request) (chat.Reply, error) {
	body, err := c.body(req)
	var failure *chat.Failure
	if errors.As(err, &failure) {
		return chat.Reply{}, failure
	}
	if err != nil {
		return chat.Reply{}, &chat.Failure{Kind: chat.FailClient, Message: "encode request: " + err.Error()}
	}
	var waited time.Duration
	for n := 1; ; n++ {
		o := c.attempt(ctx, body, req)
		if o.failure == nil {
			return o.reply, nil
		}
		if ctx.Err() != nil {
			return o.reply, ctx.Err()
		}
		f := c.finish(o)
		wait := min(o.retryAfter, maxRetryAfter)
		if wait < 0 {
			wait = c.backoff(req.Seed, n)
		}
		if !f.Retryable || n >= c.config.Attempts {
			return o.reply, f
		}
		if waited += wait; waited > c.config.RetryFor {
			if o.retryAfter <= maxRetryAfter {
				f.Message += fmt.Sprintf("; another attempt would have to wait for %v", wait)
			}
			f.Message += fmt.Sprintf(", and the waits may take no longer than %v", c.config.RetryFor)
			return o.reply, f
		}
		if req.OnRetry != nil {
			req.OnRetry(chat.Retry{Attempt: n, MaxAttempts: c.config.Attempts, Failure: f, Backoff: wait})
		}
		if err := sleep(ctx, wait); err != nil {
			return o.reply, err
		}
	}
}

// finish returns the failure of an attempt as a caller may show it.
func (c *Client) finish(o outcome) *chat.Failure {
	f := *o.failure
	if f.Status == http.StatusUnauthorized && o.said != nil {
		f.Message = c.refusedKey()
	}
	if o.said != nil {
		f.Code, f.Body = clip.Short(c.mask(o.said.code), maxErrorName), c.mask(string(o.said.body))
		f.Body, _ = clip.Prefix(f.Body, maxShownBody)
		f.Message += o.said.words(c.mask)
	}
	if o.retryAfter > maxRetryAfter {
		f.Message += fmt.Sprintf("; the endpoint asks for a wait of %v", o.retryAfter)
	}
	f.Message = strings.Join(strings.Fields(c.mask(f.Message)), " ")
	return &f
}

// mask takes secrets out of a text, the key whatever its length.
func (c *Client) mask(s string) string {
	if c.config.Key != "" {
		s = strings.ReplaceAll(s, c.config.Key, "***")
	}
	if c.config.Redactor == nil {
		return s
	}
	return c.config.Redactor.String(s)
}

// refusedKey says which key was not accepted.
func (c *Client) refusedKey() string {
	switch {
	case c.config.KeySource == "":
		return "the key was not accepted"
	case c.config.Key == "":
		return "no key was given: set OPENAI_API_KEY or --api-key-file"
	}
	return "the key from " + c.config.KeySource + " was not accepted"
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
