package sandbox

import "os"

const readFlags = os.O_RDONLY
