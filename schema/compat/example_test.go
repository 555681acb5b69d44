package compat_test

import (
	"fmt"

	"github.com/openagent-ci/openagent/schema/compat"
)

func ExampleCompare() {
	before := `{"$defs":{"tool_retry":{"type":"object","properties":{"attempt":{"type":"integer"}}}}}`
	after := `{"$defs":{"tool_retry":{"type":"object","required":["attempt"],"properties":{"attempt":{"type":"integer"},"delay_ms":{"type":"integer"}}}}}`
	changes, err := compat.Compare([]byte(before), []byte(after))
	if err != nil {
		fmt.Println(err) // one of them is no JSON object
		return
	}
	for _, c := range changes {
		fmt.Println(c)
	}
	fmt.Println("lawful:", compat.Lawful(changes))
	// Output:
	// additive: /$defs/tool_retry/properties/delay_ms: a new key (property-added)
	// narrowing: /$defs/tool_retry/required: must now be there: "attempt" (required-added)
	// lawful: false
}
