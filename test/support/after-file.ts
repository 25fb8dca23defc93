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
  for (const cleanup of afterThisFile.splice(0).reverse()) await cleanup();
  if (!isLastFile) return;
  for (const cleanup of afterAllFiles.splice(0).reverse()) await cleanup();
}
