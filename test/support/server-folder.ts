import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const memory = '/dev/shm';
const minFreeBytes = 8 * 2 ** 30;

/**
 * Where the database servers of tests have their files: in memory, if the machine has a file system of this size for it.
 * A copy of a database is 900 files, and making them on a disk takes 5 % of the CPU time of the tests.
 */
export const serverFolder = hasRoom(memory) ? memory : tmpdir();

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= minFreeBytes;
  } catch {
    return false;
  }
}
