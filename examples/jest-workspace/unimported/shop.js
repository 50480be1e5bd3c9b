const stock = require('./stock');

exports.order = (n) => {
  stock.sell(n);
  return `${stock.sold()} sold`;
};
