//go:build linux && !amd64 && !arm64

package isolate

// denied is for processors whose system calls somebody has looked through.
func denied(string) []byte { return nil }
