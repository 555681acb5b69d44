module github.com/openagent-ci/openagent

go 1.26.0

require (
	github.com/google/go-cmp v0.7.0
	go.yaml.in/yaml/v4 v4.0.0
	golang.org/x/sys v0.49.0
)
