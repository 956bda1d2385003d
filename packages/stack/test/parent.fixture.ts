import { StackProcess } from '../src/stack-process.ts';

/** Starts one child as a stack does, prints its id, and waits to be killed. */
const [script, port, logFile] = process.argv.slice(2) as [string, string, string];
const child = new StackProcess({
  name: 'child',
  script,
  env: { PORT: port, MODE: 'well' },
  ports: { tcp: Number(port) },
  host: '127.0.0.1',
  logFile,
  autoRestart: false,
  report: () => {},
  onSpawn: () => {},
});
await child.start();
console.log(`child ${child.pid}`);
