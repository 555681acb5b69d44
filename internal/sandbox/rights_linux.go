package sandbox

import (
	"os"

	"golang.org/x/sys/unix"
)

// rights are those of this process.
type rights struct {
	uid, gid  int
	permitted uint64 // capabilities
}

// ownRights returns the rights of this process.
func ownRights() rights {
	r := rights{uid: os.Geteuid(), gid: os.Getegid()}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	if unix.Capget(&header, &sets[0]) == nil {
		r.permitted = uint64(sets[0].Permitted) | uint64(sets[1].Permitted)<<32
	}
	return r
}

func (r rights) has(capability int) bool { return r.permitted&bit(capability) != 0 }

func bit(capability int) uint64 { return 1 << capability }

// rootCapabilities is what a root that shall work in the files of another user needs, as
// in most container jobs, whose checkout belongs to uid 1001.
var rootCapabilities = func() (keep uint64) {
	for c := range capabilities {
		keep |= bit(c)
	}
	return keep
}()

var capabilities = map[int]string{
	unix.CAP_CHOWN: "chown", unix.CAP_DAC_OVERRIDE: "dac_override", unix.CAP_FOWNER: "fowner", unix.CAP_FSETID: "fsetid",
	unix.CAP_SETGID: "setgid", unix.CAP_SETUID: "setuid", unix.CAP_KILL: "kill", unix.CAP_NET_BIND_SERVICE: "net_bind_service",
}

// capabilityNames returns the names of those of rootCapabilities in set.
func capabilityNames(set uint64) (names []string) {
	for c := range 64 {
		if set&rootCapabilities&bit(c) != 0 {
			names = append(names, capabilities[c])
		}
	}
	return names
}
