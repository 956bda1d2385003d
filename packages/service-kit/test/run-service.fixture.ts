import Type from 'typebox';
import { baseConfig, defineService, loadConfig, runService } from '../src/index.ts';

/** A service that prints the stages of its shutdown. `MODE` selects how it fails. */
const schema = Type.Object({ ...baseConfig, MODE: Type.String({ default: 'well', description: 'How it behaves.' }) });

const fixture = defineService(
  'fixture',
  (env) => loadConfig(schema, env),
  async ({ config, onShutdown }) => {
    const alive = setInterval(() => {}, 1000);
    for (const stage of ['databases', 'clients', 'flush', 'servers', 'not-ready'] as const) {
      onShutdown(stage, async () => {
        process.stdout.write(`stage ${stage}\n`);
        if (stage === 'servers' && config.MODE === 'hangs') await new Promise(() => {});
        if (stage === 'databases') clearInterval(alive);
      });
    }
    if (config.MODE === 'cannot start') throw new Error('The port 1 is taken.');
    process.stdout.write('started\n');
    if (config.MODE === 'rejects') void Promise.reject(new Error('nobody caught this'));
  },
);

await runService(fixture);
