package transport

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"net"
	"runtime"
	"testing"
)

// Bodies of any size arrive as they were sent, and share one buffer.
func TestDial_BodiesShareABuffer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	arrived := make(chan [sha256.Size]byte, 1)
	go func() {
		digest := sha256.New()
		if c, err := listener.Accept(); err == nil {
			_, _ = io.Copy(digest, c)
			_ = c.Close()
		}
		arrived <- [sha256.Size]byte(digest.Sum(nil))
	}()
	c, err := dial(context.Background(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	sent := sha256.New()
	var before, after runtime.MemStats
	const bodies = 20
	runtime.ReadMemStats(&before)
	for i := range bodies {
		body := bytes.Repeat([]byte{byte(i)}, maxPiece*i/4)
		before.TotalAlloc += uint64(len(body))
		sent.Write(body)
		// As net/http has it, without a way of its own to be written.
		n, err := c.(io.ReaderFrom).ReadFrom(io.LimitReader(bytes.NewReader(body), int64(len(body))))
		if err != nil || n != int64(len(body)) {
			t.Fatalf("ReadFrom = %d, %v, want %d", n, err, len(body))
		}
	}
	runtime.ReadMemStats(&after)
	_ = c.Close()
	if got, want := <-arrived, [sha256.Size]byte(sent.Sum(nil)); got != want {
		t.Errorf("what arrived has digest %x, want %x", got, want)
	}
	if got := after.TotalAlloc - before.TotalAlloc; int64(got) > 4*maxPiece {
		t.Errorf("%d bodies took %d bytes of memory beside their own, want one buffer of %d", bodies, got, maxPiece)
	}
}
