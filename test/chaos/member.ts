import { spawn, type ChildProcess } from 'node:child_process';
import { openSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Notebook } from './notebook.js';
import type { OwnWay } from './own-way.js';
import type { StoreAddress } from './stages/stage.js';

export interface MemberSettings {
  readonly name: string;
  /** The folder of the package's build. */
  readonly build: string;
  readonly store: StoreAddress;
  readonly prefix: string;
  readonly enqueueTimeout: number;
  /** Of its jobs: the first version does not know all. */
  readonly version: 1 | 2;
  /** How long it may take to stop. */
  readonly stopLimitMs: number;
  readonly runner: false | Readonly<Record<string, number>>;
  readonly produce?: Readonly<Record<string, number | boolean>>;
  /** Where it dies by itself, and at which time that it comes there. */
  readonly crashAt?: { readonly point: string; readonly times: number };
  /** By how much its wall clock is wrong. */
  readonly clockMs?: number;
  /** From when on it says that its loop stood still. */
  readonly leastStallMs: number;
  /** After its application is closed nothing may keep it for longer. */
  readonly hangLimitMs: number;
}

/** However busy the machine: who has not answered by then hangs. */
const answerLimitMs = 120_000;

/** A process of a round, as the driver sees it. */
export class Member {
  readonly name: string;
  readonly ended: Promise<void>;
  isAlive = true;
  isReady = false;
  /** It was asked to stop. */
  isStopping = false;
  private isKilled = false;
  private asked = 0;
  private readonly child: ChildProcess;
  private readonly answers = new Map<string, () => void>();

  constructor(
    readonly settings: MemberSettings,
    private readonly notebook: Notebook,
    readonly way?: OwnWay,
  ) {
    this.name = settings.name;
    const { clockMs } = settings;
    const scripts = join(process.cwd(), 'test/chaos/processes');
    const log = openSync(notebook.logOf(this.name), 'a');
    const moved = clockMs === undefined ? [] : ['--import', join(scripts, 'moved-clock.mjs')];
    const given = JSON.stringify({ ...settings, file: notebook.fileOf(this.name) });
    this.child = spawn(process.execPath, ['--expose-gc', ...moved, join(scripts, 'process.mjs'), given], {
      env: { ...process.env, NODE_OPTIONS: '', CHAOS_CLOCK_MS: String(clockMs ?? 0) },
      stdio: ['pipe', 'pipe', log],
    });
    closeSync(log);
    // One that dies does not take what it is told.
    this.child.stdin!.on('error', () => undefined);
    createInterface(this.child.stdout!).on('line', (line) => this.answers.get(line)?.());
    this.ended = new Promise((resolve) =>
      this.child.once('exit', (code) => {
        this.isAlive = false;
        this.noteEnd(code);
        resolve();
      }),
    );
  }

  /** Whether it works; else it only produces. */
  get isWorker(): boolean {
    return this.settings.runner !== false;
  }

  /** At work, and meant to stay so. */
  get isSteady(): boolean {
    return this.isReady && this.isAlive && !this.isStopping && this.settings.crashAt === undefined;
  }

  /** Its application has started; or it has ended before, which its notes tell. */
  async ready(): Promise<void> {
    await this.inTime('its start', this.hears('ready'));
    this.isReady = true;
  }

  /** Answers when it has done so, or is gone. */
  ask(command: 'usage' | 'also' | 'finish' | 'rest', given: object = {}): Promise<void> {
    const number = ++this.asked;
    const done = this.hears(`did ${number}`);
    this.child.stdin!.write(`${JSON.stringify({ command, number, ...given })}\n`);
    return this.inTime(command, done);
  }

  async kill(): Promise<void> {
    this.isKilled = true;
    this.child.kill('SIGKILL');
    await this.ended;
  }

  /** As a deploy does; it says itself when it has heard. */
  stop(): Promise<void> {
    this.isStopping = true;
    this.child.kill('SIGTERM');
    return this.ended;
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.child.kill(signal);
  }

  /** Whoever is gone answers nothing, which is no fault. */
  private async inTime(what: string, done: Promise<void>): Promise<void> {
    const late = new AbortController();
    const limit = sleep(answerLimitMs, true, { ref: false, signal: late.signal }).catch(() => false);
    const isLate = await Promise.race([done, this.ended, limit]);
    late.abort();
    if (isLate !== true) return;
    this.notebook.note({ type: 'hung', process: this.name, over: what });
    throw new Error(`${this.name} has not answered to ${what} within ${answerLimitMs} ms`);
  }

  private hears(line: string): Promise<void> {
    return new Promise((resolve) => this.answers.set(line, resolve));
  }

  private noteEnd(code: number | null): void {
    const { name, notebook } = this;
    if (this.isKilled) notebook.note({ type: 'died', process: name });
    else if (notebook.lastOf(name)?.type !== 'died' && !(this.isStopping && code === 0))
      notebook.note({ type: 'exited', process: name, code });
  }
}
