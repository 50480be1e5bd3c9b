const formats = new Map();

exports.register = (name, write) => formats.set(name, write);

exports.write = (name, rows) => {
  if (!formats.has(name)) throw new Error('unknown format ' + name);
  return formats.get(name)(rows);
};
