exports.deliver = (carrier, what) => carrier.take(what);
