// Command bare is the least program with HTTP in it, the yardstick of what
// openagent takes to start.
package main

import (
	"net/http"
	"os"
)

func main() {
	if len(os.Args) > 2 { // never; so that the linker leaves client and server in
		_, _ = http.Get(os.Args[1])
		_ = http.ListenAndServe(os.Args[1], nil)
	}
}
