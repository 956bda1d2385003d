import { createServer } from 'node:net';

/** Listens on PORT; MODE says how it misbehaves. Prints what happens to it. */
const { PORT, MODE } = process.env;
console.log(`mode ${MODE}`);
if (MODE === 'fails') {
  console.error('the disk is full');
  process.exit(3);
}
createServer((socket) => socket.end()).listen(Number(PORT), '127.0.0.1', () => console.log('listening'));
process.on('SIGTERM', () => {
  console.log('SIGTERM');
  if (MODE !== 'stubborn') process.exit(0);
});
process.on('SIGINT', () => console.log('SIGINT'));
