module github.com/openagent-ci/openagent

go 1.26

require (
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/sethvargo/go-githubactions v1.3.2 // indirect
	go.yaml.in/yaml/v4 v4.0.0 // indirect
	github.com/santhosh-tekuri/jsonschema/v5 v5.3.1 // indirect
)
