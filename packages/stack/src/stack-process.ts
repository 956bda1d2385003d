import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readIfExists } from './data-dir.ts';
import { LOG_MAX_BYTES, rotateLog, sizeOf } from './log-file.ts';
import { isListening } from './ports.ts';
import { StackError } from './stack-error.ts';

export interface ProcessOptions {
  name: string;
  /** The entry script, as an absolute path. */
  script: string;
  /** Options for Node itself. */
  nodeArguments?: readonly string[];
  env: Record<string, string>;
  /** The ports on `host` that it listens on. It has started once all of them, and the socket, accept connections. */
  ports: Record<string, number>;
  host: string;
  /** The path of the Unix socket that it listens on. */
  socket?: string | undefined;
  /**
   * Receives everything that it prints. When it is full, and at the next start of the stack, its newest lines are kept
   * as `….old`.
   */
  logFile: string;
  /** Whether to restart it if it ends unexpectedly. */
  autoRestart: boolean;
  /** Called with a sentence if it ends unexpectedly or its log cannot be shortened. */
  report: (sentence: string) => void;
  /** Called after each spawn, which changes the id of the process. */
  onSpawn: () => void;
}

const START_TIMEOUT_MS = 60_000;
const POLL_MS = 20;
const BACKOFF_FIRST_MS = 100;
const BACKOFF_MAX_MS = 5000;
/** After this time a process counts as healthy, and its next restart is quick again. */
const WELL_AFTER_MS = 10_000;
const LOG_TAIL_LINES = 5;
const LOG_CHECK_MS = 1000;

const GUARD = new URL(`./child-guard${extname(import.meta.filename)}`, import.meta.url);

/** One process of a running stack. */
export class StackProcess {
  readonly name: string;
  readonly ports: Readonly<Record<string, number>>;
  readonly #options: ProcessOptions;
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  #startedAt = 0;
  #backoffMs = BACKOFF_FIRST_MS;
  #restartTimer: NodeJS.Timeout | undefined;
  #logTimer: NodeJS.Timeout | undefined;
  /** Whether `….old` is from this run. */
  #rotated = false;
  /** False while it is stopped or stopping: its end is then expected. */
  #wanted = false;
  /** False until it accepts connections. A process that ends earlier is not restarted, because it would end again. */
  #ready = false;

  constructor(options: ProcessOptions) {
    this.name = options.name;
    this.ports = options.ports;
    this.#options = options;
    if (!existsSync(options.logFile)) return;
    rotateLog(options.logFile);
    rmSync(options.logFile);
  }

  /** Returns the id of the running process, or undefined if none runs. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /**
   * Starts it and waits until it accepts connections on all of its ports and on its socket.
   * @throws {StackError} if it ends before that, with the last lines that it printed, or takes over a minute.
   */
  async start(): Promise<void> {
    this.#wanted = true;
    this.#ready = false;
    this.#logTimer = setInterval(() => this.#boundLog(), LOG_CHECK_MS).unref();
    this.#spawn();
    const child = this.#child;
    const deadline = performance.now() + START_TIMEOUT_MS;
    const { host, socket } = this.#options;
    const addresses = Object.values(this.ports).map((port) => ({ port, host }));
    for (const address of [...addresses, ...(socket === undefined ? [] : [{ path: socket }])]) {
      while (!(await isListening(address))) {
        if (this.#child !== child) throw this.#failure('ended before it was ready');
        if (performance.now() > deadline) throw this.#failure(`was not ready within ${START_TIMEOUT_MS / 1000} s`);
        await sleep(POLL_MS);
      }
    }
    this.#ready = true;
  }

  /**
   * Sends a signal, by default SIGTERM, and waits until the process has ended. With `autoRestart` it starts again;
   * after {@link stop} it does not.
   */
  async kill(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.#child?.kill(signal);
    await this.#exited;
  }

  /** Stops it, by force after `graceMs`, and does not start it again. */
  async stop(graceMs: number): Promise<void> {
    this.#wanted = false;
    clearTimeout(this.#restartTimer);
    const force = setTimeout(() => this.#child?.kill('SIGKILL'), graceMs);
    await this.kill();
    clearTimeout(force);
    clearInterval(this.#logTimer);
    this.#boundLog();
  }

  /** Stops it and starts it again on the same ports. */
  async restart(graceMs = 10_000): Promise<void> {
    await this.stop(graceMs);
    await this.start();
  }

  /** Returns what it has printed since the stack was started, or the newest lines if that is more than is kept. */
  log(): string {
    const { logFile } = this.#options;
    return `${(this.#rotated && readIfExists(`${logFile}.old`)) || ''}${readIfExists(logFile) ?? ''}`;
  }

  #boundLog(): void {
    const { logFile, report } = this.#options;
    try {
      if (sizeOf(logFile) <= LOG_MAX_BYTES) return;
      rotateLog(logFile);
      this.#rotated = true;
    } catch (error) {
      report(`The log ${logFile} could not be shortened: ${String(error)}.`);
    }
  }

  #spawn(): void {
    const { script, nodeArguments = [], env, logFile } = this.#options;
    const log = openSync(logFile, 'a', 0o600);
    // Detached, because Ctrl-C in a terminal goes to every process in the foreground. It would end the databases before
    // the services that still write to them.
    const child = spawn(process.execPath, [...nodeArguments, '--import', fileURLToPath(GUARD), script], {
      env,
      stdio: ['ignore', log, log, 'ipc'],
      detached: true,
    });
    closeSync(log);
    this.#child = child;
    this.#startedAt = performance.now();
    this.#options.onSpawn();
    this.#exited = new Promise((resolve) => {
      const ended = (how: string) => {
        this.#child = undefined;
        if (this.#wanted && this.#ready) this.#onAccident(how);
        resolve();
      };
      child.once('error', (error) => ended(error.message));
      child.once('exit', (code, signal) => ended(signal ?? `exit code ${code}`));
    });
  }

  #onAccident(how: string): void {
    const { autoRestart, logFile, report } = this.#options;
    if (!autoRestart) {
      report(`${this.name} ended by itself (${how}); its log is ${logFile}.`);
      return;
    }
    if (performance.now() - this.#startedAt > WELL_AFTER_MS) this.#backoffMs = BACKOFF_FIRST_MS;
    report(`${this.name} ended by itself (${how}) and is started again; its log is ${logFile}.`);
    this.#restartLater();
  }

  #restartLater(): void {
    this.#restartTimer = setTimeout(() => {
      try {
        this.#spawn();
      } catch (error) {
        this.#options.report(`${this.name} could not be started again: ${String(error)}.`);
        this.#restartLater();
      }
    }, this.#backoffMs);
    this.#backoffMs = Math.min(this.#backoffMs * 2, BACKOFF_MAX_MS);
  }

  #failure(what: string): StackError {
    const tail = this.log().trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n');
    return new StackError(`${this.name} ${what}. The end of ${this.#options.logFile}:\n${tail}`);
  }
}
