module github.com/openagent-ci/openagent

go 1.26

require (
	github.com/google/go-cmp v0.7.0
	go.yaml.in/yaml/v4 v4.0.0
)
