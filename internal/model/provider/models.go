package provider

import (
	"context"
	"net/http"
	"strings"
)

// Status asks the endpoint of a Config for its list of models, which costs nothing,
// and returns the HTTP status of the answer. The error is a *chat.Failure.
func Status(ctx context.Context, c Config) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(c.BaseURL, "/")+"/models", http.NoBody)
	if err != nil {
		return 0, connectionFailure(err)
	}
	if c.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.Key)
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return 0, connectionFailure(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode, nil
}
