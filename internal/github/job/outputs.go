package job

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// output is one output of the step.
type output struct{ name, value string }

// encodeOutputs returns the outputs in the form that the runner reads, each
// between lines of a delimiter of its own that no value can hold by design.
func encodeOutputs(outputs []output, random io.Reader) ([]byte, error) {
	var b bytes.Buffer
	for _, o := range outputs {
		if err := checkName(o.name); err != nil {
			return nil, err
		}
		t, err := token(random)
		if err != nil {
			return nil, err
		}
		delimiter := "openagent_" + t
		if strings.Contains(o.value, delimiter) {
			return nil, fmt.Errorf("output %s holds its own delimiter", o.name)
		}
		fmt.Fprintf(&b, "%s<<%s\n%s\n%s\n", o.name, delimiter, o.value, delimiter)
	}
	return b.Bytes(), nil
}

// checkName accepts lower-case words joined by "-".
func checkName(name string) error {
	bad := strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
	})
	if bad || name == "" {
		return fmt.Errorf("output name %q: want lower-case letters, digits and -", name)
	}
	return nil
}
