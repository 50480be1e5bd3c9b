const { remind, welcome } = require('./mailer');

const transport = { send: jest.fn() };

describe('mailer', () => {
  test('greets a new user', () => {
    welcome(transport, 'Ada');
    expect(transport.send).toHaveBeenCalledWith('Welcome, Ada');
  });

  test('reminds every user once', () => {
    remind(transport, ['Ada', 'Grace']);
    expect(transport.send).toHaveBeenCalledTimes(2);
  });

  test('reminds nobody where there is nobody', () => {
    transport.send.mockClear();
    remind(transport, []);
    expect(transport.send).not.toHaveBeenCalled();
  });
});
