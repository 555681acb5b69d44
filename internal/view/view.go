// Package view owns what people see of a run: text of agents made harmless for
// terminals and job logs, and the verdict table.
package view
