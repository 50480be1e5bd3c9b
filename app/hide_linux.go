package main

import "github.com/odfix/odfix/internal/isolate"

// hide keeps this process's memory, with the App's key, from other processes of its user. Builds run
// in such processes, in a sandbox.
func hide() error { return isolate.Hide() }
