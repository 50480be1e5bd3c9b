package templates

// Cache is the content of odfix's cache folder, with sizes and times for people.
type Cache struct {
	Dir, Size, Limit, LimitEnv string
	Kinds                      []CacheKind
}

// CacheKind is the entries of one kind.
type CacheKind struct {
	Name    string
	Entries int
	Size    string
	Oldest  string // when the least recently used entry was used
}

// CacheShown is the answer to `odfix cache`.
func CacheShown(c Cache, o Options) string { return render("cache.txt.tmpl", c, o) }

// Cleaned is what `odfix cache clean` did.
type Cleaned struct {
	Removed, Busy int
	Freed, Left   string
}

// CacheCleaned is the answer to `odfix cache clean`.
func CacheCleaned(c Cleaned, o Options) string { return render("cacheclean.txt.tmpl", c, o) }
