// Package view owns what people see of a run: its progress line by line or as
// a live picture, the verdict table, and text of agents made harmless for
// terminals and job logs.
package view
