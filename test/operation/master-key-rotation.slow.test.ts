import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { sql } from 'kysely';
import pg from 'pg';
import { openSamples } from '#src/app/master-key-rotation.js';
import { credentialsEncryptionContext } from '#src/crm/connections/crm-accounts.js';
import { secretEncryptionContext } from '#src/outgoing/events/webhook-endpoint.js';
import { createDatabase } from '#src/platform/database/pool.js';
import { routeEncryptionContext } from '#src/platform/inbox/inbox.js';
import { mailEncryptionContext } from '#src/platform/mail/outbox.js';
import { Secrets } from '#src/platform/secrets/secrets.js';
import { migrateTestDatabase } from '#test/support/migrate-test-database.js';
import { runCommand } from '#test/support/run-command.js';
import { createTestDatabase, type TestDatabase } from '#test/support/test-database.js';

const [oldKey, newKey, lostKey] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer];

describe('commissions master-key rotate', () => {
  let database: TestDatabase;
  let owner: pg.Client;
  const workspaceId = randomUUID();
  const endpointId = randomUUID();
  const mails = Array.from({ length: 450 }, () => randomUUID());

  before(async () => {
    database = await createTestDatabase({ migrate: migrateTestDatabase });
    owner = new pg.Client({ connectionString: database.ownerUrl });
    await owner.connect();
    const old = new Secrets(oldKey);
    await owner.query(`insert into workspaces (workspace_id, name, currency) values ($1, 'Acme', 'USD')`, [
      workspaceId,
    ]);
    await owner.query(`insert into crm_connections (workspace_id, provider, credentials) values ($1, 'crma', $2)`, [
      workspaceId,
      old.seal(credentialsEncryptionContext(workspaceId, 'crma'), 'credentials'),
    ]);
    await owner.query(`insert into inbound_routes (workspace_id, source, route, secret) values ($1, 'crma', 'r', $2)`, [
      workspaceId,
      old.seal(routeEncryptionContext('crma', 'r'), 'route secret'),
    ]);
    await owner.query(
      `insert into webhook_endpoints (workspace_id, endpoint_id, url, secret) values ($1, $2, 'https://x.io', $3)`,
      [workspaceId, endpointId, old.seal(secretEncryptionContext(endpointId), 'endpoint secret')],
    );
    await owner.query(
      `insert into webhook_previous_secrets (workspace_id, endpoint_id, secret_id, secret, valid_until)
       values ($1, $2, $2, $3, now() + interval '1 day')`,
      [workspaceId, endpointId, old.seal(secretEncryptionContext(endpointId), 'previous secret')],
    );
    for (const [index, id] of mails.entries())
      await owner.query(`insert into mail_outbox (mail_id, recipient, subject, body) values ($1, 'a@x.io', 's', $2)`, [
        id,
        (index === 0 ? new Secrets(lostKey) : old).seal(mailEncryptionContext(id), `mail ${index}`),
      ]);
  });

  after(async () => {
    await owner.end();
    await database.drop();
  });

  const rotate = (...previous: Buffer[]) =>
    runCommand(['master-key', 'rotate', '--json'], {
      ...database.environment,
      MASTER_KEY: newKey.toString('base64'),
      MASTER_KEY_PREVIOUS: previous.map((key) => key.toString('base64')).join(),
    });

  it('is preceded by a check of every kind of secret with the present key', async () => {
    const reader = createDatabase({ url: database.ownerUrl, size: 1, onError: () => {}, asOwner: true });
    const kinds = ['crm_connections', 'inbound_routes', 'webhook_endpoints', 'webhook_previous_secrets'];
    try {
      expect(await openSamples(reader, new Secrets(newKey))).to.deep.equal({
        opened: [],
        unreadable: [...kinds, 'mail_outbox'],
      });
      expect((await openSamples(reader, new Secrets(oldKey))).opened).to.include.members(kinds);
    } finally {
      await reader.destroy();
    }
  });

  async function open(query: string, place: string, secrets: Secrets): Promise<string> {
    const { rows } = await owner.query<{ sealed: Buffer }>(query);
    return secrets.open(place, rows[0]?.sealed as Buffer);
  }

  it('requires the previous key', async () => {
    const { code, stderr } = await rotate();
    expect(code).to.equal(2);
    expect(stderr).to.include('MASTER_KEY_PREVIOUS');
  });

  it('encrypts everything that it can read with the new key, and reports what is left', async () => {
    const { code, stdout } = await rotate(oldKey);
    expect(JSON.parse(stdout)).to.deep.equal({ reencrypted: 453, remaining: 1 });
    expect(code).to.equal(1);
    const secrets = new Secrets(newKey);
    const credentials = 'select credentials as sealed from crm_connections';
    expect(await open(credentials, credentialsEncryptionContext(workspaceId, 'crma'), secrets)).to.equal('credentials');
    expect(
      await open('select secret as sealed from inbound_routes', routeEncryptionContext('crma', 'r'), secrets),
    ).to.equal('route secret');
    for (const [table, secret] of [
      ['webhook_endpoints', 'endpoint secret'],
      ['webhook_previous_secrets', 'previous secret'],
    ] as const)
      expect(
        await open(`select secret as sealed from ${table}`, secretEncryptionContext(endpointId), secrets),
      ).to.equal(secret);
    const last = mails.at(-1) as string;
    const body = `select body as sealed from mail_outbox where mail_id = '${last}'`;
    expect(await open(body, mailEncryptionContext(last), secrets)).to.equal('mail 449');
  });

  it('continues where it was interrupted, and changes nothing that is done', async () => {
    expect(JSON.parse((await rotate(oldKey, lostKey)).stdout)).to.deep.equal({ reencrypted: 1, remaining: 0 });
    const done = await rotate(oldKey, lostKey);
    expect(JSON.parse(done.stdout)).to.deep.equal({ reencrypted: 0, remaining: 0 });
    expect(done.code).to.equal(0);
  });

  it('encrypts the secrets of every database of the service, and counts what is left in all', async () => {
    const further = await createTestDatabase({ migrate: migrateTestDatabase });
    const client = new pg.Client({ connectionString: further.ownerUrl });
    await client.connect();
    try {
      await client.query(`insert into workspaces (workspace_id, name, currency) values ($1, 'Acme EU', 'EUR')`, [
        workspaceId,
      ]);
      for (const [route, key] of [
        ['r', oldKey],
        ['s', lostKey],
      ] as const)
        await client.query(
          `insert into inbound_routes (workspace_id, source, route, secret) values ($1, 'crma', $2, $3)`,
          [workspaceId, route, new Secrets(key).seal(routeEncryptionContext('crma', route), 'route secret')],
        );
      const { appUrl: url, ownerUrl } = further;
      const { code, stdout } = await runCommand(['master-key', 'rotate', '--json'], {
        ...database.environment,
        DATABASE_SHARDS: JSON.stringify([{ name: 'eu', url, ownerUrl }]),
        MASTER_KEY: newKey.toString('base64'),
        MASTER_KEY_PREVIOUS: oldKey.toString('base64'),
      });
      expect(JSON.parse(stdout)).to.deep.equal({ reencrypted: 1, remaining: 1 });
      expect(code).to.equal(1);
    } finally {
      await client.end();
      await further.drop();
    }
  });

  it('rejects the replacement of a generated key while a service is connected', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'commissions-key-'));
    const environment = { ...database.environment, DATA_DIR: folder };
    const service = createDatabase({ url: database.appUrl, size: 1, onError: () => undefined });
    await sql`select`.execute(service);
    const { code, stderr } = await runCommand(['master-key', 'rotate'], environment);
    expect(code).to.equal(2);
    expect(stderr).to.include('stop the service first');
    expect(existsSync(path.join(folder, 'secrets.json'))).to.equal(false);
    await service.destroy();
    rmSync(folder, { recursive: true });
  });
});
