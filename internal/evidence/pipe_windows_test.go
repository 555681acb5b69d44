package evidence

import "testing"

func pipe(t *testing.T, path string) {
	t.Helper()
	t.Fatalf("make pipe %s: not supported on windows", path)
}
