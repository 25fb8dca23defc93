import { readStored, writeStored } from '../../app/device-storage.js';

const key = (workspaceId: string) => `set-up:${workspaceId}`;

/**
 * Whether this browser has seen the workspace completely set up. Until then, the list of what is missing is the first of
 * the page; afterwards, an item that opens again, such as a new person without a plan, has its place below the figures.
 */
export function wasSetUp(workspaceId: string): boolean {
  return readStored(key(workspaceId)) === true;
}

export function rememberSetUp(workspaceId: string): void {
  writeStored(key(workspaceId), true);
}
