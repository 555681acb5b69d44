package schema

import (
	"strings"
	"testing"
	"time"
)

func TestManifest_EncodeFillsIn(t *testing.T) {
	east := time.FixedZone("east", 3600)
	got, err := Manifest{Started: time.Date(2026, 3, 3, 12, 0, 0, 0, east), Reason: "<x>"}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"schema": "openagent.run_manifest.v1"`, `"started": "2026-03-03T11:00:00Z"`, `"reason": "<x>"`,
		`"command": []`, `"lost": []`, `"left_out": []`, `"files": []`, `"findings_by_rule": {}`, `"git": null`, `"job": null`,
		`"cost_usd": null`, `"parent_run_id": null`, `"source": null`, `"sandbox": null`,
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("Encode = %s, want it to hold %s", got, want)
		}
	}
	if !strings.HasSuffix(string(got), "}\n") {
		t.Errorf("Encode ends with %q, want a brace and LF", got[len(got)-2:])
	}
}
