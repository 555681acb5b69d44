package term

import (
	"os"

	"golang.org/x/sys/windows"
)

// enableSequences makes a console act upon control sequences, and reports
// whether it does: old ones show them as they are.
func enableSequences(console *os.File) bool {
	handle := windows.Handle(console.Fd())
	var mode uint32
	if windows.GetConsoleMode(handle, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(handle, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
