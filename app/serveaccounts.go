package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/investigate"
)

// accountName is the form of a login on GitHub.
var accountName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)

// accountsIn reads the accounts for which odfix works: logins, and ids as installation:ID, one a
// line. A line that begins with # is a comment.
func accountsIn(file string) ([]string, error) {
	text, err := readBounded(file, maxServeFile)
	if err != nil {
		return nil, fmt.Errorf("--accounts-file: %w", err)
	}
	var out []string
	for _, line := range linesOf(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, byID := strings.CutPrefix(line, investigate.InstallationEntry)
		if _, err := strconv.ParseInt(id, 10, 64); byID && err != nil || !byID && !accountName.MatchString(line) {
			return nil, fmt.Errorf("--accounts-file: %q in %s is neither a login nor %sID", line, file, investigate.InstallationEntry)
		}
		out = append(out, line)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("--accounts-file: %s names no account; odfix app pause stops all work", file)
	}
	return out, nil
}

// accounts returns the accounts for which odfix works; nil: for all. The file is read again each
// time. While it cannot be used, the accounts before count: it may be written just now.
func (o *appOptions) accounts(log *zap.Logger) func() []string {
	if o.accountsFile == "" {
		return nil
	}
	var mu sync.Mutex
	known := o.allowed
	return func() []string {
		list, err := accountsIn(o.accountsFile)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			log.Error("the list of accounts cannot be used; the one before counts", zap.Error(err))
			return known
		}
		known = list
		return list
	}
}
