const transport = {
  send: (to) => `delivered to ${to}`,
};

exports.transport = transport;
exports.greet = (to) => transport.send(to);
