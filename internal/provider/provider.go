// Package provider asks a model of an OpenAI-compatible endpoint for replies:
// it encodes requests, judges what comes back and retries what may pass.
package provider

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/openai/openai-go/v3/option"

	"github.com/openagent-ci/openagent/internal/chat"
)

// DefaultBaseURL is the endpoint used when a Config names none.
const DefaultBaseURL = "https://api.openai.com/v1"

const defaultMaxAttempts = 3

// Config says which model to ask, and how.
type Config struct {
	// API is the way to ask, Chat Completions when empty.
	API API
	// BaseURL is the endpoint's address up to and without the path of an API.
	BaseURL string
	Model   string
	// Key is sent as a bearer token; empty for none. It is in no message.
	Key string
	// HTTP carries the requests; nil for http.DefaultClient. It owns timeouts,
	// the cap on bodies and the rule on redirects.
	HTTP *http.Client
	// MaxAttempts bounds the attempts at one request, 0 for three.
	MaxAttempts int
}

// Client asks one model. It is safe for concurrent use.
type Client struct {
	config Config
	api    *dialect
	send   send

	mu    sync.Mutex
	specs []chat.ToolSpec
	tools []byte // specs on the wire
}

// New returns a client for c. It reads no environment variables.
func New(c Config) *Client {
	if c.BaseURL == "" {
		c.BaseURL = DefaultBaseURL
	}
	if c.MaxAttempts <= 0 {
		c.MaxAttempts = defaultMaxAttempts
	}
	if c.HTTP == nil {
		c.HTTP = http.DefaultClient
	}
	api := c.API.dialect()
	return &Client{config: c, api: api, send: api.service(options(c))}
}

// CheckBaseURL returns what is wrong with the address of an endpoint, or nil.
func CheckBaseURL(base string) error {
	u, err := url.Parse(base)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("want an address such as " + DefaultBaseURL)
	case u.User != nil:
		return errors.New("want an address without user or password: the key goes in on its own")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("want an address without a part after ? or #")
	}
	return nil
}

// options fixes what is the same in every request. Headers that describe this
// machine to the endpoint are left out.
func options(c Config) []option.RequestOption {
	opts := []option.RequestOption{
		option.WithBaseURL(c.BaseURL),
		option.WithHTTPClient(c.HTTP),
		option.WithMaxRetries(0),
		option.WithHeader("Accept", "text/event-stream"),
		option.WithHeader("User-Agent", "openagent"),
	}
	for _, name := range []string{
		"Lang", "Package-Version", "OS", "Arch", "Runtime", "Runtime-Version", "Retry-Count", "Timeout",
	} {
		opts = append(opts, option.WithHeaderDel("X-Stainless-"+name))
	}
	if c.Key != "" {
		opts = append(opts, option.WithAPIKey(c.Key))
	}
	return opts
}

// Complete asks for one reply and retries failures that may pass. The error is
// a *chat.Failure, or ctx's own when ctx ended; beside either the reply holds
// what had arrived. Text given to OnDelta before a call of OnRetry belongs to a failed
// attempt: the next attempt begins its text anew.
func (c *Client) Complete(ctx context.Context, req chat.Request) (chat.Reply, error) {
	body, err := c.body(req)
	if err != nil {
		return chat.Reply{}, &chat.Failure{Kind: chat.FailClient, Message: "encode request: " + err.Error()}
	}
	for n := 1; ; n++ {
		o := c.attempt(ctx, body, req)
		if o.failure == nil {
			return o.reply, nil
		}
		if ctx.Err() != nil {
			return o.reply, ctx.Err()
		}
		f := c.finish(o)
		if !f.Retryable || n >= c.config.MaxAttempts {
			return o.reply, f
		}
		wait := o.backoff(n)
		if req.OnRetry != nil {
			req.OnRetry(chat.Retry{Attempt: n, MaxAttempts: c.config.MaxAttempts, Failure: f, Backoff: wait})
		}
		if err := sleep(ctx, wait); err != nil {
			return o.reply, err
		}
	}
}

// finish returns the failure of an attempt as a caller may show it.
func (c *Client) finish(o outcome) *chat.Failure {
	f := *o.failure
	f.RetryAfter = max(o.retryAfter, 0)
	f.Message = strings.Join(strings.Fields(f.Message), " ")
	if c.config.Key != "" {
		f.Message = strings.ReplaceAll(f.Message, c.config.Key, "***")
	}
	return &f
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
