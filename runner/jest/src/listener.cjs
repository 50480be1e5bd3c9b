'use strict';
// The thread that reads odfix's commands. It works while a test keeps the main thread busy: it ends
// the process when odfix is gone, and says where the main thread is.

const net = require('net');
const {parentPort, workerData} = require('worker_threads');
const {Body, Frames, Output} = require('./wire.cjs');

const COMMANDS = 3;
const BEAT = 1000; // milliseconds between two signs of work while the process starts
const PAUSE_LIMIT = 2000; // milliseconds until a main thread that runs no code counts as waiting

const output = new Output(workerData.lock);
const frames = new Frames();
const end = () => process.kill(process.pid, 'SIGKILL');

const input = new net.Socket({fd: COMMANDS, readable: true, writable: false});
input.on('data', chunk => {
  for (const {type, body} of frames.add(chunk)) {
    if (type === 'T') stacks().then(answer, error => answer(`the stack is not known: ${error.message}`));
    else parentPort.postMessage({type, body: Uint8Array.from(body)});
  }
});
const beat = setInterval(() => {
  const {user, system} = process.cpuUsage();
  output.send(new Body(0x62 /* b */).i64(user + system));
}, BEAT);
parentPort.on('message', () => clearInterval(beat)); // the process has started

input.on('end', end);
input.on('close', end);
input.on('error', end);

function answer(text) {
  output.send(new Body(0x74 /* t */).str(text));
}

/** stacks pauses the main thread in its debugger for a moment and reads its stack. */
async function stacks() {
  const {Session} = require('inspector');
  const session = new Session();
  if (!session.connectToMainThread) return `Node ${process.version} cannot show the stack of a busy thread`;
  session.connectToMainThread();
  try {
    const scripts = new Map();
    session.on('Debugger.scriptParsed', ({params}) => scripts.set(params.scriptId, params.url));
    const paused = new Promise(resolve => session.once('Debugger.paused', ({params}) => resolve(params.callFrames)));
    session.post('Debugger.enable');
    session.post('Debugger.pause');
    const timeout = new Promise(resolve => setTimeout(resolve, PAUSE_LIMIT, null));
    const stack = await Promise.race([paused, timeout]);
    if (!stack) return 'main thread: runs no code; it waits for a promise, a timer or another event that does not come';
    const lines = stack.map(({functionName, location, url}) =>
      `    at ${functionName || '<anonymous>'} (${url || scripts.get(location.scriptId)}:${location.lineNumber + 1}:${location.columnNumber + 1})`);
    return ['main thread:', ...lines].join('\n');
  } finally {
    session.post('Debugger.resume');
    session.post('Debugger.disable');
    session.disconnect();
  }
}
