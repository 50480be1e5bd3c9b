package store

import "time"

// ConfigFile is a configuration file as it was last fetched.
type ConfigFile struct {
	Repository int64
	Path       string // the path, in the repository
	ETag       string
	Found      bool // false: there is no such file
	Content    []byte
	Fetched    time.Time
}

// SaveConfig saves a configuration file, or that the file does not exist.
func (tx *Tx) SaveConfig(c ConfigFile) error {
	if c.Content == nil {
		c.Content = []byte{}
	}
	_, err := tx.exec(`INSERT INTO config_cache (repository, place, etag, found, content, fetched) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (repository, place) DO UPDATE SET etag = excluded.etag, found = excluded.found, content = excluded.content, fetched = excluded.fetched`,
		c.Repository, c.Path, c.ETag, flag(c.Found), c.Content, micros(tx.time))
	return err
}

// Config finds a saved configuration file. It returns ErrNotFound if the file was not fetched, or
// was forgotten.
func (tx *Tx) Config(repository int64, place string) (ConfigFile, error) {
	return one(tx, func(r rows) (c ConfigFile, err error) {
		var found, fetched int64
		err = r.Scan(&c.Repository, &c.Path, &c.ETag, &found, &c.Content, &fetched)
		c.Found, c.Fetched = found != 0, fromMicros(fetched)
		return c, err
	}, `SELECT repository, place, etag, found, content, fetched FROM config_cache WHERE repository = $1 AND place = $2`, repository, place)
}

// ForgetConfig removes a repository's saved files, since a push has changed them: also those that are
// saved for other repositories, as the organisation's file is. Their places begin with its name.
func (tx *Tx) ForgetConfig(repository int64, fullName string) error {
	place := fullName + ":"
	_, err := tx.exec(`DELETE FROM config_cache WHERE repository = $1 OR substr(place, 1, $2) = $3`, repository, len([]rune(place)), place)
	return err
}
