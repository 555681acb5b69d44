package history

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/runlog/event"
)

// roleVariable makes the test binary a writer of a session.
const roleVariable = "HISTORY_TEST_WRITER"

func TestMain(m *testing.M) {
	if spec := os.Getenv(roleVariable); spec != "" {
		os.Exit(write(spec))
	}
	os.Exit(m.Run())
}

// write appends calls to a session, "DIR NAME ID COUNT", and prints the number
// of each one after it was acknowledged.
func write(spec string) int {
	f := strings.Split(spec, "\n")
	s, err := Open(context.Background(), Options{
		Dir: f[0], Session: f[1], RunID: f[2],
		Mask: unmasked, Clock: event.NewClock(), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	count, _ := strconv.Atoi(f[3])
	for n := range count {
		if err := s.Called(context.Background(), testCall(f[2], n)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println(n)
	}
	return 0
}

// testCall is the call of that number of a writer; its texts are long enough
// for a write to be cut in.
func testCall(id string, n int) Call {
	return Call{
		ID: fmt.Sprintf("%s-%d", id, n), Tool: "write_file",
		Arguments: fmt.Sprintf(`{"n": %d, "content": %q}`, n, strings.Repeat("é\n", 3000)), Result: "done " + strconv.Itoa(n),
	}
}

// writer starts the test binary as a writer.
func writer(t *testing.T, dir, session, id string, count int) (cmd *exec.Cmd, acknowledged *bufio.Scanner) {
	t.Helper()
	cmd = exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+strings.Join([]string{dir, session, id, strconv.Itoa(count)}, "\n"))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// unmasked is the mask of sessions in which there is nothing to mask.
func unmasked(s string) string { return s }

// opened opens a session whose clock stands at noon, and returns what it logs.
func opened(t testing.TB, opts Options) (*Session, *strings.Builder) {
	t.Helper()
	var log strings.Builder
	if opts.RunID == "" {
		opts.RunID = "r1"
	}
	if opts.Clock == nil {
		opts.Clock = event.NewFixedClock(noon)
	}
	if opts.Mask == nil {
		opts.Mask = unmasked
	}
	opts.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	s, err := Open(t.Context(), opts)
	if err != nil {
		t.Fatalf("Open(%+v): %v", opts, err)
	}
	return s, &log
}

// stored returns what the file of a session holds.
func stored(t testing.TB, s *Session) string {
	t.Helper()
	b, err := os.ReadFile(s.path(linesKind))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// put makes the file of a session.
func put(t testing.TB, dir, session, content string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/"+session+linesKind, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// must fails the test for an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
