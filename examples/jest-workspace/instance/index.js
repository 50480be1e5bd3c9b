exports.tickets = require('./tickets').tickets;
