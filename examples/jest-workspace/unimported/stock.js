let sold = 0;

exports.sell = (n) => {
  sold += n;
};
exports.sold = () => sold;
exports.reset = () => {
  sold = 0;
};
