import { hash, randomUUID } from 'node:crypto';

export const newId: () => string = randomUUID;

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}

/** A UUID (version 8) from the SHA-256 of the text: equal texts give equal ids. */
export function deriveId(text: string): string {
  const digest = hash('sha256', text, 'hex');
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-8${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}
