import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { routeEncryptionContext } from '#src/platform/inbox/inbox.js';
import { Secrets } from '#src/platform/secrets/secrets.js';
import { type BenchService, listenEmpty, startBenchService } from './bench-service.js';
import { type Effect, growth, rowsWritten } from './effects.js';
import { type LoadContender, loadContender, type Received } from './load.js';
import { alternating, type Contender, count, type Measured, omit, ratio, type Table } from './measure.js';
import { type Size } from './size.js';

const connections = 10;

interface Parameters {
  readonly seconds: number;
  /** The deliveries of pgbench on each connection. */
  readonly transactions: number;
  readonly rounds: number;
}

const usual: Parameters = { seconds: 2, transactions: 1000, rounds: 5 };
const parameters: Readonly<Record<Size, Parameters>> = {
  quick: { seconds: 0.3, transactions: 10, rounds: 1 },
  small: { ...usual, rounds: 2 },
  usual,
  large: usual,
};

const webhookId = `bench-${randomBytes(8).toString('hex')}`;
const secret = randomBytes(16).toString('hex');
const header = 'Attio-Signature';

/** Deliveries of a CRM: the signature is checked, and the message is stored and committed. No worker processes them. */
export async function* intake(size: Size): AsyncGenerator<Table> {
  await using service = await startBenchService({ worker: false, environment: { WEBHOOKS_PER_SECOND: '100000' } });
  await using empty = await listenEmpty();
  const statement = path.join(tmpdir(), `commissions-bench-${process.pid}.sql`);
  const { seconds, transactions, rounds } = parameters[size];
  try {
    await openRoute(service);
    await writeFile(statement, receiveOne);
    const floor = await pgbench(service, statement, transactions);
    const measured = await alternating(
      [
        deliveries('empty Express handler', empty.url, seconds, ({ responses }) =>
          growth('handled requests', empty.handled, responses),
        ),
        ...(floor === null ? [] : [floor]),
        deliveries('delivery of crm-a', service.url, seconds, ({ responses }) =>
          rowsWritten(service.owner, 'inbox', [], responses),
        ),
      ],
      rounds,
    );
    yield table(measured, floor !== null);
  } finally {
    await rm(statement, { force: true });
  }
}

function table(measured: readonly Measured[], hasFloor: boolean): Table {
  const [empty, bare] = measured;
  return {
    title: `Webhook intake, one process, ${connections} connections`,
    columns: ['', 'deliveries a second', 'of the empty handler', 'of pgbench'],
    rows: measured.map(({ name, median }) => [
      name,
      count(median),
      ratio(median / (empty?.median ?? Number.NaN)),
      hasFloor ? ratio(median / (bare?.median ?? Number.NaN)) : '',
    ]),
    notes: [
      hasFloor
        ? 'Client, service and PostgreSQL share the cores. pgbench runs the statement that stores one delivery.'
        : 'Without pgbench, which is not installed. PGBENCH names its path.',
    ],
  };
}

function deliveries(
  name: string,
  url: string,
  seconds: number,
  toEffect: (received: Received) => Effect,
): LoadContender {
  const event = { event_type: 'record.updated', id: { record_id: 'deal-#' } };
  const load = {
    url,
    method: 'POST',
    path: '/webhooks/crma',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ webhook_id: webhookId, events: [event] }),
    signed: { header, secret },
    connections,
    seconds,
  };
  return loadContender(
    name,
    () => load,
    (received) => [toEffect(received)],
  );
}

async function openRoute({ owner, running, newWorkspace }: BenchService): Promise<void> {
  const { workspaceId } = await newWorkspace();
  const sealed = running.service.parts.resolve(Secrets).seal(routeEncryptionContext('crma', webhookId), secret);
  await owner.query("insert into inbound_routes (workspace_id, source, route, secret) values ($1, 'crma', $2, $3)", [
    workspaceId,
    webhookId,
    sealed,
  ]);
}

const receiveOne = `
select * from receive_messages(array['crma'], array['${webhookId}'], array[gen_random_uuid()], array['deal'],
  array['{"change": "changed", "occurredAt": null, "values": {}}']);
`;

/** Returns null if pgbench is not installed. */
async function pgbench(
  { owner, ownerUrl }: BenchService,
  statement: string,
  transactions: number,
): Promise<Contender | null> {
  const program = process.env['PGBENCH'] ?? '/usr/lib/postgresql/15/bin/pgbench';
  const isThere = await access(program).then(
    () => true,
    () => false,
  );
  if (!isThere) return omit('the row of pgbench', `${program} is not there; PGBENCH names its path`);
  const options = ['-n', '-c', String(connections), '-t', String(transactions), '-f', statement, ownerUrl];
  return {
    name: 'pgbench',
    effects: [rowsWritten(owner, 'inbox', [], connections * transactions)],
    run: async () => {
      const { stdout } = await promisify(execFile)(program, options);
      const perSecond = /^tps = ([\d.]+)/m.exec(stdout)?.[1];
      if (perSecond === undefined) throw new Error(`pgbench printed no result: ${stdout}`);
      return Number(perSecond);
    },
  };
}
