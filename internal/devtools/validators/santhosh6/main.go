// Santhosh6 is santhosh-tekuri/jsonschema v6: schema, lines.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func main() {
	f, err := os.Open(os.Args[1])
	check(err)
	doc, err := jsonschema.UnmarshalJSON(f)
	check(err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	check(c.AddResource("urn:openagent:run_event:v1", doc))
	schema, err := c.Compile("urn:openagent:run_event:v1")
	check(err)
	lines, err := os.Open(os.Args[2])
	check(err)
	in := bufio.NewScanner(lines)
	in.Buffer(nil, 2<<20)
	for in.Scan() {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(in.Text()))
		check(err)
		fmt.Println(schema.Validate(value) == nil)
	}
	check(in.Err())
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
