package history

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/openagent-ci/openagent/internal/jsontext"
)

// MarshalJSON writes the summary as programs read it; without a record its times
// are null.
func (s Summary) MarshalJSON() ([]byte, error) {
	var first, last *time.Time
	if s.Lines > 0 {
		first, last = &s.First, &s.Last
	}
	return jsontext.Marshal(struct {
		Session string     `json:"session"`
		Lines   int64      `json:"lines"`
		Bytes   int64      `json:"bytes"`
		First   *time.Time `json:"first"`
		Last    *time.Time `json:"last"`
		Skipped int64      `json:"skipped_lines"`
	}{s.Name, s.Lines, s.Bytes, first, last, s.Skipped})
}

// Table returns the sessions as people read them, one a line.
func Table(list []Summary) string {
	if len(list) == 0 {
		return "No sessions.\n"
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SESSION\tLAST\tLINES\tBYTES")
	for _, s := range list {
		last := "-"
		if s.Lines > 0 {
			last = s.Last.Format("2006-01-02 15:04")
		}
		broken := ""
		if s.Skipped > 0 {
			broken = fmt.Sprintf(" (%d broken)", s.Skipped)
		}
		fmt.Fprintf(w, "%s\t%s\t%d%s\t%d\n", s.Name, last, s.Lines, broken, s.Bytes)
	}
	_ = w.Flush() // into memory
	return b.String()
}
