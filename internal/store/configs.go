package store

import (
	"strings"
	"time"
)

// ConfigFile is a configuration file as it was last fetched.
type ConfigFile struct {
	Repository int64
	Path       string // the path, in the repository
	ETag       string
	Found      bool // false: there is no such file
	Content    []byte
	Fetched    time.Time // zero: not yet; before 1970: a push has changed it since
}

// AwaitConfig notes that a file is being fetched for the first time, so that SaveConfig learns of
// pushes.
func (tx *Tx) AwaitConfig(repository int64, place string) error {
	_, err := tx.exec(`INSERT INTO config_cache (repository, place, etag, found, content, fetched) VALUES ($1, $2, '', 0, $3, 0)
		ON CONFLICT (repository, place) DO NOTHING`, repository, place, []byte{})
	return err
}

// SaveConfig saves a configuration file, or that the file does not exist. Fetched is that of the
// saved file before the fetch: if it is another one now, a push can have changed the file, and
// nothing is saved.
func (tx *Tx) SaveConfig(c ConfigFile) error {
	if c.Content == nil {
		c.Content = []byte{}
	}
	_, err := tx.exec(`INSERT INTO config_cache (repository, place, etag, found, content, fetched) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (repository, place) DO UPDATE SET etag = excluded.etag, found = excluded.found, content = excluded.content, fetched = excluded.fetched
		WHERE config_cache.fetched = $7`,
		c.Repository, c.Path, c.ETag, flag(c.Found), c.Content, micros(tx.time), micros(c.Fetched))
	return err
}

// Config finds a saved configuration file. It returns ErrNotFound if the file was not fetched.
func (tx *Tx) Config(repository int64, place string) (ConfigFile, error) {
	return one(tx, func(r rows) (c ConfigFile, err error) {
		var found, fetched int64
		err = r.Scan(&c.Repository, &c.Path, &c.ETag, &found, &c.Content, &fetched)
		c.Found, c.Fetched = found != 0, fromMicros(fetched)
		return c, err
	}, `SELECT repository, place, etag, found, content, fetched FROM config_cache WHERE repository = $1 AND place = $2`, repository, place)
}

// ForgetConfig marks a repository's saved files as old, since a push has changed them. A push into
// an organisation's repository .github does so for the organisation's file of all repositories: its
// place begins with the name of .github. Each push leaves another mark.
func (tx *Tx) ForgetConfig(repository int64, fullName string) error {
	mark := -micros(tx.time)
	_, err := tx.exec(`UPDATE config_cache SET fetched = $2 WHERE repository = $1`, repository, mark)
	if err != nil || !strings.HasSuffix(strings.ToLower(fullName), "/.github") {
		return err
	}
	place := fullName + ":"
	_, err = tx.exec(`UPDATE config_cache SET fetched = $1 WHERE substr(place, 1, $2) = $3`, mark, len([]rune(place)), place)
	return err
}
