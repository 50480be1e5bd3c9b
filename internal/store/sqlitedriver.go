package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"

	modernc "modernc.org/sqlite" // pure Go, so that odfix stays one static program
)

// driverName is SQLite with statements kept ready. The queue sends its statements
// as text each time, and SQLite spends more on reading one than on doing it:
// a quarter of intake's time.
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
		return c, nil // another version of the driver: slower, and right
	}
	return &cachingConn{sqliteConn: full, ready: map[string]readyStmt{}}, nil
}

// sqliteConn is what the driver's connections can do.
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

// cachingConn keeps statements without rows ready. A connection is used by one
// goroutine at a time, so nothing is locked; and such a statement is over when
// ExecContext returns, so that none is in use twice.
type cachingConn struct {
	sqliteConn
	ready map[string]readyStmt
}

// mostReady bounds what a connection keeps; the queue and we have fewer.
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

// keepable: one statement that changes rows. Scripts, pragmas and tables are not
// worth it; a semicolon may be a script's.
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
		s.Close() // it goes with the connection in any case
	}
	clear(c.ready)
	return c.sqliteConn.Close()
}
