package pull

import (
	"context"

	"github.com/odfix/odfix/internal/verdict"
)

// Settle marks every comment of odfix on a pull request as settled, since CI is green on this head.
// It returns how many it marked.
func Settle(ctx context.Context, at Place, number int64, headSHA, helpURL string) (int, error) {
	there, err := OwnComments(ctx, at, number)
	if err != nil {
		return 0, err
	}
	settled := 0
	for _, c := range there.First {
		if c.Marker.Settled {
			continue
		}
		if err := StillAt(ctx, at, number, headSHA); err != nil {
			return settled, err
		}
		if err := Rewrite(ctx, at, c, verdict.Settled(c.Marker, headSHA, c.Body, helpURL)); err != nil {
			return settled, err
		}
		if err := DropParts(ctx, at, c.Marker, there); err != nil {
			return settled, err
		}
		settled++
	}
	return settled, nil
}
