package flags

import (
	"testing"

	"github.com/openagent-ci/openagent/internal/value"
)

func TestCheckUpdate_RefusedInAJob(t *testing.T) {
	for _, tt := range []struct {
		mode value.Update
		ci   string
		want bool
	}{
		{"", "true", true}, {value.UpdateYes, "", true}, {value.UpdateYes, "false", true}, {value.UpdateYes, "true", false},
		{value.UpdateYes, "1", false}, {value.UpdateForce, "true", true},
	} {
		if got := CheckUpdate(tt.mode, tt.ci) == nil; got != tt.want {
			t.Errorf("CheckUpdate(%q) with CI=%q = %v, want %v", tt.mode, tt.ci, got, tt.want)
		}
	}
}
