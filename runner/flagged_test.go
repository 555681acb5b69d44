package runner

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/schema/validate"
)

// Every line with findings is flagged, whatever becomes of the findings, and by the
// worst of them.
func TestCollector_Flagged(t *testing.T) {
	e := &Execution{}
	c := newCollector(e, Config{File: "f", MaxFindings: 1, MaxFlagged: 3}, nil)
	const bad, less = validate.SeverityError, validate.SeverityWarning
	c.add([]validate.Finding{finding(0, "a", bad), finding(2, "a", less), finding(2, "b", bad), finding(2, "b", bad)})
	c.addAbout("source", false, []validate.Finding{finding(4, "a", bad)})
	for _, line := range []int{5, 6, 7, 7, 8} {
		c.add([]validate.Finding{finding(line, "a", bad)})
	}
	c.add([]validate.Finding{finding(9, "a", validate.SeverityInfo)})
	c.close([]validate.Finding{finding(3, "a", less)})
	c.save()
	want := Flagged{Errors: []int{2, 5, 6}, Others: []int{3, 9}, Total: 7}
	if diff := cmp.Diff(want, e.Flagged); diff != "" || len(e.Findings) != 1 {
		t.Errorf("flagged with %d findings listed (-want +got):\n%s", len(e.Findings), diff)
	}
	c.replace(finding(0, "a", bad))
	c.save()
	if diff := cmp.Diff(Flagged{}, e.Flagged); diff != "" {
		t.Errorf("flagged once one finding stands for all (-want +got):\n%s", diff)
	}
}

// Nobody who does not ask for them pays for the lines.
func TestScan_FlaggedOnlyWhereWanted(t *testing.T) {
	for limit, want := range map[int]Flagged{0: {Total: 3}, 2: {Errors: []int{1, 2}, Total: 3}} {
		e, err := Scan(t.Context(), strings.NewReader("x\ny\nz\n"), Config{MaxFlagged: limit})
		if diff := cmp.Diff(want, e.Flagged); diff != "" || err != nil {
			t.Errorf("flagged with MaxFlagged %d, %v (-want +got):\n%s", limit, err, diff)
		}
	}
}
