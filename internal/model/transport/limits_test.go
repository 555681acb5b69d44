package transport

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
)

// servePipes serves a script on connections in memory until the test ends it.
func servePipes(t *testing.T, turns string) (l *pipes, end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	l = newPipes()
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, l, load(t, turns)) }()
	return l, func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Serve() = %v, want nil", err)
		}
	}
}

const head = "POST /v1/responses HTTP/1.1\r\nHost: localhost:0\r\nContent-Length: 2\r\n\r\n"

// Half a request is given up after a while; the next one gets the turn.
func TestServe_HalfRequests(t *testing.T) {
	for half, want := range map[string]string{
		head + "{":                 "HTTP/1.1 408 Request Timeout",
		"POST /v1/responses HTTP/": "HTTP/1.1 400 Bad Request",
		"nonsense\r\n\r\n":         "HTTP/1.1 400 Bad Request",
		// Where the chunks are broken, nothing more is waited for.
		"POST /v1/responses HTTP/1.1\r\nHost: localhost:0\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n": "HTTP/1.1 400 Bad Request",
	} {
		synctest.Test(t, func(t *testing.T) {
			l, end := servePipes(t, "- text: one")
			c := l.dial()
			go fmt.Fprint(c, half)
			got, err := io.ReadAll(c)
			if !strings.HasPrefix(string(got), want) || err != nil {
				t.Errorf("%q: answer is %q, %v, want %q", half, got, err, want)
			}
			next := l.dial()
			go fmt.Fprint(next, head+"{}")
			if line, err := bufio.NewReader(next).ReadString('\n'); !strings.Contains(line, "200 OK") {
				t.Errorf("%q: the next answer is %q, %v, want 200", half, line, err)
			}
			_ = next.Close()
			end()
		})
	}
}

// A client that says that it sends no more of its half reads what was wrong.
func TestServe_HalfClosed(t *testing.T) {
	origin, stop, err := Listen(t.Context(), load(t, "- text: one"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", strings.TrimPrefix(origin, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, strings.ReplaceAll(head, "localhost:0", c.RemoteAddr().String()), "{")
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	const want = "the body of the request is not whole: unexpected EOF"
	if got, err := io.ReadAll(c); !strings.HasPrefix(string(got), "HTTP/1.1 400 ") || !strings.Contains(string(got), want) || err != nil {
		t.Errorf("answer is %q, %v, want 400: %s", got, err, want)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// The wait for a body bounds no answer.
func TestServe_SlowAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, end := servePipes(t, "- {text: late, fault: {delay: 5h}}")
		c := l.dial()
		go fmt.Fprint(c, head+"{}")
		if line, err := bufio.NewReader(c).ReadString('\n'); !strings.Contains(line, "200 OK") {
			t.Errorf("answer is %q, %v, want 200", line, err)
		}
		_ = c.Close()
		end()
	})
}

func TestLimit_LaterConnectionsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := newPipes()
		ctx, end := context.WithCancel(t.Context())
		l := limit(ctx, inner, 2)
		accepted := make(chan net.Conn, 4)
		ended := make(chan error)
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					ended <- err
					return
				}
				accepted <- c
			}
		}()
		go func() {
			for range 4 {
				inner.dial()
			}
		}()
		synctest.Wait()
		if len(accepted) != 2 {
			t.Errorf("%d connections are open, want 2", len(accepted))
		}
		c := <-accepted
		_ = c.Close()
		_ = c.Close() // gives one place back, not two
		synctest.Wait()
		if len(accepted) != 2 {
			t.Errorf("%d connections are open after one was closed, want 2", len(accepted))
		}
		end()
		if err := <-ended; err == nil {
			t.Error("Accept() after the end has no error")
		}
	})
}
