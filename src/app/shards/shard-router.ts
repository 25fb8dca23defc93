import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Express } from 'express';
import { newId } from '../../kernel/ids.js';
import { toErrorResponse, withDocs } from '../../platform/error-response.js';
import { type Log } from '../../platform/log.js';
import { hashToken } from '../../platform/secrets/token.js';
import { tokenKey } from './key.js';
import { type Shard } from './shard.js';
import { databaseUnavailable, type Shards } from './shards.js';

const bearer = /^bearer ([!-~]{1,100})$/i;
const sessionCookie = /(?:^|;\s*)(?:__Host-)?session=(sess_\w{1,100})/;

/**
 * Gives each request to the routes of the database that has its workspace. They authenticate it as if they were the only
 * ones: what is read here of a token decides where it is checked, and nothing else.
 */
export class ShardRouter {
  constructor(
    private readonly shards: Shards,
    private readonly apps: ReadonlyMap<Shard, Express>,
    private readonly log: Log,
    private readonly publicUrl: string | undefined,
  ) {}

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    this.choose(request).then(
      (shard) => this.serve(shard, request, response),
      (error: unknown) => this.reject(response, error),
    );
  };

  /** A request that waits for a database which stops to respond is answered at once. */
  private serve(shard: Shard, request: IncomingMessage, response: ServerResponse): void {
    shard.lost.once('lost', answer);
    response.once('close', () => shard.lost.off('lost', answer));
    this.apps.get(shard)?.(request as never, response as never);
    const { reject } = this;
    function answer(): void {
      if (!response.headersSent) reject(response, databaseUnavailable());
    }
  }

  private async choose({ headers }: IncomingMessage): Promise<Shard> {
    const token = bearer.exec(headers.authorization ?? '')?.[1] ?? sessionCookie.exec(headers.cookie ?? '')?.[1];
    const hash = token === undefined ? null : hashToken(token);
    if (hash === null) return this.shards.front();
    const { places, isComplete } = await this.shards.locateToken(tokenKey(hash));
    const [place] = places;
    // No database has issued it, so any of them rejects it.
    if (place === undefined && isComplete) return this.shards.front();
    const shard = place === undefined || place.isMoving ? null : this.shards.named(place.shard);
    if (shard?.isServing !== true) throw databaseUnavailable();
    return shard;
  }

  private readonly reject = (response: ServerResponse, error: unknown): void => {
    const requestId = `req_${newId()}`;
    const body = toErrorResponse(error, undefined, requestId, this.log);
    response.writeHead(body.statusCode, {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      ...(body.statusCode === 503 ? { 'Retry-After': '2' } : {}),
    });
    response.end(JSON.stringify(withDocs(body, this.publicUrl)));
  };
}
