type Cleanup = () => Promise<void>;

const cleanups: Cleanup[] = [];

/** Registers what the root hook runs when the current test file has ended. */
export function afterFile(cleanup: Cleanup): void {
  cleanups.push(cleanup);
}

export async function runCleanups(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}
