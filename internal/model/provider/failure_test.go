package provider

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

func TestConnectionFailure_SaysWhatAPersonCanUse(t *testing.T) {
	dial := &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9},
		Err: errors.New("connect: connection refused")}
	read := &net.OpError{Op: "read", Net: "tcp", Err: errors.New("connection reset by peer")}
	tests := []struct {
		err  error
		kind chat.FailureKind
		want string
	}{
		{dial, chat.FailConnection, "dial 127.0.0.1:9: connect: connection refused"},
		{read, chat.FailConnection, "the connection was lost"},
		{&net.DNSError{Name: "model.invalid", IsNotFound: true}, chat.FailConnection, "host model.invalid was not found"},
		{&net.DNSError{Name: "model.invalid", IsTemporary: true}, chat.FailConnection, "host model.invalid could not be looked up"},
		{&net.DNSError{Name: "model.invalid", IsTimeout: true}, chat.FailTimeout, "the connection timed out"},
		{io.EOF, chat.FailConnection, "the connection was closed without an answer"},
		{errors.New(`malformed HTTP response "SECRET"`), chat.FailConnection, "the connection was lost"},
	}
	for _, tt := range tests {
		got := connectionFailure(&url.Error{Op: "Post", URL: "https://x/y", Err: tt.err})
		if got.Kind != tt.kind || got.Message != tt.want || !got.Retryable {
			t.Errorf("connectionFailure(%v) is %s %q, retryable %t, want %s %q, true",
				tt.err, got.Kind, got.Message, got.Retryable, tt.kind, tt.want)
		}
	}
}

func TestConnectionFailure_RealSockets(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	// Whoever connects is sent away without a word of HTTP.
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
	ask := func() *chat.Failure {
		c := New(Config{BaseURL: "http://" + l.Addr().String(), Attempts: 1, HTTP: &http.Client{Transport: &http.Transport{}}})
		_, err := c.Complete(t.Context(), chat.Request{})
		var f *chat.Failure
		if !errors.As(err, &f) {
			t.Fatalf("Complete() error is %v, want a *chat.Failure", err)
		}
		return f
	}
	if f := ask(); f.Kind != chat.FailConnection || !f.Retryable {
		t.Errorf("closed connection: failure is %v, want kind connection, retryable", f)
	}
	_ = l.Close()
	deaf := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("no network")
	}}
	dialer := net.Dialer{Resolver: deaf}
	c := New(Config{BaseURL: "http://model.invalid", Attempts: 1, HTTP: &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}})
	_, err = c.Complete(t.Context(), chat.Request{})
	var unfound *chat.Failure
	if !errors.As(err, &unfound) || unfound.Kind != chat.FailConnection || !unfound.Retryable || !strings.HasPrefix(unfound.Message, "host model.invalid ") {
		t.Errorf("name that cannot be looked up: failure is %v, want kind connection naming the host, retryable", err)
	}
	if f := ask(); f.Kind != chat.FailConnection || !f.Retryable {
		t.Errorf("refused connection: failure is %v, want kind connection, retryable", f)
	}
}

func TestStatusFailure_WhatNoTableNames(t *testing.T) {
	for code, want := range map[int]chat.Failure{
		302: {Kind: chat.FailClient, Status: 302, Message: "redirected: give the final address as the base URL"},
		418: {Kind: chat.FailClient, Status: 418, Message: "i'm a teapot"},
		502: {Kind: chat.FailServer, Status: 502, Retryable: true, Message: "bad gateway"},
		599: {Kind: chat.FailServer, Status: 599, Retryable: true, Message: "status 599"},
	} {
		if got := statusFailure(code); !reflect.DeepEqual(*got, want) {
			t.Errorf("statusFailure(%d) = %+v, want %+v", code, *got, want)
		}
	}
}
