const { randomInt } = require('crypto');

// Waits a random time, so that not all clients come back at once.
exports.pause = () => 100 + randomInt(100);
