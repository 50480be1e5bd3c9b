package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"

	modernc "modernc.org/sqlite" // pure Go: odfix is one static program
)

// driverName is SQLite with a cache of prepared statements. The queue sends each statement as text,
// and SQLite needs longer to parse one than to execute it: a quarter of the time of intake.
const driverName = "odfix-sqlite"

func init() { sql.Register(driverName, cachingDriver{&modernc.Driver{}}) }

type cachingDriver struct{ driver.Driver }

// Open implements driver.Driver.
func (d cachingDriver) Open(name string) (driver.Conn, error) {
	c, err := d.Driver.Open(name)
	if err != nil {
		return nil, err
	}
	full, ok := c.(sqliteConn)
	if !ok {
		return c, nil // another version of the driver: slower, but correct
	}
	return &cachingConn{sqliteConn: full, ready: map[string]readyStmt{}}, nil
}

// sqliteConn is the interface of the driver's connections.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

type readyStmt interface {
	driver.Stmt
	driver.StmtExecContext
}

// cachingConn keeps prepared statements that return no rows. One goroutine at a time uses a
// connection, so there is no lock. A statement ends when ExecContext returns, so none is used twice
// at a time.
type cachingConn struct {
	sqliteConn
	ready map[string]readyStmt
}

// mostReady bounds the statements of a connection. odfix and the queue have fewer.
const mostReady = 128

// ExecContext implements driver.ExecerContext.
func (c *cachingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s, ok := c.ready[query]
	if !ok && len(c.ready) < mostReady && keepable(query) {
		p, err := c.PrepareContext(ctx, strings.TrimSpace(query))
		if err != nil {
			return nil, err
		}
		if s, ok = p.(readyStmt); ok {
			c.ready[query] = s
		} else {
			p.Close()
		}
	}
	if !ok {
		return c.sqliteConn.ExecContext(ctx, query, args)
	}
	return s.ExecContext(ctx, args)
}

// keepable reports whether the text is one statement that changes rows. A text with a semicolon can
// be a script.
func keepable(query string) bool {
	if strings.Contains(query, ";") {
		return false
	}
	for line := range strings.Lines(query) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "--") {
			continue
		}
		verb, _, _ := strings.Cut(line, " ")
		return verb == "INSERT" || verb == "UPDATE" || verb == "DELETE"
	}
	return false
}

// Close implements driver.Conn.
func (c *cachingConn) Close() error {
	for _, s := range c.ready {
		s.Close() // an error does not matter: the connection closes
	}
	clear(c.ready)
	return c.sqliteConn.Close()
}
