//go:build !noscan

package validate

// scanning says that lines are scanned before the rules read them. The build tag
// noscan leaves all to the rules, which find the same, and more slowly.
const scanning = true
