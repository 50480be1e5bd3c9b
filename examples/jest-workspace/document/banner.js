// Shows a banner at the top of the page, unless the visitor has closed it.
exports.show = (text) => {
  if (localStorage.getItem('banner') === 'closed') return;
  const banner = document.createElement('p');
  banner.textContent = text;
  document.body.prepend(banner);
};

exports.close = () => {
  document.querySelector('p')?.remove();
  localStorage.setItem('banner', 'closed');
};
