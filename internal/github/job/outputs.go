package job

import (
	"bytes"
	"crypto/rand"
	"fmt"
)

// output is one output of the step.
type output struct{ name, value string }

// encodeOutputs returns the outputs in the form that the runner reads, each between
// lines of a delimiter of its own with 128 random bits, which no value can know.
func encodeOutputs(outputs []output) []byte {
	var b bytes.Buffer
	for _, o := range outputs {
		delimiter := "openagent_" + rand.Text()
		fmt.Fprintf(&b, "%s<<%s\n%s\n%s\n", o.name, delimiter, o.value, delimiter)
	}
	return b.Bytes()
}
