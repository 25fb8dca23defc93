import { realpath } from 'node:fs/promises';
import { Client } from 'pg';
import { type Cluster } from './data-folder.js';
import { codeOf } from './errors.js';
import { type Postmaster } from './postmaster.js';
import { type Secrets, secretsFile } from './secrets.js';

const owner = 'commissions';
/** Owns nothing; the application's migrations grant it what it needs. */
const app = 'commissions_app';
const provisionLock = 7_301_845;

export function ownerUrl(server: Postmaster, secrets: Secrets): string {
  return `postgres://${owner}:${secrets.ownerPassword}@127.0.0.1:${server.port}/${owner}`;
}

export function appUrl(server: Postmaster, secrets: Secrets): string {
  return `postgres://${app}:${secrets.appPassword}@127.0.0.1:${server.port}/${owner}`;
}

export function superuserUrl(server: Postmaster, secrets: Secrets): string {
  return `postgres://postgres:${secrets.superuserPassword}@127.0.0.1:${server.port}/postgres`;
}

/** Whether the server is up and serves this data folder: its port may belong to another server by now. */
export async function answers(cluster: Cluster, server: Postmaster, secrets: Secrets): Promise<boolean> {
  if (!server.ready) return false;
  try {
    const { rows } = await withClient(superuserUrl(server, secrets), (client) =>
      client.query<{ data_directory: string }>('SHOW data_directory'),
    );
    return (await realpath(rows[0]?.data_directory ?? '')) === (await realpath(cluster.dataDir));
  } catch (error) {
    if (isRefusal(error)) throw passwordRefused(cluster, error);
    return false;
  }
}

/** Every process runs this at every start. The advisory lock prevents concurrent updates of the same rows. */
export async function provision(cluster: Cluster, server: Postmaster, secrets: Secrets): Promise<void> {
  try {
    await withClient(superuserUrl(server, secrets), (client) => provisionRoles(client, secrets));
  } catch (error) {
    throw isRefusal(error) ? passwordRefused(cluster, error) : error;
  }
}

async function provisionRoles(client: Client, { ownerPassword, appPassword }: Secrets): Promise<void> {
  await client.query('SELECT pg_advisory_lock($1)', [provisionLock]);
  for (const [role, password] of [
    [owner, ownerPassword],
    [app, appPassword],
  ] as const) {
    const roles = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
    if (roles.rowCount === 0) await client.query(`CREATE ROLE ${role}`);
    const rights = 'LOGIN NOSUPERUSER NOCREATEROLE NOCREATEDB NOBYPASSRLS';
    await client.query(`ALTER ROLE ${role} ${rights} PASSWORD ${client.escapeLiteral(password)}`);
  }
  // A copy of a workspace inserts rows as they are, without triggers. Only commands have the owner's password.
  await client.query(`GRANT SET ON PARAMETER session_replication_role TO ${owner}`);
  const databases = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [owner]);
  if (databases.rowCount === 0) await client.query(`CREATE DATABASE ${owner} OWNER ${owner}`);
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    connectionString: url,
    ssl: false,
    connectionTimeoutMillis: 5_000,
    query_timeout: 30_000,
  });
  // The running query fails with the connection; without a listener the error would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function isRefusal(error: unknown): boolean {
  return codeOf(error) === '28P01';
}

function passwordRefused(cluster: Cluster, cause: unknown): Error {
  return new Error(
    `The PostgreSQL in ${cluster.dataDir} rejects the password in ${secretsFile(cluster)}; ` +
      'put the right file back, or stop that PostgreSQL, delete the file and start again: the data stays, and new passwords are generated.',
    { cause },
  );
}
