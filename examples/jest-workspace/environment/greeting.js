module.exports = (name) => (process.env.GREETING_LANGUAGE === 'fr' ? 'Bonjour ' : 'Hello ') + name
