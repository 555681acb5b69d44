// Package term renders text for terminals and job logs, and sanitizes untrusted
// text.
package term
