// Package layers tests the import rules, the owners of third-party modules and the
// line budgets.
package layers
