const tax = require('./tax');

it('adds a fifth', () => expect(tax(100)).toBe(119));

it('rounds up', () => expect(tax(1)).toBe(2));
