//go:build !linux && !darwin

package live

import "os"

// quiet changes nothing: a console of Windows shows what is typed only while
// somebody reads it.
func quiet(*os.File) (restore func()) { return func() {} }
