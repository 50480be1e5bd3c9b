// Sends mail by whatever transport it is given.
function welcome(transport, name) {
  transport.send('Welcome, ' + name);
}

function remind(transport, names) {
  names.forEach((name) => transport.send('Hello again, ' + name));
}

module.exports = { remind, welcome };
