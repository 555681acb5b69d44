package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/agent/session"
	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/model/toolcall"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

func (p *program) parseCommand() *cobra.Command {
	var finish string
	var tools flags.Names
	var explain bool
	cmd := &cobra.Command{
		Use:   "parse [flags] <TEXT",
		Short: "Print the tool calls found in a model's text",
		Long: `Read a model's text from standard input and print, as one line of JSON, the tool
calls in it, what is left of the text, whether a call was cut, and what is wrong
with calls that are refused. Nothing is executed.

Every --finish-reason but stop and tool_calls says that the text may have been
cut, and no call is made then whose end was not seen.

Exit status: 0 the text was read, whatever it holds, 2 wrong command line,
3 the text could not be read or the result not printed.`,
		Example: `  openagent dev parse <reply.txt
  openagent dev parse --finish-reason length --tools read_file,write_file <reply.txt
  openagent dev parse --explain <reply.txt`,
		Args:    operands(0, 0, "none: the text comes on standard input"),
		PreRunE: p.fill,
		RunE: func(cmd *cobra.Command, _ []string) error {
			text, err := io.ReadAll(io.LimitReader(p.In, toolcall.MaxBytes+1))
			if err != nil {
				return delivery("read text", err)
			}
			specs := session.ToolSpecs(tools)
			r := toolcall.Parse(string(text), toolcall.Options{Tools: specs, FinishReason: finish})
			if len(r.Calls)+len(r.Refused) == 0 {
				r.Refused = toolcall.Leaked(string(text), specs)
			}
			document := r.Document()
			if explain {
				document.Explain = r.Explain()
			}
			return delivery("print calls", jsontext.Write(p.Out, document))
		},
	}
	cmd.Flags().StringVar(&finish, "finish-reason", "stop", "why the reply ended")
	cmd.Flags().Var(&tools, "tools", "names of the known tools (default: the built-in ones)")
	cmd.Flags().BoolVar(&explain, "explain", false, "also print which form each call has, and why other marks of calls are none")
	return cmd
}
