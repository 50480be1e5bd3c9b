package store

import "encoding/json"

// SaveEvidence saves the evidence of an investigation as JSON. It replaces earlier evidence: while
// the investigation is Collecting, more failures can arrive.
func (tx *Tx) SaveEvidence(id string, evidence any) error {
	content, err := json.Marshal(evidence)
	if err != nil {
		return err
	}
	_, err = tx.exec(`INSERT INTO evidence (investigation, content, created) VALUES ($1, $2, $3)
		ON CONFLICT (investigation) DO UPDATE SET content = excluded.content, created = excluded.created`, id, content, micros(tx.time))
	return err
}

// Evidence reads the saved evidence, or returns ErrNotFound.
func (tx *Tx) Evidence(id string, into any) error {
	content, err := one(tx, func(r rows) (b []byte, err error) { return b, r.Scan(&b) },
		`SELECT content FROM evidence WHERE investigation = $1`, id)
	if err != nil {
		return err
	}
	return json.Unmarshal(content, into)
}
