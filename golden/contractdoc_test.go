package golden_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/golden"
)

// A reader that was written from docs/contract.md alone, and reads the tables
// there, accepts each stream that it must accept and no other.
func TestVectors_ContractPageIsEnough(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("the reader is written in Python, and python3 is not on PATH")
	}
	out, err := exec.Command(python, "testdata/reader.py", "../docs/contract.md", "vectors.json").CombinedOutput()
	n := len(golden.Vectors())
	if want := fmt.Sprintf("%d of %d vectors judged rightly\n", n, n); err != nil || !strings.HasSuffix(string(out), want) {
		t.Errorf("reader: %v: %s, want %s", err, out, want)
	}
}
