package report

import (
	"github.com/openagent-ci/openagent/internal/sandbox"
	"github.com/openagent-ci/openagent/schema"
)

// SandboxText describes in one line what the commands of a run were confined to,
// empty where that is not known.
func SandboxText(s *schema.SandboxStatus) string {
	if s == nil {
		return ""
	}
	status := sandbox.Status{Level: sandbox.Level(s.Level), Seccomp: s.Seccomp, Network: sandbox.Network(s.Network), Missing: s.Missing}
	if s.LandlockABI != nil {
		status.LandlockABI = int(*s.LandlockABI)
	}
	if s.User != nil {
		status.User = *s.User
	}
	return status.Text()
}
