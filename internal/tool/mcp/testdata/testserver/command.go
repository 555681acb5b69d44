package testserver

import "os"

// role is the first argument of a test's binary that is to be the server.
const role = "mcp-server"

// Command returns how the server is started in a mode; Main has to be called by the
// TestMain of the test.
func Command(mode string) (path string, args []string, err error) {
	path, err = os.Executable()
	return path, []string{role, mode}, err
}
