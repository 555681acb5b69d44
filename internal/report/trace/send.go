package trace

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

const (
	// maxAnswer bounds what is read of a collector's answer, in bytes.
	maxAnswer = 64 << 10
	// maxSaid bounds what is told of it, in characters.
	maxSaid = 200
	// maxCertificates bounds each file of certificates or keys, in bytes: those that
	// systems come with are below 1 MiB.
	maxCertificates = 16 << 20
	// endingTime is the time where the job is killed soon.
	endingTime = time.Second
	// firstPause is the time before the second attempt, in which a collector did not
	// say how long to wait; it doubles.
	firstPause = 200 * time.Millisecond
)

// schemaURL names the conventions that names of attributes follow.
const schemaURL = "https://opentelemetry.io/schemas/1.41.0"

// Export sends the trace as Send does; what goes wrong is a warning and nothing else.
func (t *Trace) Export(ctx context.Context, log *slog.Logger, mask func(string) string) {
	err := t.Send(ctx, mask)
	if err == nil {
		return
	}
	about := []any{"error", mask(err.Error())}
	if wayOut := hint.Of(err); wayOut != "" {
		about = append(about, "hint", wayOut)
	}
	log.Warn("the trace was not exported", about...)
}

// Send sends the trace. mask takes secrets out of all of its texts. It is given up
// after the time of the exporter, and soon after the end of ctx. What was not sent, and what the
// collector did not take, is an error in words for people, without a secret.
func (t *Trace) Send(ctx context.Context, mask func(string) string) error {
	if t == nil {
		return nil
	}
	span, cancel := context.WithTimeout(context.WithoutCancel(ctx), t.exporter.time)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(endingTime, cancel) })
	defer stop()
	err := t.exporter.send(span, t.encode(mask))
	if err == nil && t.dropped > 0 {
		err = fmt.Errorf("the trace is not whole: it has %d spans, and there was no room for %d more", len(t.spans), t.dropped)
	}
	return err
}

// encode returns the trace as a request of OTLP.
func (t *Trace) encode(mask func(string) string) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	spans := make([]wireSpan, 0, len(t.spans))
	now := time.Now()
	for _, s := range t.spans {
		spans = append(spans, s.wire(now, mask))
	}
	return jsontext.MustMarshal(request{[]resourceSpans{{
		Resource:   resource{masked(t.exporter.resource, mask)},
		ScopeSpans: []scopeSpans{{Scope: scope{"github.com/openagent-ci/openagent", t.exporter.version}, Spans: spans}},
		SchemaURL:  schemaURL,
	}}})
}

// send sends a request until the collector has it or says no, or the time is over.
func (e *exporter) send(ctx context.Context, body []byte) error {
	client, err := e.client(ctx)
	if err != nil {
		return err
	}
	if e.gzip {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write(body) // to memory
		_ = w.Close()
		body = b.Bytes()
	}
	deadline, _ := ctx.Deadline()
	began := time.Now()
	var before error
	for pause := firstPause; ; pause *= 2 {
		again, wait, err := e.attempt(ctx, client, body)
		if err != nil && before != nil && ctx.Err() != nil {
			return e.named(before) // which says more than that the time is over
		}
		before, wait = err, max(wait, pause)
		if err == nil || !again || time.Until(deadline) < wait {
			return e.inWords(ctx, err, time.Since(began))
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return e.named(err)
		}
	}
}

// client returns one that follows nobody elsewhere: the headers may be a key. Files
// that it needs are read until the end of ctx: one may be a pipe.
func (e *exporter) client(ctx context.Context) (*http.Client, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if e.tls.authorities != "" {
		pem, err := e.place.ReadUpTo(ctx, e.tls.authorities, maxCertificates)
		if err != nil {
			return nil, fmt.Errorf("read the certificates of OTEL_EXPORTER_OTLP_CERTIFICATE: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, errors.New("the file of OTEL_EXPORTER_OTLP_CERTIFICATE has no certificate")
		}
	}
	if e.tls.certificate != "" {
		pair, err := e.pair(ctx)
		if err != nil {
			return nil, fmt.Errorf("read OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and OTEL_EXPORTER_OTLP_CLIENT_KEY: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: config, DisableKeepAlives: true, MaxResponseHeaderBytes: maxAnswer},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

// pair reads what this side shows.
func (e *exporter) pair(ctx context.Context) (tls.Certificate, error) {
	certificate, err := e.place.ReadUpTo(ctx, e.tls.certificate, maxCertificates)
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := e.place.ReadUpTo(ctx, e.tls.key, maxCertificates)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(certificate, key)
}

// attempt sends a request once. again reports whether it may be sent again, after wait.
func (e *exporter) attempt(ctx context.Context, client *http.Client, body []byte) (again bool, wait time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.endpoint.String(), bytes.NewReader(body))
	if err != nil {
		return false, 0, err
	}
	req.Header = e.headers.Clone()
	req.Header.Set("Content-Type", "application/json")
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "openagent/"+e.version)
	}
	if e.gzip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	resp, err := client.Do(req)
	if err != nil {
		return false, 0, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
	wait = time.Duration(min(max(seconds, 0), 3600)) * time.Second
	switch {
	case resp.StatusCode/100 == 3:
		return false, 0, hint.With(fmt.Errorf("it leads elsewhere by the status %d, which is not followed", resp.StatusCode), "name the address of the collector itself")
	case resp.StatusCode/100 != 2:
		again = slices.Contains([]int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}, resp.StatusCode)
		return again, wait, fmt.Errorf("it answers with the status %d%s", resp.StatusCode, said(answer))
	case err != nil:
		return false, 0, fmt.Errorf("its answer is not whole: %w", err)
	}
	return false, 0, rejected(resp.Header.Get("Content-Type"), answer)
}

// rejected returns what a collector that answered well did not take.
func rejected(kind string, answer []byte) error {
	if kind, _, _ := mime.ParseMediaType(kind); kind == "text/html" || bytes.HasPrefix(bytes.TrimSpace(answer), []byte("<")) {
		return hint.With(errors.New("it answers with a web page, so it is no collector"), "name the address of the collector for OTLP over HTTP")
	}
	var response struct {
		PartialSuccess struct {
			RejectedSpans json.Number
			ErrorMessage  string
		}
	}
	if json.Unmarshal(answer, &response) != nil { // others than we sent are of no use either
		return nil
	}
	if p := response.PartialSuccess; p.RejectedSpans != "" && p.RejectedSpans != "0" {
		return fmt.Errorf("it rejected %s spans%s", p.RejectedSpans, said([]byte(p.ErrorMessage)))
	}
	return nil
}

// said quotes what a collector says in one line.
func said(answer []byte) string {
	line, _ := clip.OneLine(clip.UTF8(string(answer)), maxSaid)
	if line == "" {
		return ""
	}
	return ": " + line
}

// inWords returns an error that names the collector by its host alone: its address may
// hold a password, and errors of a client name it whole.
func (e *exporter) inWords(ctx context.Context, err error, elapsed time.Duration) error {
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		err = fmt.Errorf("it did not answer, or not to the end, within %v", elapsed.Round(100*time.Millisecond))
	case errors.Is(err, io.EOF):
		err = errors.New("it closed the connection without an answer")
	}
	return e.named(err)
}

func (e *exporter) named(err error) error { return fmt.Errorf("%s: %w", e.endpoint.Host, err) }
