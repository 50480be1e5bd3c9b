package store

import "time"

// Delivery is a stored delivery.
type Delivery struct {
	GUID     string
	Event    string
	Received time.Time
	Content  []byte
	Handled  time.Time // zero: its job is not done
}

const deliveryColumns = `guid, event, received, content, handled`

func scanDelivery(r rows) (Delivery, error) {
	var d Delivery
	var received, handled int64
	err := r.Scan(&d.GUID, &d.Event, &received, &d.Content, &handled)
	d.Received, d.Handled = fromMicros(received), fromMicros(handled)
	return d, err
}

// Delivery finds a delivery.
func (tx *Tx) Delivery(guid string) (Delivery, error) {
	return one(tx, scanDelivery, `SELECT `+deliveryColumns+` FROM delivery WHERE guid = $1`, guid)
}

// Handled records that a delivery's job is done. false means that it was done before.
func (tx *Tx) Handled(guid string) (bool, error) {
	n, err := tx.exec(`UPDATE delivery SET handled = $2 WHERE guid = $1 AND handled = 0`, guid, micros(tx.time))
	return n > 0, err
}
