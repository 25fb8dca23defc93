import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { findSignIns } from '../../access/auth/sign-in-views.js';
import { type Database } from '../../platform/database/pool.js';
import { type InboundRoute } from '../../platform/operations/operation.js';
import { type Secrets } from '../../platform/secrets/secrets.js';
import { type KeyKind } from './directory.js';

/** What a request contains of its workspace, and how a database is searched for it. */
export interface Key {
  readonly kind: KeyKind;
  readonly hash: Buffer;
  /** The workspaces of the key in one database. */
  search(database: Database): Promise<readonly string[]>;
}

/** A token or a grant by its hash: it belongs to one workspace for as long as it exists. */
export function tokenKey(hash: Buffer): Key {
  return {
    kind: 'token',
    hash,
    search: async (database) => {
      const { rows } = await sql<{ id: string }>`
        select workspace_id as id from find_tokens(array[${hash}::bytea])
        union select workspace_id from find_agent_grant(${hash})`.execute(database);
      return rows.map(({ id }) => id);
    },
  };
}

export function emailKey(secrets: Secrets, email: string): Key {
  return {
    kind: 'email',
    hash: secrets.mac('directory', email),
    search: async (database) => {
      const found = await database.transaction().execute((db) => findSignIns({ db, workspaceId: null }, email, null));
      return [...new Set(found.map(({ workspaceId }) => workspaceId))];
    },
  };
}

export function routeKey({ source, route }: InboundRoute): Key {
  return {
    kind: 'route',
    hash: routeHash(source, route),
    search: async (database) => {
      const { rows } = await sql<{ id: string }>`
        select workspace_id as id from find_route(${source}, ${route})`.execute(database);
      return rows.map(({ id }) => id);
    },
  };
}

export function routeHash(source: string, route: string): Buffer {
  return createHash('sha256').update(`${source} ${route}`).digest();
}
