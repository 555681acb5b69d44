package validate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/schema/validate"
)

const (
	costHead = `{"schema_version":"openagent.run_event.v1","sequence":1,"ts":"2026-03-03T20:11:12.000Z","run_id":"r1","step":0,"type":"tool_exec_finished","data":`
	mib      = 1 << 20
)

func keys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"%x":1,`, i)
	}
	return b.String()
}

// hostile are lines of up to 1 MiB that cost naive readers much.
var hostile = map[string]string{
	"brackets":           strings.Repeat("[", 100_000),
	"braces":             strings.Repeat(`{"a":`, 100_000),
	"exponent":           costHead + `{"tool_call_id":1e10000000,"original_bytes":1e10000000}}`,
	"digits":             costHead + `{"original_bytes":` + strings.Repeat("9", mib-500) + `}}`,
	"same keys":          "{" + strings.Repeat(`"a":1,`, mib/6-10) + `"a":1}`,
	"many keys":          "{" + keys(100_000) + `"z":1}`,
	"many keys of data":  costHead + "{" + keys(100_000) + `"z":1}}`,
	"many counts":        costHead + `{"source":{"unmapped":{` + keys(100_000) + `"z":1}}}}`,
	"counts of nothing":  strings.Replace(costHead, "tool_exec_finished", "run_finished", 1) + `{"source":{"unmapped":{` + strings.ReplaceAll(keys(100_000), "1,", "{},") + `"z":1}}}}`,
	"nested counts":      costHead + strings.Repeat(`{"unmapped":`, 60) + "{" + keys(90_000) + `"z":1}` + strings.Repeat("}", 61),
	"long name of count": strings.Replace(costHead, "tool_exec_finished", "run_finished", 1) + `{"source":{"unmapped":{"` + strings.Repeat(`/~`, mib/2-500) + `":""}}}}`,
	"escaped NULs":       costHead + `{"content_preview":"` + strings.Repeat(`\u0000`, (mib-500)/6) + `"}}`,
	"bad ts":             strings.Replace(costHead, "2026-03-03T20:11:12.000Z", strings.Repeat(`\u0000`, (mib-500)/6), 1) + "{}}",
	"list of nothing":    costHead + `{"artifacts":[` + strings.Repeat("0,", mib/2-500) + "0]}}",
	"list of objects":    costHead + `{"artifacts":[` + strings.Repeat("{},", mib/3-500) + "{}]}}",
	"objects in data":    costHead + `{"x_a":[` + strings.Repeat(`{"a":1},`, mib/8-500) + "1]}}",
	"nested known names": costHead + "{" + strings.Repeat(`"artifacts":{`, 60) + `"path":"` + strings.Repeat("a", mib-2000) + `"` + strings.Repeat("}", 61) + "}",
	"torn objects":       strings.Repeat(`{"a":[`, 20) + strings.Repeat("1,", mib/2-500),
	"affixes":            strings.Repeat("{[", mib/4) + "{}" + strings.Repeat("[{", mib/4),
	"prose":              strings.Repeat("word ", mib/5),
}

func TestStream_HostileLinesAreFindings(t *testing.T) {
	for name, line := range hostile {
		s := validate.NewStream(validate.Options{})
		found := s.Line([]byte(line + "\n"))
		if len(found) == 0 || len(found) > 3000 {
			t.Errorf("%s: %d findings, want some and not many", name, len(found))
		}
	}
}
