package history

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/event"
	"github.com/openagent-ci/openagent/internal/tool"
)

//go:embed search_history.md
var searchText string

type searchArgs struct {
	Query      string `json:"query" arg:"required,empty" doc:"Text to look for, in any case." example:"flaky test"`
	Days       int64  `json:"days" default:"0" min:"0" doc:"Only matches of the last so many days; 0 for all." example:"7"`
	MaxResults int64  `json:"max_results" default:"10" min:"1" max:"50" doc:"Most matches to return." example:"5"`
}

// Tool returns the tool search_history over the sessions in a folder.
func Tool(dir string, clock *event.Clock) tool.Tool {
	spec := tool.Spec{Name: "search_history", Description: strings.TrimSpace(searchText)}
	return tool.Define(spec, func(ctx context.Context, _ tool.Call, args searchArgs) tool.Output {
		s := Search{Dir: dir, Query: args.Query, Days: args.Days, Results: args.MaxResults, Now: clock.Now()}
		found, err := s.Run(ctx)
		switch {
		case errors.Is(err, ErrNoQuery):
			return tool.Failed(tool.NewError(tool.KindInvalidInput, err.Error()))
		case ctx.Err() != nil:
			return tool.Failed(tool.NewError(tool.KindCancelled, "the run ended while history was searched"))
		case err != nil:
			return tool.Failed(tool.NewError(tool.KindIO, err.Error()).WithHint("Go on without the history."))
		}
		summary := fmt.Sprintf("%d matches", found.Total)
		if found.Total == 1 {
			summary = "1 match"
		}
		return tool.Done(summary, found)
	})
}
