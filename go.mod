module github.com/openagent-ci/openagent

go 1.26
