package cli

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// -h shows at most 15 flags and where the others are; --help shows each of them once.
func TestHelp_ShortAndWhole(t *testing.T) {
	flagLine := regexp.MustCompile(`(?m)^  (?:-\w, |    )--([a-z-]+)`)
	everyCommand(func(cmd *cobra.Command, path string) {
		all := map[string]int{"help": 1}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { all[f.Name] = 1 })
		for _, flag := range []string{"-h", "--help"} {
			got := call(t, "", append(strings.Fields(path), flag)...)
			shown := flagLine.FindAllStringSubmatch(got.out, -1)
			if flag == "-h" && len(shown) > 15 {
				t.Errorf("%s -h shows %d flags, want at most 15", path, len(shown))
			}
			if rest := len(shown) < len(all); rest != strings.Contains(got.out, "\nall flags: openagent "+path+" --help\n") {
				t.Errorf("%s %s shows %d of %d flags and says of the others:\n%s", path, flag, len(shown), len(all), got.out)
			}
			for _, m := range shown {
				if flag == "--help" {
					all[m[1]]--
				}
			}
		}
		for name, missing := range all {
			if missing != 0 {
				t.Errorf("%s --help lacks --%s, or shows it twice", path, name)
			}
		}
	})
	known := map[string]bool{}
	everyCommand(func(cmd *cobra.Command, _ string) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
	})
	for _, h := range append(headings(), heading{title: "first", flags: firstFlags}) {
		for name := range strings.FieldsSeq(h.flags) {
			if !known[name] {
				t.Errorf("%s lists --%s, which no command has", h.title, name)
			}
		}
	}
}
