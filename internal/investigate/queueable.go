package investigate

import "strings"

// queueable is an error whose text the queue can store. PostgreSQL refuses U+0000, and then the
// queue also loses the ends of other jobs, which it stores at the same time.
func queueable(err error) error {
	if err == nil || !strings.Contains(err.Error(), "\x00") {
		return err
	}
	return queueableError{err}
}

type queueableError struct{ error }

func (e queueableError) Error() string { return strings.ReplaceAll(e.error.Error(), "\x00", " ") }

func (e queueableError) Unwrap() error { return e.error }
