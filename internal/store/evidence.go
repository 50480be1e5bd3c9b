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

// SaveOrder saves the order of tests that CI ran, for an investigation. It replaces an earlier one.
// It is apart from the evidence, since it can be long, and only the job needs it.
func (tx *Tx) SaveOrder(id string, content []byte) error {
	_, err := tx.exec(`INSERT INTO observed_order (investigation, content) VALUES ($1, $2)
		ON CONFLICT (investigation) DO UPDATE SET content = excluded.content`, id, content)
	return err
}

// Order is the saved order, or ErrNotFound.
func (tx *Tx) Order(id string) ([]byte, error) {
	return one(tx, scanBytes, `SELECT content FROM observed_order WHERE investigation = $1`, id)
}

// ForgetOrder removes the saved order. Forget removes those of all investigations that have ended.
func (tx *Tx) ForgetOrder(id string) error {
	_, err := tx.exec(`DELETE FROM observed_order WHERE investigation = $1`, id)
	return err
}

// Evidence reads the saved evidence, or returns ErrNotFound.
func (tx *Tx) Evidence(id string, into any) error {
	content, err := one(tx, scanBytes, `SELECT content FROM evidence WHERE investigation = $1`, id)
	if err != nil {
		return err
	}
	return json.Unmarshal(content, into)
}
