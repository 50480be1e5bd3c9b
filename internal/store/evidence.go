package store

import "encoding/json"

// SaveEvidence keeps what an investigation is about, as JSON. What was kept before is replaced:
// while it is Collecting, more can become known.
func (tx *Tx) SaveEvidence(id string, evidence any) error {
	content, err := json.Marshal(evidence)
	if err != nil {
		return err
	}
	_, err = tx.exec(`INSERT INTO evidence (investigation, content, created) VALUES ($1, $2, $3)
		ON CONFLICT (investigation) DO UPDATE SET content = excluded.content, created = excluded.created`, id, content, micros(tx.time))
	return err
}

// Evidence reads what SaveEvidence kept; ErrNotFound where nothing was.
func (tx *Tx) Evidence(id string, into any) error {
	content, err := one(tx, func(r rows) (b []byte, err error) { return b, r.Scan(&b) }, `SELECT content FROM evidence WHERE investigation = $1`, id)
	if err != nil {
		return err
	}
	return json.Unmarshal(content, into)
}
