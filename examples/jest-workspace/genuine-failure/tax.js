module.exports = (net) => Math.floor(net * 1.19);
