import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of its own that can be filled, in memory. Only root may make one. */
export class SmallDisk {
  readonly folder = mkdtempSync(join(tmpdir(), 'nestjs-jobs-chaos-disk-'));
  private readonly ballast = join(this.folder, 'ballast');

  constructor(megabytes: number) {
    const { status, stderr } = spawnSync(
      'mount',
      ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=1777`, 'tmpfs', this.folder],
      { encoding: 'utf8' },
    );
    if (status === 0) return;
    rmdirSync(this.folder);
    throw new Error(`a small disk needs the right to mount one: ${stderr}`);
  }

  static get isPossible(): boolean {
    return process.platform === 'linux' && process.getuid?.() === 0;
  }

  /** Leaves no room, whoever else writes meanwhile. */
  fill(): void {
    const piece = Buffer.alloc(64 * 1024);
    try {
      for (;;) appendFileSync(this.ballast, piece);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }

  makeRoom(): void {
    rmSync(this.ballast, { force: true });
  }

  close(): void {
    spawnSync('umount', ['-l', this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
