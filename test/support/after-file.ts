type Cleanup = () => Promise<void>;

const afterThisFile: Cleanup[] = [];
const afterAllFiles: Cleanup[] = [];

/** Registers what the root hook runs when the current test file has ended. */
export function afterFile(cleanup: Cleanup): void {
  afterThisFile.push(cleanup);
}

/** Registers what is run after the last file. A Mocha worker, which cannot detect its last file, ends without it. */
export function afterRun(cleanup: Cleanup): void {
  afterAllFiles.push(cleanup);
}

export async function runCleanups({ isLastFile }: { readonly isLastFile: boolean }): Promise<void> {
  const ofFile = afterThisFile.splice(0).reverse();
  await runAll(isLastFile ? [...ofFile, ...afterAllFiles.splice(0).reverse()] : ofFile);
}

/** Runs every cleanup and then throws the first error: a service that one of them leaves would keep the run alive. */
export async function runAll(cleanups: readonly Cleanup[]): Promise<void> {
  const errors: unknown[] = [];
  for (const cleanup of cleanups)
    try {
      await cleanup();
    } catch (error) {
      errors.push(error);
    }
  if (errors.length > 0) throw errors[0];
}
