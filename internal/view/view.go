// Package view renders text for terminals and job logs, and sanitizes untrusted text.
package view
