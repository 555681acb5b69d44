package sandbox

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What Landlock may do beneath a folder or on a file.
const (
	accessRead  = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_EXECUTE
	accessWrite = accessRead | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_REFER |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SYM |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	// accessFile is what there is of that for anything but a folder.
	accessFile = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// handled is what a ruleset refuses where no rule allows it, by the first ABI that
// knows it. Device nodes are allowed nowhere.
var handled = []struct {
	abi    int
	access uint64
	scope  uint64
}{
	{abi: 1, access: accessRead | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK},
	{abi: 2, access: unix.LANDLOCK_ACCESS_FS_REFER},
	{abi: 3, access: unix.LANDLOCK_ACCESS_FS_TRUNCATE},
	{abi: 5, access: unix.LANDLOCK_ACCESS_FS_IOCTL_DEV},
	{abi: 6, scope: unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL},
}

// landlockABI returns the ABI of Landlock that the kernel has.
func landlockABI() (int, error) {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	switch errno {
	case 0:
		return int(abi), nil
	case unix.EOPNOTSUPP:
		return 0, errors.New("the kernel has it, and it is not among the security modules of its start (lsm=)")
	case unix.ENOSYS:
		return 0, errors.New("the kernel does not have it (Linux 5.13 and later can), or a filter of the container hides it")
	}
	return 0, errno
}

// newRuleset makes the ruleset that every command enforces on itself. Its rules
// hold for the folders that the paths name now, whatever they name later.
func newRuleset(abi int, rules []Rule) (*os.File, error) {
	var attr unix.LandlockRulesetAttr
	for _, h := range handled {
		if h.abi <= abi {
			attr.Handled_access_fs |= h.access
			attr.Scoped |= h.scope
		}
	}
	size := unsafe.Offsetof(attr.Quiet_access_fs)
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno == unix.E2BIG { // a kernel that knows fewer members, which are 0 then
		fd, _, errno = unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr.Handled_access_fs), 0)
	}
	if errno != 0 {
		return nil, fmt.Errorf("create a Landlock ruleset: %w", errno)
	}
	unix.CloseOnExec(int(fd))
	ruleset := os.NewFile(fd, "landlock ruleset")
	for _, r := range rules {
		if err := addRule(ruleset, r, attr.Handled_access_fs); err != nil {
			ruleset.Close()
			return nil, fmt.Errorf("allow %s: %w", r.Path, err)
		}
	}
	return ruleset, nil
}

func addRule(ruleset *os.File, r Rule, handled uint64) error {
	fd, err := unix.Open(r.Path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return err
	}
	access := uint64(accessRead)
	if r.Write {
		access = accessWrite
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= accessFile
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access & handled, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, ruleset.Fd(), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
