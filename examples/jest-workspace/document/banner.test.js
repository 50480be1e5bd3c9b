const { close, show } = require('./banner');

beforeEach(() => {
  document.body.innerHTML = '';
});

describe('banner', () => {
  test('goes away when it is closed', () => {
    show('Sale!');
    close();
    expect(document.querySelectorAll('p')).toHaveLength(0);
  });

  test('is shown', () => {
    show('Sale!');
    expect(document.body.textContent).toBe('Sale!');
  });

  test('comes back for a new visitor', () => {
    localStorage.clear();
    show('Welcome!');
    expect(document.body.textContent).toContain('Welcome!');
  });
});
