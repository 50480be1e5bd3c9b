'use strict';
// Letters that are on their way for a while, and those that have arrived.

const arrived = [];
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function send(to) {
  await wait(200);
  arrived.push(to);
  return 'sent';
}

async function day() {
  await wait(400);
}

const letters = () => [...arrived];

function clear() {
  arrived.length = 0;
}

module.exports = { clear, day, letters, send };
