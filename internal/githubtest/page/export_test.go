package page

import "github.com/odfix/odfix/internal/githubtest"

// Markdown renders a comment.
func Markdown(body string, change []githubtest.DiffLine) string {
	return string(markdown(body, change, func(to string) string { return to }))
}
