// Command parsers reads an event stream from standard input; exit status 0 means
// that it keeps the contract. It shows how to use the rules from Go.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

func main() {
	if err := read(os.Stdout, os.Stdin, os.Getenv("OPENAGENT_STRICT") == "1"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// read prints what the tools of a run did and how it ended.
func read(out io.Writer, in io.Reader, strict bool) error {
	stream := validate.NewStream(validate.Options{Strict: strict})
	lines := bufio.NewReaderSize(in, schema.DefaultReaderBytes+2) // the longest line, its LF and a byte more
	for {
		line, err := lines.ReadSlice('\n')
		if err == io.EOF && len(line) == 0 {
			return refused(stream.Close())
		}
		if err != nil && err != io.EOF && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		event, unreadable := schema.Decode(line)
		if err := errors.Join(refused(stream.Line(line)), unreadable); err != nil {
			return err
		}
		switch data := event.Data.(type) {
		case *schema.ToolExecFinished:
			if data.Tool != nil && data.OK != nil {
				fmt.Fprintln(out, *data.Tool, *data.OK)
			}
		case *schema.RunFinished:
			fmt.Fprintln(out, data.ExitReason, data.OK)
		}
	}
}

// refused returns the first finding that is an error.
func refused(findings []validate.Finding) error {
	for _, f := range findings {
		if f.Severity == validate.SeverityError {
			return errors.New(f.String())
		}
	}
	return nil
}
