package testenv

import (
	"os/exec"
	"strings"
)

// XMLLint holds a document against the schema in a file, by xmllint.
func XMLLint(schema, document string) (says string, err error) {
	c := exec.Command("xmllint", "--noout", "--schema", schema, "-")
	c.Stdin = strings.NewReader(document)
	out, err := c.CombinedOutput()
	return string(out), err
}
