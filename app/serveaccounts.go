package main

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/investigate"
)

// accountName is the form of a login on GitHub.
var accountName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)

// accountsIn reads the accounts for which odfix works: logins, and ids as installation:ID, one a
// line. A line that begins with # is a comment.
func accountsIn(text []byte) ([]string, error) {
	var out []string
	for _, line := range linesOf(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, byID := strings.CutPrefix(line, investigate.InstallationEntry)
		if _, err := strconv.ParseInt(id, 10, 64); byID && err != nil || !byID && !accountName.MatchString(line) {
			return nil, fmt.Errorf("%q is neither a login nor %sID", line, investigate.InstallationEntry)
		}
		out = append(out, line)
	}
	if len(out) == 0 {
		return nil, errors.New("it names no account; odfix app pause stops all work")
	}
	return out, nil
}

// accounts returns the accounts for which odfix works; nil: for all. The file is read again when it
// has changed. While it cannot be used, the accounts before count: it may be written just now.
func (o *appOptions) accounts(log *zap.Logger) func() []string {
	if o.allowed == nil {
		return nil
	}
	o.allowed.Notify(func(_ []string, err error) {
		if err != nil {
			log.Error("the list of accounts cannot be used; the one before counts", zap.Error(err))
			return
		}
		log.Info("the list of accounts has changed, and counts")
	})
	return o.allowed.Get
}
