import type { ChildProcessWithoutNullStreams } from 'node:child_process';

/** Returns what a child process prints, which grows until its end. */
export function outputOf(child: ChildProcessWithoutNullStreams): { out: string; err: string } {
  const output = { out: '', err: '' };
  child.stdout.on('data', (data) => {
    output.out += data;
  });
  child.stderr.on('data', (data) => {
    output.err += data;
  });
  return output;
}
