const greeting = require('./greeting')

test('speaks French where the environment says so', () => {
  process.env.GREETING_LANGUAGE = 'fr'
  expect(greeting('Ada')).toBe('Bonjour Ada')
})

test('has no language of its own in a name', () => {
  expect(greeting('')).toMatch(/ $/)
})

test('speaks English', () => {
  expect(greeting('Ada')).toBe('Hello Ada')
})
