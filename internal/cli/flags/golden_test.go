package flags

import (
	"testing"
)

func TestCheckUpdate_RefusedInAJob(t *testing.T) {
	for _, tt := range []struct {
		mode Update
		ci   string
		want bool
	}{
		{"", "true", true}, {UpdateYes, "", true}, {UpdateYes, "false", true}, {UpdateYes, "true", false},
		{UpdateYes, "1", false}, {UpdateForce, "true", true},
	} {
		if got := CheckUpdate(tt.mode, tt.ci) == nil; got != tt.want {
			t.Errorf("CheckUpdate(%q) with CI=%q = %v, want %v", tt.mode, tt.ci, got, tt.want)
		}
	}
}
