package session

import (
	"context"
	"fmt"
	"slices"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/sandbox/sandboxexec"
	"github.com/openagent-ci/openagent/internal/text/nearest"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/mcp"
)

// readServers returns what the file of MCP servers says, nil where none is named.
func readServers(ctx context.Context, p *process.Process, o Options) (*mcp.Config, error) {
	if o.MCPConfig == "" {
		return nil, nil
	}
	text, err := p.ReadUpTo(ctx, o.MCPConfig, mcp.MaxConfig)
	if err != nil {
		return nil, before(codeMCPConfig, fmt.Errorf("read MCP configuration: %w", err)).or("name a file that can be read by --mcp-config, or leave it out")
	}
	config, err := mcp.Read(o.MCPConfig, text, mcp.NewVariables(p.Environ(), o.PassEnv))
	if err != nil {
		return nil, before(codeMCPConfig, fmt.Errorf("MCP configuration %w", err))
	}
	for _, address := range config.Addresses() {
		if err := CheckAddress(p.Env, address); err != nil {
			return nil, err
		}
	}
	return &config, nil
}

// startServers starts the MCP servers of the run within the wall, nil for none.
func (s *setup) startServers(ctx context.Context, held *closers, q request, root string, commands *sandboxexec.Commands) (*mcp.Servers, error) {
	if s.servers == nil {
		return nil, nil
	}
	env, err := process.CommandEnviron(s.Environ(), s.PassEnv)
	if err != nil {
		return nil, before(codeMCPServer, err)
	}
	servers, err := mcp.Start(ctx, mcp.Options{
		Config: *s.servers, Variables: mcp.NewVariables(s.Environ(), s.PassEnv), Version: s.Version, Root: root, Environ: commands.Environ(env), Commands: commands,
		Offers: q.policy.Offers, Timeout: s.ToolTimeout, Stderr: s.Err, Filter: masked(s.masks), Log: s.Logger(),
	})
	if err != nil {
		return nil, before(codeMCPServer, err)
	}
	held.add(func() error { servers.Close(); return nil })
	for _, pattern := range servers.UnmatchedPatterns(slices.Concat(q.policy.Patterns(), s.AllowTools, s.DenyTools)) {
		s.Logger().Warn(fmt.Sprintf("no tool of an MCP server is named %q%s", pattern, nearest.Hint(pattern, servers.Names())))
	}
	return servers, nil
}

// follow returns what tells the agent of changed tools of servers, which are added to
// ours.
func follow(servers *mcp.Servers, ours []tool.Tool) func(context.Context) *tool.Registry {
	if servers == nil {
		return nil
	}
	return func(ctx context.Context) *tool.Registry {
		theirs, changed := servers.Changed(ctx)
		if !changed {
			return nil
		}
		return tool.NewRegistry(slices.Concat(ours, theirs)...)
	}
}

// serverStatus returns what the stream says of the servers.
func serverStatus(servers *mcp.Servers) (all []event.MCPServer) {
	if servers == nil {
		return nil
	}
	for _, status := range servers.Status() {
		all = append(all, event.MCPServer{Name: status.Name, Tools: int64(status.Tools), Status: status.Status})
	}
	return all
}
