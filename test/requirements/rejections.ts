import { expect } from 'chai';
import { type ApiResponse } from '#test/support/api-client.js';
import { row } from './rows.js';
import { expectError } from './world.js';

type Request = () => Promise<ApiResponse>;

/** Declares a row whose request returns the error. */
export function rejects(number: number, title: string, status: number, code: string, request: Request): void {
  row(number, title, async () => expectError(`${status} ${code}`, request()));
}

/** Declares a row whose request returns 400 because it violates the schema, at the path if one is given. */
export function invalid(number: number, title: string, request: Request, path?: string): void {
  row(number, title, async () => {
    const { details } = await expectError('400 VALIDATION_FAILED', request());
    if (path !== undefined) expect(details.issues[0].path).to.equal(path);
  });
}

export function unauthorized(number: number, request: string, send: Request): void {
  rejects(number, `${request} without a token is 401`, 401, 'unauthorized', send);
}

export function forbidden(number: number, title: string, request: Request): void {
  rejects(number, title, 403, 'forbidden', request);
}

/** Declares a row whose request returns 403 for a manager, a rep and a connection token. */
export function adminOnly(
  number: number,
  request: string,
  send: (who: 'mgr' | 'ben' | 'conn') => Promise<ApiResponse>,
): void {
  row(number, `${request} by a caller who is not an admin is 403`, async () => {
    for (const who of ['mgr', 'ben', 'conn'] as const) await expectError('403 forbidden', send(who));
  });
}
