package standin

import (
	"context"
	"fmt"
	"net"

	"github.com/openagent-ci/openagent/internal/process"
	"github.com/openagent-ci/openagent/internal/transport"
)

// Server says how a script is served.
type Server struct {
	// PortFile is the file for the port number, Log that for a line about each
	// request; empty for none.
	PortFile, Log string
	// Started is called with the address, without a path, before the first request is
	// answered; requests that come before wait.
	Started func(origin string) error
}

// Serve answers from the turns of a script on a port of 127.0.0.1 that the system
// chooses, until ctx ends.
func Serve(ctx context.Context, p *process.Process, script *transport.Script, s Server) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("open a port: %w", err)
	}
	defer l.Close()
	var log *transport.Log
	if s.Log != "" {
		if log, err = script.OpenLog(p.Path(s.Log)); err != nil {
			return err
		}
	}
	origin := fmt.Sprintf("http://127.0.0.1:%d", l.Addr().(*net.TCPAddr).Port)
	if err := WritePort(s.PortFile, origin); err != nil {
		return err
	}
	if err := s.Started(origin); err != nil {
		return err
	}
	if err := transport.Serve(ctx, l, script); err != nil {
		return fmt.Errorf("serve the script: %w", err)
	}
	return log.Close()
}
