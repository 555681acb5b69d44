// Command bare is the least program with HTTP in it: the yardstick of what
// openagent takes to start, and with the name of a file as its argument a server
// that answers everything with that, the yardstick of what a server takes.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
)

func main() {
	if len(os.Args) > 2 { // never; so that the linker leaves the client in
		_, _ = http.Get(os.Args[1])
	}
	if len(os.Args) > 1 {
		fmt.Println(serve(os.Args[1]))
		os.Exit(1)
	}
}

func serve(file string) error {
	answer, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", l.Addr())
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.ReadAll(req.Body)
		_, _ = w.Write(answer)
	}))
}
