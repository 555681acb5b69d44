package golden_test

import (
	"fmt"

	"github.com/openagent-ci/openagent/golden"
)

func ExampleCompare() {
	want := `{"sequence":1,"ts":"2026-03-03T20:11:12Z","run_id":"a","type":"run_started","data":{"model":"small"}}` + "\n"
	got := `{"sequence":1,"ts":"2027-01-01T00:00:00Z","run_id":"b","type":"run_started","data":{"model":"large"}}` + "\n"
	for _, d := range golden.Compare([]byte(got), []byte(want)) {
		fmt.Println(d)
	}
	// Output: line 1 (sequence 1) /data/model: got "large", want "small"
}
