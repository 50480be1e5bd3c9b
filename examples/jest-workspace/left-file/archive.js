const fs = require('fs');
const path = require('path');

const folder = path.join(__dirname, 'archive');

exports.folder = folder;

exports.keep = (name, text) => {
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, name), text);
};

exports.list = () => (fs.existsSync(folder) ? fs.readdirSync(folder) : []);
