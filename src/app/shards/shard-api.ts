import { type Express } from 'express';
import { type AuthorizationServer } from '../../platform/mcp/authorization-server.js';
import { type ApiParts, agentAuthorization, openApi } from '../api.js';
import { type OpenedParts } from '../opened-parts.js';
import { type Shard } from './shard.js';
import { ShardAuthorization } from './shard-authorization.js';
import { ShardRouter } from './shard-router.js';
import { type Shards } from './shards.js';

/** The API of several databases: the routes of each, and the choice among them. */
export async function openShardApi(
  shards: Shards,
  opened: OpenedParts,
  parts: Omit<ApiParts, 'authorization'>,
): Promise<ShardRouter['handle']> {
  const servers = new Map<Shard, AuthorizationServer>();
  for (const shard of shards.all) {
    const server = agentAuthorization(shard.service);
    if (server !== null) servers.set(shard, server);
  }
  const apps = new Map<Shard, Express>();
  for (const shard of shards.all) {
    const own = servers.get(shard);
    const authorization = own === undefined ? null : new ShardAuthorization(own, shards, servers);
    apps.set(shard, await openApi(shard.service, opened, { ...parts, authorization }));
  }
  const { log, config } = shards.all[0].service;
  return new ShardRouter(shards, apps, log, config.PUBLIC_URL).handle;
}
