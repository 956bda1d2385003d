// Preloaded by a process whose clock a test sets: it is ahead by the milliseconds in the file of CLOCK_SHIFT_FILE.
import { readFileSync } from 'node:fs';
import { ServerResponse } from 'node:http';

const file = process.env.CLOCK_SHIFT_FILE!;
const RealDate = Date;
let shiftMs = 0;
setInterval(() => {
  shiftMs = Number(readFileSync(file, 'utf8')) || 0;
}, 50).unref();

class ShiftedDate extends RealDate {
  constructor(...args: []) {
    // All forms of the constructor but the one without arguments stay as they are.
    if (args.length === 0) super(RealDate.now() + shiftMs);
    else super(...args);
  }
  static override now(): number {
    return RealDate.now() + shiftMs;
  }
}
globalThis.Date = ShiftedDate as DateConstructor;

// Node keeps its own reference to the real Date.
const { writeHead } = ServerResponse.prototype;
ServerResponse.prototype.writeHead = function (this: ServerResponse, ...args: Parameters<typeof writeHead>) {
  this.setHeader('date', new Date().toUTCString());
  return writeHead.apply(this, args);
} as typeof writeHead;
