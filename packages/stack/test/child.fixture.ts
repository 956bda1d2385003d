import { createServer } from 'node:net';

/** Listens on PORT and misbehaves as MODE says. Prints what happens to it. */
const { PORT, MODE } = process.env;
console.log(`mode ${MODE}`);
if (MODE === 'fails') {
  console.error('the disk is full');
  process.exit(3);
}
createServer((socket) => socket.end()).listen(Number(PORT), '127.0.0.1', () => console.log('listening'));
if (MODE === 'talks') {
  // Prints numbered lines, at least as fast as a service under full load.
  let line = 0;
  const talking = setInterval(() => {
    let lines = '';
    for (let n = 0; n < 2000; n++) lines += `${++line} ${'x'.repeat(90)}\n`;
    process.stdout.write(lines);
    if (line < 400_000) return;
    clearInterval(talking);
    console.log('said all');
  }, 10);
}
process.on('SIGTERM', () => {
  console.log('SIGTERM');
  if (MODE !== 'stubborn') process.exit(0);
});
process.on('SIGINT', () => console.log('SIGINT'));
